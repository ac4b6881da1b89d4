"""A long note decoded as its scores come, passage by passage, the same as at once.

A passage ends where O is sure: what follows does not matter for it, nor it for what follows. Whether
O is sure depends on what follows too, since whoever leaves O may stay away for long. That is told
from the units ahead, and every later one is held against it. Should it prove wrong, `MisjudgedError` is
raised, and whoever asked begins anew with more units ahead; with all of them, nothing can be wrong.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple, TypeVar

import numpy as np

from incognote.align.certain import FAR, MARGIN, Certainty, Told
from incognote.align.decode import Scores, Transitions, Usual, check_finite
from incognote.align.units import Flags, Integers

AHEAD = 8_192
"""Units that are looked at beyond the end of a passage, which has about as many itself, or more where
O is not sure at the end of any portion.
"""

Of = TypeVar("Of", Scores, Integers)


class MisjudgedError(Exception):
    """A passage was not decided as the whole note would have it.

    hopeless: nor will it be with more units ahead, unless they are all.
    """

    def __init__(self, *, hopeless: bool = False) -> None:
        super().__init__()
        self.hopeless = hopeless


class Passage(NamedTuple):
    """Scores of several portions, how many units each has, and what they are decoded with."""

    scores: Scores
    sizes: list[int]
    transitions: Transitions
    usual: Usual | None

    def each(self, decided: Of) -> list[Of]:
        """What was decided for each unit, portion by portion."""
        return np.split(decided, np.cumsum(self.sizes)[:-1])


def passages(
    portions: Iterable[Scores], transitions: Transitions, outside: int, ahead: int = AHEAD
) -> Iterator[Passage]:
    """The scores of a note's portions, put together up to where O is sure at the end of one."""
    course = _Course(transitions, outside)
    waiting: list[Scores] = []
    size, enough = 0, 2 * ahead
    for portion in portions:
        check_finite(portion)
        course.count(portion)
        waiting.append(portion)
        size += len(portion)
        if size < enough:
            continue
        passage = course.cut(waiting, size - ahead)
        if passage is None:
            enough = 2 * size
            continue
        waiting = waiting[len(passage.sizes) :]
        size -= len(passage.scores)
        enough = 2 * ahead
        yield passage
    if waiting:
        yield course.rest(waiting)


class _Course:
    """What is known of a note up to the end of its last passage.

    before: what a path comes to by staying away from O up to there, None where nothing is before.
    most: what it may come to at most anywhere later, or something was misjudged.
    """

    def __init__(self, transitions: Transitions, outside: int) -> None:
        self._transitions = transitions
        self._outside = outside
        self._certainty = transitions.certainty(outside)
        self._margin = MARGIN if transitions.free else FAR
        self._before: float | None = None
        self._most = np.inf
        self._highest = np.zeros(len(transitions.start), np.int64)

    def count(self, portion: Scores) -> None:
        """How often each label is the highest: what is decoded with a CRF depends on it."""
        if not self._transitions.free and len(portion):
            self._highest += np.bincount(portion.argmax(axis=1), minlength=len(self._highest))

    def cut(self, waiting: list[Scores], up_to: int) -> Passage | None:
        """The longest passage of at most so many units; None if O is not sure where one could end."""
        if self._certainty is None:
            return None
        scores = np.concatenate(waiting)
        sure, stayed = self._told(self._certainty, scores)
        ends = np.cumsum(_sizes(waiting))
        possible = np.flatnonzero((ends > 0) & (ends <= up_to) & sure[ends - 1])
        if not len(possible):
            return None
        count = int(possible[-1]) + 1
        end = int(ends[count - 1])
        passage = self._passage(scores[:end], waiting[:count], sure[:end])
        if self._before is None:
            self._transitions = self._transitions.after(self._outside)
        self._before = float(stayed[end - 1])
        self._most = min(self._most, stayed[end:].max())
        return passage

    def rest(self, waiting: list[Scores]) -> Passage:
        """What is left at the end of the note."""
        scores = np.concatenate(waiting)
        if self._before is None or self._certainty is None:
            return Passage(scores, _sizes(waiting), self._transitions, None)
        sure, _ = self._told(self._certainty, scores)
        if not self._transitions.free and self._highest.argmax() != self._outside:
            raise MisjudgedError(hopeless=True)
        return self._passage(scores, waiting, sure)

    def _told(self, certainty: Certainty, scores: Scores) -> Told:
        told = certainty.told(scores, self._margin, self._before)
        if told.stayed.max(initial=-np.inf) > self._most:
            raise MisjudgedError
        return told

    def _passage(self, scores: Scores, waiting: list[Scores], sure: Flags) -> Passage:
        usual = None if self._transitions.free else (self._outside, sure)
        return Passage(scores, _sizes(waiting), self._transitions, usual)


def _sizes(portions: list[Scores]) -> list[int]:
    return [len(portion) for portion in portions]
