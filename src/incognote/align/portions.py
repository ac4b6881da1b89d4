"""A long note read in portions, so that memory stays small: the units and windows of the whole note.

A portion ends after white space, where no unit, word or tokenizer's part goes on; the next begins with
a letter or digit. The portions are read twice: windows spread evenly over a note, so its units are
counted first.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from incognote.align.joining import Joined
from incognote.align.memory import Read
from incognote.align.pieces import part_begins
from incognote.align.reading import NoteReader, Windowed
from incognote.align.shapes import gap_within
from incognote.align.units import Integers
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
    while found := _EDGE.search(text, (cuts[-1] if cuts else 0) + PORTION):
        cuts.append(found.end())
    return cuts


def _parted(text: str, at: int) -> bool:
    return text[at - 1].isspace() and not text[at].isspace()


def _gap_before(text: str, begin: int, end: int) -> int:
    """The white space at the end of a portion."""
    portion = text[begin:end]
    return gap_within(portion[len(portion.rstrip()) :])


class LongReading:
    """A long note as one network reads it, a few windows at a time.

    `waiting` has the portions read up to now that nobody has taken away from it.
    """

    def __init__(self, reader: NoteReader, text: str, portions: Sequence[Portion]) -> None:
        self._reader = reader
        self._text = text
        self._portions = portions
        count = sum(len(self._read(portion)[0].ids) for portion in portions)
        self.windows = windows(count, reader.window, reader.overlap)
        self.waiting: deque[tuple[Portion, Joined]] = deque()

    def _read(self, portion: Portion) -> Read:
        return self._reader.read_portion(
            portion.of(self._text), portion.parts, portion.before, portion.after
        )

    def some(self, most: int) -> Iterator[Windowed]:
        """At most so many windows, then the next, each time with the units that these need."""
        over, left = self.windows, iter(self._portions)
        rows = _Rows()
        for first in range(0, len(over), most):
            last = min(first + most, len(over))
            start, end = int(over.starts[first]), int(over.ends[last - 1])
            rows.forget(start)
            while rows.end < end:
                rows.add(*self._read_on(next(left)))
            near = Windows(
                end - start,
                over.starts[first:last] - start,
                over.ends[first:last] - start,
                over.owned[first : last + 1] - start,
            )
            yield Windowed(*rows.up_to(end), near, self._reader.frame)
        for portion in left:  # of white space alone
            self._read_on(portion)

    def _read_on(self, portion: Portion) -> Read:
        read = self._read(portion)
        self.waiting.append((portion, read[0]))
        return read


class _Rows:
    """What a network takes of some units, from `start` up to `end`."""

    def __init__(self) -> None:
        self.start = self.end = 0
        self._tables: tuple[Integers | None, ...] = ()

    def forget(self, start: int) -> None:
        """What is before this unit."""
        self._tables = tuple(
            table if table is None else table[start - self.start :] for table in self._tables
        )
        self.start = start

    def add(self, read: Joined, shapes: Integers | None) -> None:
        """The units that follow."""
        more = (read.ids, shapes, read.others)
        self._tables = tuple(map(_joined, self._tables, more)) if self._tables else more
        self.end += len(read.ids)

    def up_to(self, end: int) -> tuple[Integers, Integers | None, Integers | None]:
        """Ids, shapes and other pieces."""
        ids, shapes, others = (
            table if table is None else table[: end - self.start] for table in self._tables
        )
        if ids is None:
            raise AlignError("windows over no units")
        return ids, shapes, others


def _joined(one: Integers | None, other: Integers | None) -> Integers | None:
    return None if one is None or other is None else np.concatenate((one, other))
