"""`incognote next-sentence`: whether one text follows another."""

from __future__ import annotations

from incognote.cli.fill_mask import EncoderFolder, opened
from incognote.cli.sentence_order import FirstText, SecondText


def next_sentence(first: FirstText, second: SecondText, encoder: EncoderFolder = None) -> int:
    """Score whether one text follows another, or was drawn from elsewhere.

    The probability that SECOND follows FIRST in a document, by an encoder that was pretrained with
    next sentences, as BERT was; the encoder that comes with incognote was not.

    - `incognote next-sentence "The man went to the store." "He bought milk." --encoder bert-base/`
    """
    import typer

    from incognote.workshop.encoders import next_sentence_score

    typer.echo(f"{next_sentence_score(first, second, opened(encoder)):.4f}")
    return 0
