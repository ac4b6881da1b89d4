"""ModelDetector: spans from a model folder."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np

from incognote.align.decode import Transitions, decoded, shares_of, viterbi
from incognote.align.findings import spans_of
from incognote.align.passages import AHEAD, MisjudgedError
from incognote.align.portions import LONG, Portion, portions_of
from incognote.align.refine import common_units
from incognote.align.tags import Labels
from incognote.align.units import Units
from incognote.base.errors import AlignError, ModelError
from incognote.detect.detector import Detection
from incognote.detect.model import long_notes
from incognote.detect.model.long_notes import TINY, Decided, between_spans
from incognote.detect.model.member import MemberNetwork, Scored
from incognote.detect.suspects import Scales, Suspect, suspects_of
from incognote.document import Document, Span
from incognote.onnx.model_folder import read_model

SOURCE = "model"
NOTES_AT_ONCE = 128
CHARACTERS_AT_ONCE = 20_000
"""Enough that short notes find others of their length; long ones gain nothing by company."""

MORE = 16
"""How many times as far is looked ahead in a long note where it was not enough."""

PIECES = 4
"""More units than a character has."""


class ModelDetector:
    """The spans that a model folder's networks mark, each score a mean probability.

    `speed` names one of the model's variants; `threads` share the work on one note and change
    nothing in the result; `suspects` asks for the words that may be more, from a probability on.
    """

    def __init__(
        self,
        folder: str | Path,
        *,
        speed: str | None = None,
        threads: int = 1,
        suspects: float | None = None,
    ) -> None:
        folder = Path(folder)
        model = read_model(folder)
        variant = model.variant(speed)
        try:
            self._labels = Labels(model.labels)
        except AlignError as error:
            raise ModelError(f"{folder}: {error}") from None
        self._thresholds = variant.thresholds
        self._scales = Scales(variant.scales)
        self._suspects = suspects
        self._weights = variant.weights
        self._members = [
            MemberNetwork(
                folder, model.members[name], self._labels, files=model.files, threads=threads
            )
            for name in variant.members
        ]
        loose = any(member.any_order for member in self._members)
        self._common = (Transitions.any_order if loose else Transitions.valid)(self._labels)

    def detect(self, document: Document) -> Detection:
        """One note."""
        return self._detect([document])[0]

    def detect_many(self, documents: Iterable[Document]) -> Generator[Detection]:
        """Many notes in order, the same spans as one by one.

        Windows of several go in one batch, unless every network takes one at a time: then no note
        waits for the next.
        """
        if all(member.alone for member in self._members):
            yield from map(self.detect, documents)
            return
        for some in _chunks(documents):
            yield from self._detect(some)

    def _detect(self, documents: Sequence[Document]) -> list[Detection]:
        texts = [document.text for document in documents]
        short = [text for text in texts if len(text) < LONG]
        notes = zip(*(member.scores(short) for member in self._members), strict=True)
        decided = map(self._decided, short, notes)
        return [next(decided) if len(text) < LONG else self._detect_long(text) for text in texts]

    def _decided(self, text: str, note: Sequence[Scored]) -> Detection:
        decided = self._alone(note[0]) if len(note) == 1 else self._together(note)
        spans, suspects = self._found(text, decided)
        return Detection(tuple(spans), min(each.seen for each in note), tuple(suspects))

    def _found(
        self, text: str, decided: Decided, begin: int = 0, end: int | None = None
    ) -> tuple[Iterable[Span], Iterable[Suspect]]:
        """The spans that count, and the suspects, in the characters that were decided."""
        units, tags, shares = decided
        spans = spans_of(text, tags, units, shares, self._labels, SOURCE, self._scales.of)
        suspects: tuple[Suspect, ...] = ()
        if (least := self._suspects) is not None:
            own = units if not begin else Units(units.starts - begin, units.ends - begin)
            suspects = suspects_of(
                text[begin:end], own, shares, self._labels, self._scales, least, begin=begin
            )
        return filter(self._counts, spans), suspects

    def _detect_long(self, text: str) -> Detection:
        """The same in memory that grows with what is found only (`align/portions.py`, `passages.py`)."""
        portions = portions_of(text, at_spaces=all(each.at_spaces for each in self._members))
        ahead = AHEAD
        while True:
            spans: list[Span] = []
            suspects: list[Suspect] = []
            decided = self._in_portions(text, portions, ahead)
            try:
                for begin, end, some in between_spans(portions, decided, self._labels.outside):
                    more, doubtful = self._found(text, some, begin, end)
                    spans.extend(more)
                    suspects.extend(doubtful)
            except MisjudgedError as error:
                ahead = len(text) * PIECES if error.hopeless else ahead * MORE
            else:
                return Detection(tuple(spans), len(text), tuple(suspects))

    def _in_portions(self, text: str, portions: Sequence[Portion], ahead: int) -> Iterator[Decided]:
        notes = [
            (member.scores_in_portions(text, portions), member.transitions)
            for member in self._members
        ]
        if len(notes) == 1:
            return long_notes.alone(*notes[0], self._labels, ahead)
        return long_notes.together(notes, self._common, self._labels, self._weights, ahead)

    def _counts(self, span: Span) -> bool:
        return span.score >= self._thresholds.get(span.type, 0.0)

    def _alone(self, note: Scored) -> Decided:
        return Decided(note.units, *decoded(note.scores, self._members[0].transitions))

    def _together(self, note: Sequence[Scored]) -> Decided:
        """The mean of the members' probabilities, where their pieces meet."""
        opinions = [
            shares_of(each.scores, member.transitions)
            for each, member in zip(note, self._members, strict=True)
        ]
        common = common_units([each.units for each in note])
        shares = common.mean(opinions, self._labels, self._weights)
        return Decided(common.units, viterbi(np.log(shares + TINY), self._common), shares)


def _chunks(documents: Iterable[Document]) -> Iterator[list[Document]]:
    some: list[Document] = []
    size = 0
    for document in documents:
        some.append(document)
        size += len(document.text)
        if len(some) == NOTES_AT_ONCE or size >= CHARACTERS_AT_ONCE:
            yield some
            some, size = [], 0
    if some:
        yield some
