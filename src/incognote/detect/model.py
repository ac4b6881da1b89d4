"""A trained model as a detector: a model folder, run without torch.

A long note is decided portion by portion, the same as at once.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Sequence
from itertools import tee
from pathlib import Path
from typing import NamedTuple

import numpy as np

from incognote.align.decode import (
    Transitions,
    common_tokens,
    decoded,
    probabilities,
    shares_of,
    viterbi,
)
from incognote.align.long_notes import AHEAD, LONG, MisjudgedError, Portion, passages, portions_of
from incognote.align.tags import Labels, spans_of
from incognote.align.tokens import Integers, Scores, TokenOffsets
from incognote.base.errors import AlignError, ModelError
from incognote.detect.detector import Detection
from incognote.detect.model_member import MemberNetwork, Scored
from incognote.detect.uncertain import Scales, UncertainWord, uncertain_words
from incognote.document import Document, Span
from incognote.onnx.model_folder import read_model

SOURCE = "model"
NOTES_AT_ONCE = 128
CHARACTERS_AT_ONCE = 20_000
"""Enough that short notes find others of their length; long ones gain nothing by company."""

MORE = 16
"""How many times as far is looked ahead in a long note where it was not enough."""

PIECES = 4
"""More tokens than a character has."""


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
        spans, uncertain = self._found(text, decided)
        return Detection(tuple(spans), min(each.seen for each in note), tuple(uncertain))

    def _found(
        self, text: str, decided: Decided, begin: int = 0, end: int | None = None
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
                    more, doubtful = self._found(text, some, begin, end)
                    spans.extend(more)
                    uncertain.extend(doubtful)
            except MisjudgedError as error:
                ahead = len(text) * PIECES if error.hopeless else ahead * MORE
            else:
                return Detection(tuple(spans), len(text), tuple(uncertain))

    def _in_portions(self, text: str, portions: Sequence[Portion], ahead: int) -> Iterator[Decided]:
        notes = [
            (member.scores_in_portions(text, portions), member.transitions)
            for member in self._members
        ]
        if len(notes) == 1:
            return _alone_in_portions(*notes[0], self._labels, ahead)
        return _together_in_portions(notes, self._common, self._labels, self._weights, ahead)

    def _counts(self, span: Span) -> bool:
        return span.score >= self._thresholds.get(span.type, 0.0)

    def _alone(self, note: Scored) -> Decided:
        return Decided(note.offsets, *decoded(note.scores, self._members[0].transitions))

    def _together(self, note: Sequence[Scored]) -> Decided:
        """The mean of the members' probabilities, where their tokens meet."""
        opinions = [
            shares_of(each.scores, member.transitions)
            for each, member in zip(note, self._members, strict=True)
        ]
        common = common_tokens([each.offsets for each in note])
        shares = common.mean(opinions, self._labels, self._weights)
        return Decided(common.offsets, viterbi(np.log(shares + TINY), self._common), shares)


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


# A long note, decided portion by portion

TINY = 1e-12
"""What a probability is at least where its logarithm is taken."""


class Decided(NamedTuple):
    """Tokens, the tag of each, and how likely each label is there, [tokens, labels]."""

    offsets: TokenOffsets
    tags: Integers
    shares: Scores


def _alone_in_portions(
    portions: Iterator[Scored], transitions: Transitions, labels: Labels, ahead: int
) -> Iterator[Decided]:
    """What one network says of each portion."""
    portions, scored = tee(portions)
    scores = (each.scores for each in scored)
    for passage in passages(scores, transitions, labels.outside, ahead):
        tags, shares = decoded(passage.scores, passage.transitions, passage.usual)
        for own, likely in zip(passage.each(tags), passage.each(shares), strict=True):
            yield Decided(next(portions).offsets, own, likely)


def _together_in_portions(
    members: Sequence[tuple[Iterator[Scored], Transitions]],
    common: Transitions,
    labels: Labels,
    weights: Sequence[float],
    ahead: int,
) -> Iterator[Decided]:
    """What several say of it: the mean of their probabilities, where their tokens meet."""
    opinions = (_opinions(*member, labels.outside, ahead) for member in members)
    means, pooled = tee(_means(zip(*opinions, strict=True), labels, weights))
    scores = (np.log(shares + TINY) for _, shares in pooled)
    for passage in passages(scores, common, labels.outside, ahead):
        for tags in passage.each(viterbi(passage.scores, passage.transitions)):
            offsets, shares = next(means)
            yield Decided(offsets, tags, shares)


def _opinions(
    portions: Iterator[Scored], transitions: Transitions, outside: int, ahead: int
) -> Iterator[tuple[TokenOffsets, Scores]]:
    """How likely one network holds each label."""
    if transitions.free:
        yield from ((each.offsets, probabilities(each.scores)) for each in portions)
        return
    portions, scored = tee(portions)
    for passage in passages((each.scores for each in scored), transitions, outside, ahead):
        shares = shares_of(passage.scores, passage.transitions, passage.usual)
        for likely in passage.each(shares):
            yield next(portions).offsets, likely


def _means(
    portions: Iterable[tuple[tuple[TokenOffsets, Scores], ...]],
    labels: Labels,
    weights: Sequence[float],
) -> Iterator[tuple[TokenOffsets, Scores]]:
    for opinions in portions:
        common = common_tokens([offsets for offsets, _ in opinions])
        yield common.offsets, common.mean([shares for _, shares in opinions], labels, weights)


def between_spans(
    portions: Iterable[Portion], decided: Iterable[Decided], outside: int
) -> Iterator[tuple[int, int, Decided]]:
    """Portions put _together_in_portions where a span may go on from one to the next; places are the note's."""
    some: list[Decided] = []
    begin = 0
    for portion, (offsets, tags, shares) in zip(portions, decided, strict=True):
        if not some:
            begin = portion.begin
        placed = TokenOffsets(offsets.starts + portion.begin, offsets.ends + portion.begin)
        some.append(Decided(placed, tags, shares))
        solid = offsets.solid
        if len(solid) and tags[solid[-1]] == outside:
            yield begin, portion.end, _joined(some)
            some = []
    if some:
        yield begin, portion.end, _joined(some)


def _joined(some: Sequence[Decided]) -> Decided:
    return Decided(
        TokenOffsets(
            np.concatenate([each.offsets.starts for each in some]),
            np.concatenate([each.offsets.ends for each in some]),
        ),
        np.concatenate([each.tags for each in some]),
        np.concatenate([each.shares for each in some]),
    )
