"""A trained model as a detector: a model folder, run without torch.

A long note is decided portion by portion (`model_portions.py`).
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Sequence
from copy import copy
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from incognote.align.decode import Transitions, common_tokens, decoded, shares_of, viterbi
from incognote.align.long_notes import AHEAD, LONG, MisjudgedError, Portion, portions_of
from incognote.align.tags import Labels, spans_of
from incognote.align.tokens import TokenOffsets
from incognote.base.chunks import chunks
from incognote.base.errors import AlignError, ModelError
from incognote.detect.detector import Detection
from incognote.detect.model_member import TINY, DecidedTokens, MemberNetwork, ScoredTokens
from incognote.detect.model_portions import between_spans, decide_by_one, decide_by_several
from incognote.detect.uncertain import FLOOR, Scales, UncertainWord, uncertain_words
from incognote.document import Document, Span
from incognote.onnx.model_folder import SPEEDS, read_model

SOURCE = "model"
NOTES_AT_ONCE = 128
CHARACTERS_AT_ONCE = 20_000
"""Enough that short notes find others of their length; long ones gain nothing by company."""

LOOK_AHEAD_FACTOR = 16
"""How many times as far is looked ahead in a long note where it was not enough."""

MOST_TOKENS_PER_CHARACTER = 4
"""No character has more tokens than this."""


class ModelDetector:
    """The spans that a model folder's networks mark, each score a mean probability.

    `speed` names one of the model's variants; `threads` share the work on one note and change
    nothing in the result; `uncertain` asks for the words that may be more, from a probability on.
    """

    def __init__(
        self,
        folder: str | Path,
        *,
        speed: str | None = None,
        threads: int = 1,
        uncertain: float | None = None,
    ) -> None:
        folder = Path(folder)
        model = read_model(folder)
        variant = model.variant(speed)
        try:
            self._labels = Labels(model.labels)
        except AlignError as error:
            raise ModelError(f"{folder}: {error}") from None
        self._description = {"speed": speed or SPEEDS[0], "members": list(variant.members)}
        self._thresholds = variant.thresholds
        self._scales = Scales(variant.scales)
        self._uncertain = uncertain
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

    def consider(self, document: Document) -> tuple[Detection, tuple[Span, ...]]:
        """One note with every word that may be more, and the spans below their types' thresholds."""
        freely = copy(self)
        freely._thresholds = {}
        freely._uncertain = min(FLOOR, FLOOR if self._uncertain is None else self._uncertain)
        found = freely.detect(document)
        counting = tuple(filter(self._counts, found.spans))
        short = tuple(span for span in found.spans if not self._counts(span))
        return replace(found, spans=counting), short

    def describe(self) -> dict[str, Any]:
        """Which networks read a note, and from which score on their spans count, by type."""
        return {**self._description, "thresholds": dict(self._thresholds)}

    def detect_many(self, documents: Iterable[Document]) -> Generator[Detection]:
        """Many notes in order, the same spans as one by one.

        Windows of several go in one batch, unless every network takes one at a time: then no note
        waits for the next.
        """
        if all(member.alone for member in self._members):
            yield from map(self.detect, documents)
            return
        for some in chunks(documents, NOTES_AT_ONCE, size_of=_length, enough=CHARACTERS_AT_ONCE):
            yield from self._detect(some)

    def _detect(self, documents: Sequence[Document]) -> list[Detection]:
        texts = [document.text for document in documents]
        short = [text for text in texts if len(text) < LONG]
        notes = zip(*(member.scores(short) for member in self._members), strict=True)
        decided = map(self._decide, short, notes)
        return [next(decided) if len(text) < LONG else self._detect_long(text) for text in texts]

    def _decide(self, text: str, note: Sequence[ScoredTokens]) -> Detection:
        decided = self._decide_by_one(note[0]) if len(note) == 1 else self._decide_by_several(note)
        spans, uncertain = self._spans_and_words(text, decided)
        return Detection(tuple(spans), min(each.read_characters for each in note), tuple(uncertain))

    def _spans_and_words(
        self, text: str, decided: DecidedTokens, begin: int = 0, end: int | None = None
    ) -> tuple[Iterable[Span], Iterable[UncertainWord]]:
        """The spans that count, and the uncertain words, in the characters that were decided."""
        offsets, tags, shares = decided
        spans = spans_of(text, tags, offsets, shares, self._labels, SOURCE, self._scales.of)
        uncertain: tuple[UncertainWord, ...] = ()
        if (least := self._uncertain) is not None:
            own = (
                offsets if not begin else TokenOffsets(offsets.starts - begin, offsets.ends - begin)
            )
            uncertain = uncertain_words(
                text[begin:end], own, shares, self._labels, self._scales, least, begin=begin
            )
        return filter(self._counts, spans), uncertain

    def _detect_long(self, text: str) -> Detection:
        """The same in memory that grows with what is found only (`align/long_notes.py`)."""
        portions = portions_of(text, at_spaces=all(each.at_spaces for each in self._members))
        ahead = AHEAD
        while True:
            spans: list[Span] = []
            uncertain: list[UncertainWord] = []
            decided = self._in_portions(text, portions, ahead)
            try:
                for begin, end, some in between_spans(portions, decided, self._labels.outside):
                    more, doubtful = self._spans_and_words(text, some, begin, end)
                    spans.extend(more)
                    uncertain.extend(doubtful)
            except MisjudgedError as error:
                ahead = (
                    len(text) * MOST_TOKENS_PER_CHARACTER
                    if error.hopeless
                    else ahead * LOOK_AHEAD_FACTOR
                )
            else:
                return Detection(tuple(spans), len(text), tuple(uncertain))

    def _in_portions(
        self, text: str, portions: Sequence[Portion], ahead: int
    ) -> Iterator[DecidedTokens]:
        notes = [
            (member.scores_in_portions(text, portions), member.transitions)
            for member in self._members
        ]
        if len(notes) == 1:
            return decide_by_one(*notes[0], self._labels, ahead)
        return decide_by_several(notes, self._common, self._labels, self._weights, ahead)

    def _counts(self, span: Span) -> bool:
        return span.score >= self._thresholds.get(span.type, 0.0)

    def _decide_by_one(self, note: ScoredTokens) -> DecidedTokens:
        return DecidedTokens(note.offsets, *decoded(note.scores, self._members[0].transitions))

    def _decide_by_several(self, note: Sequence[ScoredTokens]) -> DecidedTokens:
        """The mean of the members' probabilities, where their tokens meet."""
        opinions = [
            shares_of(each.scores, member.transitions)
            for each, member in zip(note, self._members, strict=True)
        ]
        common = common_tokens([each.offsets for each in note])
        shares = common.mean(opinions, self._labels, self._weights)
        return DecidedTokens(common.offsets, viterbi(np.log(shares + TINY), self._common), shares)


def _length(document: Document) -> int:
    return len(document.text)
