"""Choosing the fake of an original: the first that fits it, and apart from the others of its note.

What else the note says has no part in it, but that two originals which would get the same fake are
told apart: the one with the lower keyed number keeps it. That tells that two keyed draws met, and
nothing of any original.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Hashable, Mapping
from typing import TypeVar

from incognote.replace.surrogate.words.letters import key_of, word_keys

_PATIENCE = 96
_TELLING = 3
_EAGER = 2
Original = TypeVar("Original", bound=Hashable)
Fake = TypeVar("Fake")


def first_fitting(
    candidate: Callable[[int], str], fits: Callable[[str], bool], patience: int = _PATIENCE
) -> str:
    """The first candidate that fits; the last if none of so many does."""
    for turn in range(patience):
        fake = candidate(turn)
        if fits(fake):
            break
    return fake


def apart(
    wishes: Mapping[Original, Callable[[int], Fake | None]],
    rank: Callable[[Original], int],
    name: Callable[[Fake], str],
    patience: int = _PATIENCE,
    eager: int = _EAGER,
) -> dict[Original, Fake]:
    """A fake for each original, no two the same as far as there are enough.

    A wish gives an original's fake by the turn, or none if what it has for a turn does not fit.
    Where fakes are too few, the first of an original's stays, though others have it: after `eager`
    turns in which most find only what others have, they look no further. An original that none
    fits has none.
    """
    first: dict[Original, Fake] = {}
    given: dict[Original, Fake] = {}
    taken: set[str] = set()
    waiting = list(wishes)
    for turn in range(patience):
        claims: dict[str, list[tuple[Original, Fake]]] = {}
        for original in waiting:
            fake = wishes[original](turn)
            if fake is not None:
                first.setdefault(original, fake)
                claims.setdefault(name(fake), []).append((original, fake))
        for key, claimants in claims.items():
            if key not in taken:
                original, fake = claimants[0]
                if len(claimants) > 1:
                    original, fake = min(claimants, key=lambda each: rank(each[0]))
                taken.add(key)
                given[original] = fake
        left = [original for original in waiting if original not in given]
        if 2 * len(left) > len(waiting) and turn >= eager:
            left = [original for original in left if original not in first]
        waiting = left
        if not waiting:
            break
    return first | given


def free(fake: str, avoid: Container[str]) -> bool:
    """Whether neither a fake nor one of its words is to be avoided."""
    return avoid == () or not (key_of(fake) in avoid or any(w in avoid for w in word_keys(fake)))


def overlap(one: str, other: str) -> bool:
    """Whether one word is in the other: Alder in Alderbeck."""
    if min(len(one), len(other)) < _TELLING:
        return one == other
    return one in other or other in one
