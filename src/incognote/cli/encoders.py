"""`incognote encoders`: the published encoders and their sizes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

import typer

LABELS_HELP = "Count the parameters with a token classifier of this many labels instead of a "
"pooler."
FIELDS = {
    "layers": "layers",
    "H": "hidden_size",
    "heads": "heads",
    "FFN": "feed_forward_size",
    "E": "embedding_size",
    "vocab": "vocabulary_size",
    "cell": "cell_size",
    "output": "projection_size",
    "highways": "highways",
}
"""Columns, and the fields of a configuration; the last three are ELMo's."""

SIZES = ("encoder", *FIELDS, "parameters", "MB", "MFLOPs")
TENSORS = ("tensor", "shape", "parameters")
WIDTH = 140
"""Wide enough that no figure is cut."""


def encoders(
    name: Annotated[str | None, typer.Argument(help="Show the tensors of this encoder.")] = None,
    labels: Annotated[int | None, typer.Option(min=1, max=100_000, help=LABELS_HELP)] = None,
    length: Annotated[
        int, typer.Option(min=1, max=100_000, help="Tokens in a sequence, for the FLOPs.")
    ] = 512,
) -> int:
    """List the encoders that can be built by name: layers, sizes, parameters, memory, FLOPs.

    Parameters are the encoder's, with its pooler; memory is for them in float32; FLOPs are of the
    matrix multiplications, per token. ELMo has LSTMs: the size of their cells, of their output in
    each direction, and its highway layers.
    """
    from incognote.cli import show
    from incognote.cli.errors import installed

    with installed("encoders need"):
        import torch  # noqa: F401
    from incognote.workshop.encoders.families import PRESETS

    if name is not None and name not in PRESETS:
        raise typer.BadParameter(f"there is no {name!r}; see `incognote encoders`")
    options: dict[str, Any] = {"length": length}
    if labels is not None:
        options |= {"heads": ("tokens",), "labels": labels}
    if name is None:
        show.table(SIZES, _sizes(options), least_width=WIDTH)
    else:
        show.table(TENSORS, _tensors(name, options), least_width=WIDTH)
    return 0


def _sizes(options: dict[str, Any]) -> Iterator[tuple[str, ...]]:
    from incognote.workshop.encoders.families import PRESETS
    from incognote.workshop.encoders.model import size_of

    for name, preset in PRESETS.items():
        config = preset.config
        size = size_of(config, **options)
        yield (
            name,
            *(str(getattr(config, field, "–")) for field in FIELDS.values()),
            f"{size.parameters:,}",
            f"{size.bytes / 1e6:,.0f}",
            f"{size.flops / 1e6:,.0f}",
        )


def _tensors(name: str, options: dict[str, Any]) -> Iterator[tuple[str, ...]]:
    from math import prod

    from incognote.workshop.encoders.families import PRESETS
    from incognote.workshop.encoders.model import size_of

    size = size_of(PRESETS[name].config, **options)
    for tensor, shape in size.tensors.items():
        yield tensor, " × ".join(str(side) for side in shape), f"{prod(shape):,}"
    yield "all", "", f"{size.parameters:,}"
