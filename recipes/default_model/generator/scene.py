"""Who and what one note is about: its people, places, days and numbers, each drawn when named."""

from __future__ import annotations

from datetime import date
from random import Random

from generator.gazetteer import Gazetteers
from generator.pool import Pool
from generator.values import abroad, ages, codes, dates
from generator.values.facilities import Facility, draw_facility, letters
from generator.values.people import Person, draw_person

_KIN = {
    "M": ("husband", "son", "brother", "father", "uncle", "grandson", "nephew", "stepson", "dad", "son-in-law", "brother-in-law", "ex-husband", "fiancé", "boyfriend", "grandfather", "stepfather", "cousin", "partner"),
    "F": ("wife", "daughter", "sister", "mother", "aunt", "granddaughter", "niece", "stepdaughter", "mom", "daughter-in-law", "sister-in-law", "ex-wife", "fiancée", "girlfriend", "grandmother", "mother-in-law", "dtr", "partner"),
}  # fmt: skip
NO_POOL = Pool()
_ABROAD = 0.2
"""Share of notes from outside the United States."""
_STAFF = frozenset(("dr", "rn", "sw", "aide", "typist", "tech", "np"))


class Scene:
    """Draws from one generator, so that a note is the same whenever it is made again."""

    def __init__(self, rng: Random, lists: Gazetteers, pool: Pool = NO_POOL) -> None:
        self.rng = rng
        self.lists = lists
        self.pool = pool
        self.day: date = dates.draw_day(rng, 1994, 2026)
        self.years = ages.draw_years(rng)
        self.date_form = rng.choice(dates.FORMATS)
        self.day_form = rng.choice(dates.DAY_FORMATS)
        self.country = rng.choice(tuple(lists.abroad)) if rng.random() < _ABROAD else ""
        if self.country:
            self.date_form = rng.choice(dates.ABROAD)
        self._people: dict[str, Person] = {}
        self._relations: dict[str, str] = {}
        self._facilities: dict[str, Facility] = {}
        self._kept: dict[str, str] = {}

    def person(self, role: str) -> Person:
        """The person in a role (`pt`, `kin2`, `dr`, `rn`, …); relatives often share the name."""
        if role not in self._people:
            person = draw_person(self.rng, self.lists)
            if role.startswith("kin"):
                self._relations[role] = self.rng.choice(_KIN[person.sex])
                if self.rng.random() < 0.6:
                    last = self.person("pt").last
                    person = Person(
                        person.first, person.middle, last, person.nick, person.suffix, person.sex
                    )
            self._people[role] = person
        return self._people[role]

    def relation(self, role: str) -> str:
        """What a relative is to the patient."""
        self.person(role)
        return self._relations.get(role, "friend")

    def is_staff(self, role: str) -> bool:
        """Whether the role is a health professional's."""
        return role.rstrip("0123456789") in _STAFF

    def facility(self, role: str) -> Facility:
        """The facility in a role (`hospital`, `clinic2`, `lab`, …)."""
        if role not in self._facilities:
            kind = role.rstrip("0123456789")
            if self.country and kind in ("hospital", "clinic", "nursing"):
                full, short = abroad.facility_name(
                    self.rng, self.lists, self.country, hospital=kind == "hospital"
                )
                self._facilities[role] = Facility(full, short, letters(full))
            else:
                self._facilities[role] = draw_facility(self.rng, self.lists, kind)
        return self._facilities[role]

    def kept(self, key: str, value: str) -> str:
        """The value first given for a key, so that the patient's number is one number."""
        return self._kept.setdefault(key, value)

    def code(self, kind: str) -> str:
        """A number of a kind in `codes.SHAPES`."""
        return codes.code(kind, self.rng, self.day.year)
