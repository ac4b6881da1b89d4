"""Word vectors of others, as GloVe and word2vec write them in text."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import numpy.typing as npt

from incognote.align.vocabulary_words import folded
from incognote.base.errors import TrainError

Vector = npt.NDArray[np.float32]
MOST = 400_000
"""Words at most; files have the most frequent first."""


def read_word_vectors(path: Path) -> Mapping[str, Vector]:
    """Vectors by folded word, the first where several words fold alike.

    A line has a word and its numbers between blanks; word2vec's first line, of two whole numbers, is
    passed over.
    """
    vectors: dict[str, Vector] = {}
    size = 0
    try:
        with path.open(encoding="utf-8", errors="surrogateescape") as lines:
            for number, line in enumerate(lines, 1):
                word, *numbers = line.rstrip().split(" ")
                if number == 1 and len(numbers) == 1:
                    continue
                try:
                    vector = np.array(numbers, np.float32)
                except ValueError:
                    raise _refusal(path, number) from None
                size = size or len(vector)
                if len(vector) != size or not size or not np.isfinite(vector).all():
                    raise _refusal(path, number)
                vectors.setdefault(folded(word), vector)
                if len(vectors) >= MOST:
                    break
    except OSError:
        raise TrainError(f"{path}: no such file, or it cannot be read") from None
    if not vectors:
        raise TrainError(f"{path}: has no word vectors")
    return vectors


def _refusal(path: Path, number: int) -> TrainError:
    return TrainError(
        f"{path}, line {number}: not a word and its numbers, as many as on the lines before"
    )
