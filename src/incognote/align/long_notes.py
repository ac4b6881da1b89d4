"""A long note read in portions and decoded as its scores come, the same as at once, so that memory stays small.

A portion ends after white space, where no token, word or tokenizer's part goes on; the next begins with
a letter or digit. The portions are read twice: windows spread evenly over a note, so its tokens are
counted first.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple, TypeVar

import numpy as np

from incognote.align.decode import Transitions, Usual, check_finite
from incognote.align.joined_tokens import JoinedTokens
from incognote.align.note_reader import NoteReader, Read, Windowed
from incognote.align.paths import FAR, MARGIN, Certainty, SurePlaces
from incognote.align.shapes import gap_within
from incognote.align.tokens import Flags, Integers, Scores, part_begins
from incognote.align.windows import Windows, windows
from incognote.base.errors import AlignError

LONG = 50_000
"""Characters from which on a note is read in portions."""

PORTION = 4_000
"""Characters of a portion, or a few more up to white space."""

_EDGE = re.compile(r"[ \n\t\r](?=[^\W_])")


@dataclass(frozen=True, slots=True)
class Portion:
    """The characters of a note from `begin` up to `end`.

    parts: where the tokenizer begins anew in it, counted from its beginning. before, after: the
    white space on both sides as shapes have it, None at the note's beginning and end.
    """

    begin: int
    end: int
    parts: tuple[int, ...]
    before: int | None
    after: int | None

    def of(self, text: str) -> str:
        """Its characters."""
        return text[self.begin : self.end]


def portions_of(text: str, *, at_spaces: bool) -> list[Portion]:
    """The portions of a note; of half a megabyte unless all tokenizers part text at white space."""
    begins = part_begins(text)
    cuts = _cuts(text) if at_spaces else [at for at in begins[1:] if _parted(text, at)]
    inner = sorted(set(begins[1:]).difference(cuts))
    edges = [0, *cuts, len(text)]
    gaps = [None, *(_gap_before(text, *edge) for edge in pairwise(edges[:-1])), None]
    within = np.searchsorted(inner, edges)
    return [
        Portion(begin, end, tuple(at - begin for at in inner[first:last]), before, after)
        for (begin, end), (first, last), (before, after) in zip(
            pairwise(edges), pairwise(within.tolist()), pairwise(gaps), strict=True
        )
    ]


def _cuts(text: str) -> list[int]:
    cuts: list[int] = []
    while edge := _EDGE.search(text, (cuts[-1] if cuts else 0) + PORTION):
        cuts.append(edge.end())
    return cuts


def _parted(text: str, at: int) -> bool:
    return text[at - 1].isspace() and not text[at].isspace()


def _gap_before(text: str, begin: int, end: int) -> int | None:
    """The white space at the end of a portion; None if the note begins with it."""
    portion = text[begin:end]
    solid = len(portion.rstrip())
    return gap_within(portion[solid:]) if solid else None


class LongNote:
    """A long note as one network reads it, a few windows at a time.

    `waiting` has the portions read up to now that nobody has taken away from it.
    """

    def __init__(self, reader: NoteReader, text: str, portions: Sequence[Portion]) -> None:
        self._reader = reader
        self._text = text
        self._portions = portions
        count = sum(len(self._read(portion)[0].ids) for portion in portions)
        self.windows = windows(count, reader.window, reader.overlap)
        self.waiting: deque[tuple[Portion, JoinedTokens]] = deque()

    def _read(self, portion: Portion) -> Read:
        return self._reader.read_portion(
            portion.of(self._text), portion.parts, portion.before, portion.after
        )

    def some(self, most: int) -> Iterator[Windowed]:
        """At most so many windows, then the next, each time with the tokens that these need."""
        over, portions = self.windows, iter(self._portions)
        rows = _Rows()
        for first in range(0, len(over), most):
            last = min(first + most, len(over))
            start, end = int(over.starts[first]), int(over.ends[last - 1])
            rows.forget(start)
            while rows.end < end:
                rows.add(*self._read_on(next(portions)))
            near = Windows(
                end - start,
                over.starts[first:last] - start,
                over.ends[first:last] - start,
                over.owned[first : last + 1] - start,
            )
            yield Windowed(*rows.up_to(end), near, self._reader.frame)
        for portion in portions:  # of white space alone
            self._read_on(portion)

    def _read_on(self, portion: Portion) -> Read:
        read = self._read(portion)
        self.waiting.append((portion, read[0]))
        return read


class _Rows:
    """What a network takes of some tokens, from `start` up to `end`."""

    def __init__(self) -> None:
        self.start = self.end = 0
        self._tables: tuple[Integers | None, ...] = ()

    def forget(self, start: int) -> None:
        """What is before this token."""
        self._tables = tuple(
            table if table is None else table[start - self.start :] for table in self._tables
        )
        self.start = start

    def add(self, read: JoinedTokens, shapes: Integers | None) -> None:
        """The tokens that follow."""
        more = (read.ids, shapes, read.others)
        self._tables = tuple(map(_append, self._tables, more)) if self._tables else more
        self.end += len(read.ids)

    def up_to(self, end: int) -> tuple[Integers, Integers | None, Integers | None]:
        """Ids, shapes and other tokens."""
        ids, shapes, others = (
            table if table is None else table[: end - self.start] for table in self._tables
        )
        if ids is None:
            raise AlignError("windows over no tokens")
        return ids, shapes, others


def _append(one: Integers | None, other: Integers | None) -> Integers | None:
    return None if one is None or other is None else np.concatenate((one, other))


# Decoding, passage by passage.
#
# A passage ends where O is sure: what follows does not matter for it, nor it for what follows. Whether
# O is sure depends on what follows too, since whoever leaves O may stay away for long. That is told
# from the tokens ahead, and every later one is held against it. Should it prove wrong, `MisjudgedError`
# is raised, and whoever asked begins anew with more tokens ahead; with all of them, nothing can be wrong.

AHEAD = 8_192
"""Tokens that are looked at beyond the end of a passage, which has about as many itself, or more where
O is not sure at the end of any portion.
"""

Of = TypeVar("Of", Scores, Integers)


class MisjudgedError(Exception):
    """A passage was not decided as the whole note would have it.

    hopeless: nor will it be with more tokens ahead, unless they are all.
    """

    def __init__(self, *, hopeless: bool = False) -> None:
        super().__init__()
        self.hopeless = hopeless


class Passage(NamedTuple):
    """Scores of several portions, how many tokens each has, and what they are decoded with."""

    scores: Scores
    sizes: list[int]
    transitions: Transitions
    usual: Usual | None

    def each(self, decided: Of) -> list[Of]:
        """What was decided for each token, portion by portion."""
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
        passage = course.cut_off(waiting, size - ahead)
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

    def cut_off(self, waiting: list[Scores], up_to: int) -> Passage | None:
        """The longest passage of at most so many tokens; None if O is not sure where one could end."""
        if self._certainty is None:
            return None
        scores = np.concatenate(waiting)
        sure, stayed = self._sure_places(self._certainty, scores)
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
        sure, _ = self._sure_places(self._certainty, scores)
        if not self._transitions.free and self._highest.argmax() != self._outside:
            raise MisjudgedError(hopeless=True)
        return self._passage(scores, waiting, sure)

    def _sure_places(self, certainty: Certainty, scores: Scores) -> SurePlaces:
        sure_places = certainty.sure_places(scores, self._margin, self._before)
        if sure_places.stayed.max(initial=-np.inf) > self._most:
            raise MisjudgedError
        return sure_places

    def _passage(self, scores: Scores, waiting: list[Scores], sure: Flags) -> Passage:
        usual = None if self._transitions.free else (self._outside, sure)
        return Passage(scores, _sizes(waiting), self._transitions, usual)


def _sizes(portions: list[Scores]) -> list[int]:
    return [len(portion) for portion in portions]
