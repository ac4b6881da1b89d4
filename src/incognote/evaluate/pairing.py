"""Gold and predicted notes joined by id, so that no note drops out of a score unseen.

A note without a prediction stays, as a prediction that found nothing; a prediction without a gold
note is left out. Both are listed by their index in the input, because an id may be a file name and
a file name may hold an identifier.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from incognote.base.errors import UserError
from incognote.document import Document, DocumentError, Span


class PairingError(UserError, ValueError):
    """Gold and predictions that cannot be compared. The message names an index, never an id."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A predicted span without its text, as `find` writes it."""

    start: int
    end: int
    type: str
    score: float = 1.0
    source: str = "predicted"


@dataclass(frozen=True, slots=True)
class Marks:
    """The marks of one note, without the note: they take the gold's text."""

    id: str
    marks: tuple[Mark, ...] = ()

    def on(self, text: str) -> Document:
        """The marks as spans of `text`."""
        return Document(
            self.id,
            text,
            tuple(
                Span.of(text, mark.start, mark.end, mark.type, score=mark.score, source=mark.source)
                for mark in self.marks
            ),
        )


@dataclass(frozen=True, slots=True)
class Pair:
    """One note as annotated and as predicted; both have the same text."""

    gold: Document
    predicted: Document


@dataclass(frozen=True)
class Pairing:
    """All pairs, in the order of their ids, so that the order of the input changes no figure."""

    pairs: tuple[Pair, ...]
    missing: tuple[int, ...] = ()
    """Indices of gold notes that had no prediction; each is scored as all missed."""
    extra: tuple[int, ...] = ()
    """Indices of predictions that have no gold note; they are not scored."""


def pair(gold: Iterable[Document], predicted: Iterable[Document | Marks]) -> Pairing:
    """Join by id; refuses an id that occurs twice on one side, and texts that differ."""
    golds = list(gold)
    predictions = list(predicted)
    _refuse_repeats([note.id for note in golds], "gold note")
    _refuse_repeats([note.id for note in predictions], "prediction")
    index_of = {note.id: index for index, note in enumerate(predictions)}
    pairs: list[Pair] = []
    missing: list[int] = []
    for index, note in enumerate(golds):
        at = index_of.pop(note.id, None)
        if at is None:
            missing.append(index)
            pairs.append(Pair(note, note.with_spans(())))
        else:
            pairs.append(Pair(note, _on_same_text(note, predictions[at], index, at)))
    pairs.sort(key=lambda pair: pair.gold.id)
    return Pairing(tuple(pairs), tuple(missing), tuple(index_of.values()))


def _refuse_repeats(ids: list[str], what: str) -> None:
    first: dict[str, int] = {}
    for index, id in enumerate(ids):
        if id in first:
            raise PairingError(f"{what} {index} has the same id as {what} {first[id]}")
        first[id] = index


def _on_same_text(gold: Document, predicted: Document | Marks, index: int, at: int) -> Document:
    if isinstance(predicted, Marks):
        try:
            return predicted.on(gold.text)
        except DocumentError as error:
            raise PairingError(f"prediction {at} does not fit gold note {index}: {error}") from None
    if predicted.text != gold.text:
        raise PairingError(
            f"the text of prediction {at} differs from that of gold note {index} "
            f"({len(predicted.text)} and {len(gold.text)} characters)"
        )
    return predicted
