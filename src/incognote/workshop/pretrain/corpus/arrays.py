"""Arrays end to end, where each of them begins, and many slices at once."""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np
import numpy.typing as npt

from incognote.align.tokens import Integers


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


def join(parts: deque[Any], kind: Any) -> npt.NDArray[Any]:
    """The arrays end to end, as one of this kind, without both in memory: each is let go of when it was copied.

    >>> join(deque([np.array([1, 2]), np.array([3])]), np.int32)
    array([1, 2, 3], dtype=int32)
    """
    whole: npt.NDArray[Any] = np.empty(sum(map(len, parts)), kind)
    place = 0
    while parts:
        part = parts.popleft()
        whole[place : place + len(part)] = part
        place += len(part)
    return whole
