"""People of a note under both names, so that a login that shows a name shows the fake one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

_SHORTEST = 3
"""A shorter piece of a name may be of anybody."""
_LONGEST = 24
_MANY = 64
_WORDS = 6


@dataclass(frozen=True)
class Renamed:
    """A person's words, in plain small letters, each with the fake in its place."""

    given: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    surnames: tuple[tuple[str, str], ...] = field(default=(), repr=False)

    @property
    def words(self) -> tuple[tuple[str, str], ...]:
        """Given names, then surnames; more than a few words are of no login."""
        return (*self.given, *self.surnames)[:_WORDS]


@dataclass(frozen=True)
class _Reading:
    """How a run of letters is made of a person's words, and what the fakes make of it."""

    fake: str
    named: int
    """The letters that are a name or the beginning of one, not initials."""


class RenamedPeople:
    """The people of a note, found by the beginnings of their names and by their initials."""

    def __init__(self, people: Sequence[Renamed] = ()) -> None:
        self._begun_with: dict[str, list[Renamed]] = defaultdict(list)
        self._initials: dict[str, list[Renamed]] = defaultdict(list)
        for person in people:
            for begin in {real[:_SHORTEST] for real, _ in person.words if len(real) >= _SHORTEST}:
                self._begun_with[begin].append(person)
            if person.given and person.surnames:
                letters = "".join(real[0] for real, _ in person.words)
                for initials in {letters, letters[0] + letters[-1]}:
                    self._initials[initials].append(person)

    def near(self, runs: Sequence[str]) -> list[Renamed]:
        """Those whom runs of letters may show; where many share a beginning, the first of them."""
        found: dict[Renamed, None] = {}
        for run in runs:
            size = min(len(run), _LONGEST)
            begins = (run[at : at + _SHORTEST] for at in range(size - _SHORTEST + 1))
            groups = [self._begun_with[each] for each in begins if each in self._begun_with]
            for group in sorted(groups, key=len):
                found.update(dict.fromkeys(group[:_MANY]))
            found.update(dict.fromkeys(self._initials.get(run, ())[:_MANY]))
        return list(found)


def shown_name(runs: Sequence[str], people: RenamedPeople) -> dict[str, str]:
    """From the runs of a login that show someone's name to what shows the fake; empty for nobody.

    >>> shown_name(["jdoe"], RenamedPeople([Renamed((("john", "karl"),), (("doe", "fox"),))]))
    {'jdoe': 'kfox'}
    """
    best: tuple[int, dict[str, str]] = (0, {})
    for person in people.near(runs):
        found = {run: reading for run in runs if (reading := _read(run, person, len(runs) == 1))}
        named = sum(reading.named for reading in found.values())
        if named > best[0]:
            best = (named, {run: reading.fake for run, reading in found.items()})
    return best[1]


def _read(run: str, person: Renamed, alone: bool) -> _Reading | None:
    if len(run) > _LONGEST:
        return None
    found = max(_readings(run, person.words), key=lambda reading: reading.named, default=None)
    if found and (found.named or not alone):
        return found if found.named else _Reading(found.fake, 0)
    return _initials(run, person) if alone else None


def _readings(run: str, words: tuple[tuple[str, str], ...]) -> Iterator[_Reading]:
    """Every way to make the run of words, their beginnings and initials, none used twice."""
    if not run:
        yield _Reading("", 0)
        return
    for place, (real, fake) in enumerate(words):
        if not real or real[0] != run[0]:
            continue
        left = words[:place] + words[place + 1 :]
        for size in _sizes(run, real):
            piece = fake if size == len(real) else fake[:size]
            named = size if size >= _SHORTEST else 0
            for rest in _readings(run[size:], left):
                yield _Reading(piece + rest.fake, named + rest.named)


def _sizes(run: str, real: str) -> Iterator[int]:
    """How much of a name may stand at the beginning of a run: all, its beginning, the initial."""
    same = 0
    while same < min(len(run), len(real)) and run[same] == real[same]:
        same += 1
    if same == len(real):
        yield same
    if _SHORTEST <= same < len(real):
        yield same
    if same and len(real) > 1:
        yield 1


def _initials(run: str, person: Renamed) -> _Reading | None:
    """The initials of a whole name, of two letters or three."""
    if not (person.given and person.surnames and 2 <= len(run) <= 3):
        return None
    letters = [(real[0], fake[0]) for real, fake in person.words]
    short = [letters[0], letters[-1]]
    for each in (letters, short):
        if "".join(real for real, _ in each) == run:
            return _Reading("".join(fake for _, fake in each), 1)
    return None
