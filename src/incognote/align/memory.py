"""What stands between white space is read once, and remembered for the notes that follow.

Notes repeat themselves: most of their words have been read before. A tokenizer that parts text at white
space reads each stretch between by itself, and so do the joining of pieces and all shapes but the
space around. So what a stretch gives is the same wherever it stands.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Sequence

import numpy as np

from incognote.align.characters import codes_of
from incognote.align.joining import OTHERS, Joined, alone
from incognote.align.pieces import Pieces
from incognote.align.shapes import AFTER, BEFORE, FEATURES, NO_SHAPE, graded
from incognote.align.units import Flags, Integers, Units, spaces

STRETCHES, ROWS = 50_000, 150_000
"""How much is remembered; when there is more, all is forgotten."""

LONGEST = ROWS // 3
"""Characters of a text that surely finds room: none of them is more than three pieces."""

REMOVED_SPACE = re.compile("[\x0b\x0c\x1c-\x1f\x85]")
"""White space that a BERT tokenizer leaves out, joining what stands on both sides of it."""

LINE_ENDS = (0x0A, 0x2028, 0x2029)

Read = tuple[Joined, Integers | None]
"""The units of a text, and their shapes if these are asked for."""


class _Known:
    """Stretches by number, and the units of each, one after the other.

    `places` [units, 3] are a unit's start, its end and the end of what is given of it, counted from the
    beginning of its stretch; `edges` [units, 2], whether it is at the stretch's beginning and end.
    Rows are only ever added, and a stretch is named after its rows are there: who reads needs no lock.
    """

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}
        self.first = np.zeros(STRETCHES + 1, np.int64)
        self.ids = np.empty(ROWS, np.int32)
        self.others = np.empty((ROWS, OTHERS), np.int32)
        self.shapes = np.empty((ROWS, len(FEATURES)), np.int8)
        self.places = np.empty((ROWS, 3), np.int32)
        self.edges = np.empty((ROWS, 2), bool)

    def add(self, stretches: Sequence[str], read: Read) -> bool:
        """Remember what was read, a stretch to the line; False if there is no room."""
        (joined, shapes), begin = read, len(self.numbers)
        used, count = int(self.first[begin]), len(joined.ids)
        if begin + len(stretches) > STRETCHES or used + count > ROWS:
            return False
        rows = slice(used, used + count)
        sizes = np.array([len(each) for each in stretches])
        lines = np.cumsum(sizes + 1) - sizes - 1
        units = joined.units
        whose = np.searchsorted(lines, units.starts, "right") - 1
        places = np.stack((units.starts, units.ends, joined.given.ends), axis=1)
        self.places[rows] = places - lines[whose, None]
        self.edges[rows, 0] = self.places[rows, 0] == 0
        self.edges[rows, 1] = self.places[rows, 2] == sizes[whose]
        self.ids[rows] = joined.ids
        if joined.others is not None:
            self.others[rows] = joined.others
        if shapes is not None:
            self.shapes[rows] = shapes
        numbers = range(begin, begin + len(stretches))
        self.first[begin + 1 : begin + 1 + len(stretches)] = used + np.cumsum(
            np.bincount(whose, minlength=len(stretches))
        )
        self.numbers.update(zip(stretches, numbers, strict=True))
        return True


class Memory:
    """Reads notes stretch by stretch; `read` reads what is new."""

    def __init__(self, read: Callable[[str], Read], *, join: bool, shape: bool) -> None:
        self._read = read
        self._join, self._shape = join, shape
        self._lock = threading.Lock()
        self._known = _Known()

    def read(self, text: str) -> Read:
        """The same as `read` of the whole text."""
        stretches = text.split()
        if not stretches or len(text) > LONGEST or REMOVED_SPACE.search(text):
            return self._read(text)
        known = self._known
        numbers = list(map(known.numbers.get, stretches))
        if None in numbers:
            known = self._learned(stretches)
            numbers = list(map(known.numbers.get, stretches))
        return self._put_together(text, np.array(numbers, np.int64), known)

    def _learned(self, stretches: Sequence[str]) -> _Known:
        """What is known, these stretches too."""
        distinct = dict.fromkeys(stretches)
        with self._lock:
            known = self._known
            new = [each for each in distinct if each not in known.numbers]
            if new and not known.add(new, self._read("\n".join(new))):
                known, new = _Known(), list(distinct)
                known.add(new, self._read("\n".join(new)))
            self._known = known
            return known

    def _put_together(self, text: str, numbers: Integers, known: _Known) -> Read:
        """A note from the units of its stretches."""
        edges = np.diff(np.concatenate(([True], spaces(text), [True])).astype(np.int8))
        starts, ends = np.flatnonzero(edges == -1), np.flatnonzero(edges == 1)
        first = known.first[numbers]
        count = known.first[numbers + 1] - first
        rows = np.arange(count.sum()) + np.repeat(first - np.cumsum(count) + count, count)
        begin, end, given = (known.places[rows] + np.repeat(starts, count)[:, None]).T.copy()
        ids, units = known.ids[rows].astype(np.int64), Units(begin, end)
        joined = alone(Pieces(ids, units, 0))
        if self._join:
            joined = Joined(ids, known.others[rows].astype(np.int64), units, Units(begin, given))
        if not self._shape:
            return joined, None
        shapes, at = known.shapes[rows].astype(np.int64), known.edges[rows]
        gaps = _gaps(text, starts, ends)
        for column, gap, there in ((BEFORE, gaps[:-1], at[:, 0]), (AFTER, gaps[1:], at[:, 1])):
            shapes[there, column] = np.repeat(gap, count)[there] + NO_SHAPE[column]
        return joined, shapes


def _gaps(text: str, starts: Integers, ends: Integers) -> Integers:
    """The white space before each stretch and after the last one, as a shape has it."""
    begin, end = np.concatenate(([0], ends)), np.append(starts, len(text))
    lines = np.zeros(len(text) + 1, np.int64)
    np.cumsum(np.isin(codes_of(text), LINE_ENDS), out=lines[1:])
    edge: Flags = np.zeros(len(begin), bool)
    edge[[0, -1]] = True
    return graded(lines[end] - lines[begin], end - begin, edge)
