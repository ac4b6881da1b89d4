"""`incognote fill-mask`: what an encoder would put at a mask."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

EncoderFolder = Annotated[
    Path,
    typer.Option(
        "--encoder",
        metavar="DIR",
        help="Folder with the encoder: config.json, model.safetensors, and its tokenizer. "
        "Required: no encoder comes with the package yet.",
        show_default=False,
    ),
]


def fill_mask(
    text: Annotated[str, typer.Argument(help="Text with one or more masks, such as [MASK].")],
    encoder: EncoderFolder,
    top_k: Annotated[int, typer.Option("--top-k", min=1, help="Guesses for each mask.")] = 5,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> int:
    """Fill the masks of a text: the likeliest pieces, with their probabilities.

    \b
    incognote fill-mask "The patient denies chest [MASK]." --encoder albert-base-v2/
    """  # noqa: D301
    import json

    need_torch()
    from incognote.encoders import TextModel
    from incognote.encoders import fill_mask as fill

    fills = fill(text, TextModel.load(encoder), top_k=top_k)
    if as_json:
        typer.echo(json.dumps(fills, ensure_ascii=False, indent=2))
        return 0
    masks = fills if isinstance(fills[0], list) else [fills]
    for number, guesses in enumerate(masks, 1):
        if len(masks) > 1:
            typer.echo(f"mask {number}")
        for guess in guesses:
            assert isinstance(guess, dict)
            typer.echo(f"{guess['score']:.4f}  {guess['token_str']}  {guess['sequence']}")
    return 0


def need_torch() -> None:
    """Say what to install, before an import fails."""
    try:
        import torch  # noqa: F401
    except ModuleNotFoundError:
        raise typer.BadParameter(
            "encoders need torch, which is not installed: pip install 'incognote[train]'"
        ) from None
