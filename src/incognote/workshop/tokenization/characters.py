"""ELMo's input: each word as the bytes it is written with."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

PER_WORD = 50
"""Places for a word's bytes and its two marks; the bytes beyond are not seen, as published."""

BEGIN_SENTENCE, END_SENTENCE, BEGIN_WORD, END_WORD, PADDING = range(257, 262)
"""After the 256 bytes, and one more for all, for 0 stands where there is no word."""


def character_ids(words: Sequence[str], *, boundaries: bool = True) -> npt.NDArray[np.int64]:
    """The rows of one sentence, [words, 50], between the rows of its two boundaries.

    >>> character_ids(["a"])[1, :4].tolist()
    [259, 98, 260, 261]
    """
    rows = [list(word.encode("utf-8", "surrogatepass")[: PER_WORD - 2]) for word in words]
    marked = [[byte + 1 for byte in row] for row in rows]
    if boundaries:
        marked = [[BEGIN_SENTENCE], *marked, [END_SENTENCE]]
    ids = np.full((len(marked), PER_WORD), PADDING, dtype=np.int64)
    for place, row in enumerate(marked):
        ids[place, : len(row) + 2] = [BEGIN_WORD, *row, END_WORD]
    return ids
