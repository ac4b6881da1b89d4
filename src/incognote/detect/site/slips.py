"""Which of half a million words a word misses by a slip of the pen.

One letter may be wrong in a word of 5 letters, two from 8 on; the first one is right. Two letters
that change places are one slip.

Two words that differ by so little are the same once as many letters, or fewer, are left out of the
beginning of each (Garbe 2012, after Bocek 2007). Of every word the numbers of such rests are kept in
one sorted array; only words that share one with the word that is sought are compared with it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
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
TOGETHER = 3
"""Bits by which a table of borders is shorter than the array that it divides."""
PORTION = 1 << 14
_SEED = 29


def is_known_word(word: str) -> bool:
    """Whether a word is right as it is, so that nobody's name was misspelt."""
    return is_ordinary(word) or word in EPONYMS or word in BRANDS


class SlipIndex:
    """Words, found by others that differ from them by a slip."""

    def __init__(self, words: Iterable[str]) -> None:
        words = [word for word in words if len(word) >= SHORTEST]
        self._indexes = [
            _RestIndex([word for word in words if len(word) < FOR_TWO], 1),
            _RestIndex([word for word in words if len(word) >= FOR_TWO], 2),
        ]

    def near(self, words: Sequence[str]) -> Mapping[str, Sequence[str]]:
        """The listed words that each of some words may be meant as, where there are any."""
        near: dict[str, list[str]] = {}
        for index in self._indexes:
            for word, meant in index.near(words):
                near.setdefault(word, []).append(meant)
        return near


class _RestIndex:
    """Words that may have so many slips, by the hashes of their rests.

    In one sorted array of numbers, each a hash whose last bits are replaced by the number of the
    word; a table says where those that begin with the same bits are.
    """

    def __init__(self, words: Sequence[str], slips: int) -> None:
        import numpy as np

        self._words = words
        self._slips = slips
        if not words:
            return
        self._lengths = np.fromiter(map(len, words), np.int64, len(words))
        self._number = np.uint64((1 << len(words).bit_length()) - 1)
        parts: list[Hashes] = []
        for start in range(0, len(words), PORTION):
            hashes = rest_hashes(words[start : start + PORTION], slips)
            numbers = np.arange(start, start + hashes.shape[1], dtype=np.uint64)
            parts.append((hashes & ~self._number | numbers).ravel())
        self._rests: Hashes = np.concatenate(parts)
        del parts
        self._rests.sort()
        bits = max(1, len(self._rests).bit_length() - TOGETHER)
        self._shift = np.uint64(64 - bits)
        borders = np.arange(1, 1 << bits, dtype=np.uint64) << self._shift
        within = np.searchsorted(self._rests, borders)
        self._borders = np.concatenate([[0], within, [len(self._rests)]]).astype(np.int32)

    def near(self, words: Sequence[str]) -> Iterator[tuple[str, str]]:
        """Each of some words with every listed one that it may be meant as."""
        words = [word for word in words if len(word) >= SHORTEST]
        if not words or not self._words:
            return
        import numpy as np
        from rapidfuzz.distance import OSA

        hashes = rest_hashes(words, self._slips)
        owners = np.tile(np.arange(len(words)), len(hashes))
        sought = hashes.ravel()
        beginnings = (sought >> self._shift).astype(np.int64)
        begins, ends = self._borders[beginnings], self._borders[beginnings + 1]
        counts = ends - begins
        at = np.repeat(ends - np.cumsum(counts), counts) + np.arange(counts.sum())
        rests, owners = self._rests[at], np.repeat(owners, counts)
        same = (rests ^ np.repeat(sought, counts)) <= self._number
        numbers, owners = (rests[same] & self._number).astype(np.int64), owners[same]
        lengths = np.fromiter(map(len, words), np.int64, len(words))
        close = abs(self._lengths[numbers] - lengths[owners]) <= self._slips
        pairs = np.unique(owners[close] * len(self._words) + numbers[close])
        for owner, number in zip(
            *(each.tolist() for each in divmod(pairs, len(self._words))), strict=True
        ):
            word, name = words[owner], self._words[number]
            if word != name and (OSA.distance(name, word, score_cutoff=self._slips) <= self._slips):
                yield word, name


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
