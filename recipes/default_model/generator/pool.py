"""Values of marked notes, lent from one to another: what people write that no list has."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random

from generator.capitals import like
from generator.redraw.names import split_name

LENT = 0.35
"""Odds that a value is one of another note, where there is one."""

_LENT_TYPES = frozenset(
    ("PROFESSION", "HOSPITAL", "ORGANIZATION", "STREET", "CITY", "STATE", "COUNTRY", "LOCATION-OTHER")
)  # fmt: skip
_PEOPLE = ("PATIENT", "DOCTOR")


@dataclass(frozen=True)
class Pool:
    """Values by type, and the words of names."""

    values: Mapping[str, Sequence[str]] = field(default_factory=dict)
    firsts: Sequence[str] = ()
    lasts: Sequence[str] = ()

    def lend(self, type: str, old: str, rng: Random) -> str | None:
        """Another note's value in place of this one, now and then."""
        values = self.values.get(type)
        if not values or rng.random() >= LENT:
            return None
        new = rng.choice(values)
        return like(new.capitalize() if old[:1].isupper() and new.islower() else new, old)

    def lend_name(self, kind: str, rng: Random) -> str | None:
        """A word of another note's names: `first` or `last`."""
        words = self.firsts if kind == "first" else self.lasts
        return rng.choice(words) if words and rng.random() < LENT else None


def pool_of(marked: Iterable[tuple[str, str]]) -> Pool:
    """A pool of types and values; each value counts as often as it is there."""
    values: dict[str, list[str]] = {}
    firsts: list[str] = []
    lasts: list[str] = []
    for type, value in marked:
        if type in _LENT_TYPES and "\n" not in value:
            values.setdefault(type, []).append(value)
        elif type in _PEOPLE:
            first, last = split_name(value)
            firsts += (word for word in first if _is_name(word))
            lasts += (word for word in last if _is_name(word))
    return Pool(values, firsts, lasts)


def _is_name(word: str) -> bool:
    """Whether a word is written as names are: not an initial, not all capitals."""
    return len(word) > 2 and word[0].isupper() and not word.isupper()
