"""`incognote fill-mask`: what an encoder would put at a mask."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from incognote.workshop.encoders.text_encoder import TextEncoder

EncoderFolder = Annotated[
    Path | None,
    typer.Option(
        "--encoder",
        metavar="NAME_OR_DIR",
        help="Folder of an encoder: a checkpoint with its tokenizer, which needs torch, or the "
        "output of `incognote export --to encoder`; or 'minilm' (a package). By default the "
        "clinical ALBERT that comes with incognote.",
        show_default=False,
    ),
]


def fill_mask(
    text: Annotated[str, typer.Argument(help="Text with one or more masks, such as [MASK].")],
    encoder: EncoderFolder = None,
    top_k: Annotated[
        int, typer.Option("--top-k", min=1, help="Number of guesses for each mask.")
    ] = 5,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> int:
    """Fill the masks of a text: the most likely tokens, with their probabilities.

    - `incognote fill-mask "The patient denies chest [MASK]."`
    - `incognote fill-mask "Hello I'm a [MASK] model." --encoder albert-base-v2/`
    """
    from incognote.workshop.encoders import fill_mask as fill

    fills = fill(text, opened(encoder), top_k=top_k)
    if as_json:
        from incognote.cli import show

        show.as_json(fills)
        return 0
    masks = fills if isinstance(fills[0], list) else [fills]
    for number, guesses in enumerate(masks, 1):
        if len(masks) > 1:
            typer.echo(f"mask {number}")
        for guess in guesses:
            assert isinstance(guess, dict)
            typer.echo(f"{guess['score']:.4f}  {guess['token_str']}  {guess['sequence']}")
    return 0


def opened(folder: Path | None) -> TextEncoder:
    """The encoder named, or the one that ships."""
    from incognote.cli.errors import installed
    from incognote.workshop.encoders import open_encoder

    with installed("this encoder needs"):
        return open_encoder(folder)
