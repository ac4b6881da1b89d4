"""Many slices of an array at once, and where they begin."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from incognote.align.units import Integers


def edges(lengths: npt.ArrayLike) -> Integers:
    """Where things of these lengths begin when laid end to end, and the end.

    >>> edges([2, 3]).tolist()
    [0, 2, 5]
    """
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths, dtype=np.int64)])


def ranges(firsts: Integers, counts: Integers) -> Integers:
    """All numbers of the ranges that begin at `firsts` and are as long as `counts`.

    >>> ranges(np.array([5, 0]), np.array([2, 3])).tolist()
    [5, 6, 0, 1, 2]
    """
    before = np.cumsum(counts) - counts
    numbers: Integers = np.arange(int(counts.sum())) + np.repeat(firsts - before, counts)
    return numbers
