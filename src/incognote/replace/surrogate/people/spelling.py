"""Which of a patient's words is a misspelling of another."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable

from rapidfuzz.distance import OSA

from incognote.replace.surrogate.banks.names import NameBank

_SHORTEST = 5
_LONE = 6
"""Shorter surnames that stand equally often are left apart."""
_LONGEST = 24
_ALIKE = 24
"""Of words that have a shortened form in common, so many of the likeliest are compared."""
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
    known = {word for word in counts if bank.find(word)}
    strange = [word for word in counts if _read(word) and word not in certain and word not in known]
    if not strange:
        return {}
    likeliest = sorted(
        filter(_read, counts), key=lambda word: (word not in known, -counts[word], word)
    )
    near: dict[str, list[str]] = defaultdict(list)
    for word in likeliest:
        for rest in _shortened(word):
            if len(near[rest]) < _ALIKE:
                near[rest].append(word)
    rank = {word: place for place, word in enumerate(likeliest)}
    meant: dict[str, str] = {}
    for word in strange:
        others = {other for rest in _shortened(word) for other in near[rest]}
        for other in sorted(others, key=rank.__getitem__):
            if (
                other != word
                and (other in known or _rather(other, word, counts, surnames))
                and nearly(word, other)
            ):
                meant[word] = other
                break
    return {word: _root(word, meant) for word in meant}


def _read(word: str) -> bool:
    return _SHORTEST <= len(word) <= _LONGEST


def _shortened(word: str) -> set[str]:
    """The word without a letter or, if two slips are allowed, without two; its first letter stays.

    Words that differ by a slip have one of these in common, so that none need be compared with all.
    """
    once = {word, *(word[:at] + word[at + 1 :] for at in range(1, len(word)))}
    if len(word) < _LONG:
        return once
    return once | {rest[:at] + rest[at + 1 :] for rest in once for at in range(1, len(rest))}


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
