"""One vector for a word from those of its pieces."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from incognote.align.units import Integers, Units
from incognote.workshop.encoders.errors import InputError

Vectors = npt.NDArray[np.float32]
Pooling = Literal["first", "mean", "last"]


def pooled(vectors: Vectors, pieces: Units, words: Units, pooling: Pooling) -> Vectors:
    """[pieces, …] to [words, …]; a word that no piece shares a character with is all NaN.

    Such a word is of characters that the tokenizer drops: the model never saw it.
    """
    if pooling not in get_args(Pooling):
        raise InputError(f"pooling must be one of {', '.join(get_args(Pooling))}")
    solid = pieces.solid
    starts, ends = pieces.starts[solid], pieces.ends[solid]
    first = np.searchsorted(ends, words.starts, "right")
    last = np.searchsorted(starts, words.ends, "left")
    found = np.full((len(words), *vectors.shape[1:]), np.nan, np.float32)
    seen = first < last
    if pooling == "mean":
        for word in np.flatnonzero(seen):
            found[word] = vectors[solid[first[word] : last[word]]].mean(0)
    else:
        place: Integers = first[seen] if pooling == "first" else last[seen] - 1
        found[seen] = vectors[solid[place]]
    return found
