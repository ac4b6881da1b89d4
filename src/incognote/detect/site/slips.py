"""Which of half a million words a word misses by a slip of the pen.

One letter may be wrong in a word of 5 letters, two from 8 on; the first one is right. Two letters
that change places are one slip.

Two words that differ by so little are the same once as many letters, or fewer, are left out of the
beginning of each (Garbe 2012, after Bocek 2007). Of every word the numbers of such rests are kept in
one sorted array; only words that share one with the word that is sought are compared with it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from itertools import combinations
from typing import TYPE_CHECKING

from incognote.knowledge.lexicon import BRANDS, EPONYMS, is_ordinary

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Hashes = NDArray[np.uint64]

SHORTEST = 5
FOR_TWO = 8
"""Letters of a word that may have two slips."""
BEGINNING = 7
"""Letters of a word whose rests are kept."""
PORTION = 1 << 14
_SEED = 29


def allowed(word: str) -> int:
    """How many letters of a listed word may be wrong."""
    return 1 if len(word) < FOR_TWO else 2


def is_known_word(word: str) -> bool:
    """Whether a word is right as it is, so that nobody's name was misspelt."""
    return is_ordinary(word) or word in EPONYMS or word in BRANDS


class SlipIndex:
    """Words, found by others that differ from them by a slip."""

    def __init__(self, words: Iterable[str]) -> None:
        import numpy as np

        self._words = sorted((word for word in words if len(word) >= SHORTEST), key=len)
        short = sum(len(word) < FOR_TWO for word in self._words)
        self._bits = np.uint64(len(self._words).bit_length())
        parts: list[Hashes] = []
        for begin, end, most in ((0, short, 1), (short, len(self._words), 2)):
            for start in range(begin, end, PORTION):
                stop = min(start + PORTION, end)
                hashes = rest_hashes(self._words[start:stop], most)
                numbers = np.arange(start, stop, dtype=np.uint64)
                parts.append(((hashes >> self._bits << self._bits) | numbers).ravel())
        self._rests: Hashes = np.concatenate(parts) if parts else np.empty(0, np.uint64)
        self._rests.sort()

    def near(self, words: Sequence[str]) -> Mapping[str, Sequence[str]]:
        """The listed words that each of some words may be meant as; words without any are left out."""
        words = [word for word in words if len(word) >= SHORTEST]
        if not words or not self._words:
            return {}
        import numpy as np
        from rapidfuzz.distance import OSA

        hashes = rest_hashes(words, 2)
        begins = np.searchsorted(self._rests, hashes >> self._bits << self._bits)
        ends = np.searchsorted(
            self._rests, hashes | ((np.uint64(1) << self._bits) - np.uint64(1)), "right"
        )
        mask = (1 << int(self._bits)) - 1
        numbers: dict[str, set[int]] = {}
        for rest, at in zip(*np.nonzero(begins < ends), strict=True):
            found = self._rests[begins[rest, at] : ends[rest, at]].tolist()
            numbers.setdefault(words[at], set()).update(number & mask for number in found)
        near: dict[str, Sequence[str]] = {}
        for word, some in numbers.items():
            meant = [self._words[number] for number in sorted(some)]
            meant = [
                name
                for name in meant
                if name != word
                and OSA.distance(name, word, score_cutoff=allowed(name)) <= allowed(name)
            ]
            if meant:
                near[word] = meant
        return near


def rest_hashes(words: Sequence[str], most: int) -> Hashes:
    """Numbers of what is left of the words' beginnings without `most` letters or fewer.

    A row for each way to leave letters out, a column for each word. The letters of a rest count
    with a factor each, by their place in it.
    """
    import numpy as np

    letters = np.array(words, dtype=f"U{BEGINNING}").view(np.uint32).reshape(-1, BEGINNING)
    hashes: Hashes = _factors(most) @ letters.T.astype(np.uint64)
    return hashes


@cache
def _factors(most: int) -> Hashes:
    """For each way to leave out letters, what each letter counts; the first is never left out."""
    import numpy as np

    factors = np.random.default_rng(_SEED).integers(1, 1 << 63, BEGINNING, np.uint64) * 2 + 1
    rows = [
        left
        for count in range(most + 1)
        for left in combinations(range(1, BEGINNING), BEGINNING - 1 - count)
    ]
    table = np.zeros((len(rows), BEGINNING), np.uint64)
    for row, left in zip(table, rows, strict=True):
        row[[0, *left]] = factors[: len(left) + 1]
    return table
