"""Many arrays into one without both in memory."""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np
import numpy.typing as npt


def joined(parts: deque[Any], kind: Any) -> npt.NDArray[Any]:
    """The arrays end to end, as one of this kind; each is let go of when it was copied.

    >>> joined(deque([np.array([1, 2]), np.array([3])]), np.int32)
    array([1, 2, 3], dtype=int32)
    """
    whole: npt.NDArray[Any] = np.empty(sum(map(len, parts)), kind)
    place = 0
    while parts:
        part = parts.popleft()
        whole[place : place + len(part)] = part
        place += len(part)
    return whole
