"""`incognote sentence-order`: whether two texts stand in their order."""

from __future__ import annotations

from typing import Annotated

import typer

from incognote.cli.fill_mask import EncoderFolder, opened

FirstText = Annotated[str, typer.Argument(help="The text that comes first.", metavar="FIRST")]
SecondText = Annotated[str, typer.Argument(help="The text that comes second.", metavar="SECOND")]


def sentence_order(first: FirstText, second: SecondText, encoder: EncoderFolder = None) -> int:
    """Score whether two texts stand in their order, or were swapped.

    The probability that SECOND follows FIRST and not the other way round, by an encoder that was
    pretrained with sentence order, as ALBERT was.

    - `incognote sentence-order "She was admitted on Monday." "On Tuesday she went home."`
    """
    from incognote.workshop.encoders import sentence_order_score

    typer.echo(f"{sentence_order_score(first, second, opened(encoder)):.4f}")
    return 0
