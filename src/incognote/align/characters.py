"""What is known of each character of a note, asked once for each that occurs in it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

Codes = npt.NDArray[np.uint32]


def codes_of(text: str) -> Codes:
    """Its code points."""
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")


def each(codes: Codes, known: Callable[[int], int]) -> npt.NDArray[Any]:
    """What is known of each, a small number."""
    size = int(codes.max(initial=0)) + 1
    occurs = np.zeros(size, bool)
    occurs[codes] = True
    distinct = np.flatnonzero(occurs)
    table = np.empty(size, np.int8)
    table[distinct] = [known(code) for code in distinct.tolist()]
    return table[codes]
