"""Units: the stretches of a note that carry a tag, be they words or tokenizer pieces."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from incognote.base.errors import AlignError

Integers = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

_AFTER_SPACES = 0x3001
_SPACE = np.array([chr(code).isspace() for code in range(_AFTER_SPACES)] + [False])


@dataclass(frozen=True, eq=False)
class Units:
    """Character offsets of units in reading order: neither starts nor ends ever go back.

    Units may share characters (two byte pieces of one letter) and may be empty (a piece that
    stands for white space only). An empty unit has no characters to cover, so it never decides
    where a span is, and its own place means nothing.
    """

    starts: Integers
    ends: Integers

    def __post_init__(self) -> None:
        starts, ends = self.starts, self.ends
        if starts.ndim != 1 or starts.shape != ends.shape:
            raise AlignError("units need one start and one end each")
        if ((starts < 0) | (ends < starts)).any():
            raise AlignError("a unit ends before it starts, or starts before the note")
        starts, ends = starts[self.solid], ends[self.solid]
        if ((starts[1:] < starts[:-1]) | (ends[1:] < ends[:-1])).any():
            raise AlignError("units must be in reading order")

    @classmethod
    def of(cls, offsets: Sequence[tuple[int, int]]) -> Units:
        """Units from (start, end) pairs, such as `words` gives."""
        table = np.array(offsets, dtype=np.int64).reshape(-1, 2)
        return cls(table[:, 0].copy(), table[:, 1].copy())

    def __len__(self) -> int:
        return len(self.starts)

    @cached_property
    def solid(self) -> Integers:
        """The indices of the units that are not empty."""
        return np.flatnonzero(self.ends > self.starts)


def spaces(text: str) -> Flags:
    """Which characters are white space, as `str.isspace` sees it."""
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")
    flags: Flags = _SPACE[np.minimum(codes, _AFTER_SPACES)]
    return flags


def within(units: Units, length: int) -> Flags:
    """Which of the first `length` characters lie in a unit."""
    edges = np.bincount(units.starts, minlength=length + 1)
    edges = edges - np.bincount(units.ends, minlength=length + 1)
    flags: Flags = np.cumsum(edges)[:length] > 0
    return flags


def in_reading_order(starts: Integers, ends: Integers) -> Units:
    """Units of these offsets, put into reading order by widening only; empty ones stay."""
    solid = ends > starts
    starts, ends = starts.copy(), ends.copy()
    starts[solid] = np.minimum.accumulate(starts[solid][::-1])[::-1]
    ends[solid] = np.maximum.accumulate(ends[solid])
    return Units(starts, ends)
