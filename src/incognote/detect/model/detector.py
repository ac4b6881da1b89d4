"""ModelDetector: spans from a model folder."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np

from incognote.align.decode import Scores, Transitions, decoded, shares_of, viterbi
from incognote.align.findings import spans_of
from incognote.align.refine import common_units
from incognote.align.tags import Labels
from incognote.align.units import AlignError, Integers, Units
from incognote.detect.detector import Detection
from incognote.detect.model.member import MemberNetwork, Scored
from incognote.detect.suspects import Scales, Suspect, suspects_of
from incognote.document import Document, Span
from incognote.onnx.errors import ModelError
from incognote.onnx.model_folder import read_model

SOURCE = "model"
NOTES_AT_ONCE = 128
CHARACTERS_AT_ONCE = 20_000
"""Enough that short notes find others of their length; long ones gain nothing by company."""

_TINY = 1e-12


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
        self._valid = Transitions.valid(self._labels)
        self._thresholds = variant.thresholds
        self._scales = Scales(variant.scales)
        self._suspects = suspects
        self._weights = variant.weights
        self._members = [
            MemberNetwork(folder, model.members[name], self._labels, threads=threads)
            for name in variant.members
        ]

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
        notes = zip(*(member.scores(texts) for member in self._members), strict=True)
        return [self._decided(text, note) for text, note in zip(texts, notes, strict=True)]

    def _decided(self, text: str, note: Sequence[Scored]) -> Detection:
        units, tags, shares = self._alone(note[0]) if len(note) == 1 else self._together(note)
        scaled = self._scales.of
        spans = spans_of(text, tags, units, shares, self._labels, SOURCE, scaled)
        suspects: tuple[Suspect, ...] = ()
        if (least := self._suspects) is not None:
            suspects = suspects_of(text, units, shares, self._labels, self._scales, least)
        return Detection(
            tuple(span for span in spans if self._counts(span)),
            min(each.seen for each in note),
            suspects,
        )

    def _counts(self, span: Span) -> bool:
        return span.score >= self._thresholds.get(span.type, 0.0)

    def _alone(self, note: Scored) -> tuple[Units, Integers, Scores]:
        tags, shares = decoded(note.scores, self._members[0].transitions)
        return note.reading.units, tags, shares

    def _together(self, note: Sequence[Scored]) -> tuple[Units, Integers, Scores]:
        """The mean of the members' probabilities, where their pieces meet."""
        opinions = [
            shares_of(each.scores, member.transitions)
            for each, member in zip(note, self._members, strict=True)
        ]
        common = common_units([each.reading.units for each in note])
        shares = common.mean(opinions, self._labels, self._weights)
        return common.units, viterbi(np.log(shares + _TINY), self._valid), shares


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
