"""Which of a patient's words is a misspelling of another."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable

from rapidfuzz.distance import OSA

from incognote.replace.surrogate.banks.names import NameBank

_SHORTEST = 5
_LONE = 6
"""Shorter surnames that stand equally often are left apart."""
_LONG = 9
"""Words this long may have two slips."""


def nearly(word: str, other: str) -> bool:
    """Whether two words differ by a slip: a letter more, less, other, or two exchanged."""
    short, long = sorted((len(word), len(other)))
    if short < _SHORTEST or word[0] != other[0] or long - short > 2:
        return False
    slips = 2 if short >= _LONG else 1
    return OSA.distance(word, other, score_cutoff=slips) <= slips


def misspelt(
    words: Iterable[str], surnames: Collection[str], certain: Collection[str], bank: NameBank
) -> dict[str, str]:
    """From each misspelt word to the word that is meant; words that are certain are no slips.

    Only a word that the bank does not know is taken for a slip, and only of a word that is in the
    bank or stands at least as often: Marin beside Martin is another name, Okafro beside Okafor is not.
    """
    counts = Counter(words)
    near: dict[tuple[str, int], list[str]] = defaultdict(list)
    for word in sorted(counts):
        near[word[:1], len(word)].append(word)
    meant: dict[str, str] = {}
    for word in sorted(counts):
        if len(word) < _SHORTEST or word in certain or bank.find(word):
            continue
        lengths = range(len(word) - 2, len(word) + 3)
        others = [other for length in lengths for other in near[word[0], length]]
        better = [
            other
            for other in others
            if other != word
            and (bank.find(other) or _rather(other, word, counts, surnames))
            and nearly(word, other)
        ]
        if better:
            meant[word] = min(
                better, key=lambda other: (not bank.find(other), -counts[other], other)
            )
    return {word: _root(word, meant) for word in meant}


def _rather(word: str, than: str, counts: Counter[str], surnames: Collection[str]) -> bool:
    """Whether of two words in no list the first is the right one: by how often each stands."""
    if counts[word] == counts[than]:
        return word in surnames and len(than) >= _LONE and word < than
    return counts[word] > counts[than]


def _root(word: str, meant: dict[str, str]) -> str:
    """Each step goes to a known, a more frequent or an earlier word, so that the walk ends."""
    while word in meant:
        word = meant[word]
    return word
