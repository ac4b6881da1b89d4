"""Many slices of an array at once."""

from __future__ import annotations

import numpy as np

from incognote.align.units import Integers


def ranges(firsts: Integers, counts: Integers) -> Integers:
    """All numbers of the ranges that begin at `firsts` and are as long as `counts`.

    >>> ranges(np.array([5, 0]), np.array([2, 3])).tolist()
    [5, 6, 0, 1, 2]
    """
    before = np.cumsum(counts) - counts
    numbers: Integers = np.arange(int(counts.sum())) + np.repeat(firsts - before, counts)
    return numbers
