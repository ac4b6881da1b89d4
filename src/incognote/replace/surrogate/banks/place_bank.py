"""The bank of places of a locale: states, towns, ZIPs, countries, and words for made-up places.

A region is a state or a province (`US-ME`, `CA-ON`) or a country (`SO`). Its ring is the group of
regions that it may become: states of one word, of two, provinces, countries with an article.
Towns that are known but never drawn are ordinary words, or written in letters that few keyboards
have. Nothing is split before it is needed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import NamedTuple

from incognote.knowledge.letters import key_of
from incognote.replace.surrogate.banks.word_banks import bank_lists

_FEW = 8
_NOWHERE = 1 << 20
"""More than the towns of a region."""
HOME, NEIGHBOR = "US", "CA"
_LAST = re.compile(
    r"(?<=..)(?:beck|berry|borne|bourne|bridge|brook|bury|combe|cote|croft|dale|den|field|fold|ford"
    r"|gate|grove|ham|hurst|ington|land|leigh|ley|low|mead|mere|mont|more|ridge|stead|ston|ter|thorpe"
    r"|ton|vale|view|ville|ward|well|wick|wold|wood|worth)$"
)
_MIDDLES = ("", "en", "er", "el", "ing", "in", "an", "es", "ar", "on")


class Region(NamedTuple):
    """A state, province or country: its code, its ring, and how it is written, in full first."""

    code: str
    ring: str
    names: tuple[str, ...]

    @property
    def letters(self) -> str:
        """The postal letters of a state or a province."""
        return self.code.partition("-")[2]


class TownEntry(NamedTuple):
    """A town of a region: how large, and its place among those that are drawn, if it is."""

    region: str
    size: str
    place: int | None


class Alike(NamedTuple):
    """Towns of one region and size: those that may be drawn, and the place of each that is known."""

    drawn: tuple[str, ...]
    places: Mapping[str, int]


@dataclass(frozen=True)
class PlaceBank:
    """Places by region."""

    lists: Mapping[str, str] = field(repr=False)
    _split: dict[str, tuple[str, ...]] = field(init=False, repr=False, default_factory=dict)
    _alike: dict[tuple[str, str], Alike] = field(init=False, repr=False, default_factory=dict)

    def values(self, head: str) -> tuple[str, ...]:
        """The values under a head; none if the bank has no such line."""
        if head not in self._split:
            text = self.lists.get(head, "")
            self._split[head] = tuple(text.split("|")) if text else ()
        return self._split[head]

    def towns(self, region: str, size: str) -> tuple[str, ...]:
        """The towns of a region to draw from: of a size, and of the others where there are few."""
        names: tuple[str, ...] = ()
        for each in (size, *(other for other in ("large", "small", "famous") if other != size)):
            if len(names) < _FEW:
                names += self.alike(region, each).drawn
        return names

    def drawn(self, region: str, size: str) -> tuple[str, ...]:
        """The towns of a size that may be drawn; of Canada those of all its provinces."""
        names = self.values(f"towns {region} {size} drawn")
        if names or region != NEIGHBOR:
            return names
        parts = (code for code in self.regions if code.startswith(f"{NEIGHBOR}-"))
        return tuple(town for code in parts for town in self.values(f"towns {code} {size} drawn"))

    def invented(self, number: int) -> str:
        """A word that a place or a street might have, by a number: `Barkenfield`, `Rosmere`."""
        words = self.values("made")
        number, place = divmod(number, len(words))
        middle = _MIDDLES[number % len(_MIDDLES)]
        return _LAST.sub(lambda last: middle + last[0], words[place])

    @cached_property
    def famous(self) -> frozenset[str]:
        """Towns that are known by name alone, wherever they stand."""
        return frozenset(map(key_of, self.values("famous")))

    def famous_in(self, region: str) -> tuple[str, ...]:
        """Those of a region that may be drawn."""
        return self.alike(region, "famous").drawn

    def alike(self, region: str, size: str) -> Alike:
        """The towns of a region by size: `small`, `large`, or `famous` of the large ones."""
        if (region, size) not in self._alike:
            famous = size == "famous"
            where = "large" if famous else size
            drawn = [n for n in self.drawn(region, where) if (key_of(n) in self.famous) == famous]
            known = [
                name
                for name in self.values(f"towns {region} {where} known")
                if (key_of(name) in self.famous) == famous
            ]
            if famous:
                usable = frozenset(map(key_of, self.values("famous drawn")))
                known += (name for name in drawn if key_of(name) not in usable)
                drawn = [name for name in drawn if key_of(name) in usable]
            places = {key_of(name): place for place, name in enumerate((*drawn, *known))}
            self._alike[region, size] = Alike(tuple(drawn), places)
        return self._alike[region, size]

    @cached_property
    def regions(self) -> dict[str, Region]:
        """States, territories and provinces by code."""
        return self._regions_by_name("region")

    @cached_property
    def countries(self) -> dict[str, Region]:
        """Countries by code."""
        return self._regions_by_name("country")

    @cached_property
    def region_names(self) -> dict[str, Region]:
        """States and provinces by the keys of their names and by their letters."""
        regions = {region.letters.lower(): region for region in self.regions.values()}
        return regions | {
            key_of(n): region for region in self.regions.values() for n in region.names
        }

    @cached_property
    def country_names(self) -> dict[str, Region]:
        """Countries by the keys of their names."""
        return {key_of(name): region for region in self.countries.values() for name in region.names}

    def ring(self, name: str) -> tuple[Region, ...]:
        """The regions of a ring, in the bank's order."""
        return self._rings[name]

    @cached_property
    def _rings(self) -> dict[str, tuple[Region, ...]]:
        rings: dict[str, tuple[Region, ...]] = {}
        for region in (*self.regions.values(), *self.countries.values()):
            rings[region.ring] = (*rings.get(region.ring, ()), region)
        return rings

    @cached_property
    def zip_states(self) -> dict[str, str]:
        """The state of each three-digit ZIP prefix."""
        heads = (head for head in self.lists if head.startswith("zips "))
        return {prefix: head[5:] for head in heads for prefix in self.values(head)}

    @cached_property
    def peoples(self) -> dict[str, str]:
        """Nationalities and languages: under which head each stands."""
        return self._heads("languages", "demonyms")

    @cached_property
    def word_kinds(self) -> dict[str, str]:
        """Landforms and modifiers, which are exchanged among themselves."""
        return self._heads("modifiers", "landforms")

    def kind_of(self, key: str) -> str:
        """The kind of words that a word of a name is exchanged for."""
        return self.word_kinds.get(key, "made")

    @cached_property
    def shortened(self) -> frozenset[str]:
        """Names of states that end with a full stop."""
        names = (name for region in self.regions.values() for name in region.names)
        return frozenset(name for name in names if name.endswith("."))

    def town(self, key: str) -> tuple[TownEntry, ...]:
        """The towns of a name, the likeliest first."""
        return tuple(map(self._town, self._towns.get(key, ())))

    def _town(self, code: int) -> TownEntry:
        head, place = divmod(code, _NOWHERE)
        _, region, size, _ = self._town_heads[head]
        return TownEntry(region, size, place - 1 if place else None)

    @cached_property
    def _town_heads(self) -> list[list[str]]:
        return sorted(
            (head.split() for head in self.lists if head.startswith("towns ")), key=_likely
        )

    def county_states(self, key: str) -> tuple[str, ...]:
        """The states that have a county of this name."""
        return self._counties.get(key, ())

    def county_places(self, region: str) -> dict[str, int]:
        """The counties of a state by their keys, each with its place."""
        return {key_of(name): place for place, name in enumerate(self.values(f"counties {region}"))}

    @cached_property
    def _towns(self) -> dict[str, tuple[int, ...]]:
        """Great towns first, then home before abroad: Paris is in France, Auburn is not.

        Entries are numbers, head and place, for there are tens of thousands.
        """
        towns: dict[str, tuple[int, ...]] = {}
        for number, (_, region, size, use) in enumerate(self._town_heads):
            drawn = use == "drawn"
            for place, name in enumerate(self.values(f"towns {region} {size} {use}")):
                key = key_of(name)
                code = number * _NOWHERE + (place + 1 if drawn else 0)
                towns[key] = (*towns.get(key, ()), code)
        return towns

    @cached_property
    def _counties(self) -> dict[str, tuple[str, ...]]:
        counties: dict[str, list[str]] = {}
        for head in self.lists:
            if head.startswith("counties "):
                for name in self.values(head):
                    counties.setdefault(key_of(name), []).append(head[9:])
        return {key: tuple(states) for key, states in counties.items()}

    def _heads(self, *heads: str) -> dict[str, str]:
        return {key_of(word): head for head in heads for word in self.values(head)}

    def _regions_by_name(self, kind: str) -> dict[str, Region]:
        heads = (head.split() for head in self.lists if head.startswith(f"{kind} "))
        return {
            code: Region(code, ring, self.values(f"{kind} {code} {ring}"))
            for _, code, ring in heads
        }


def _likely(head: list[str]) -> tuple[bool, bool, list[str]]:
    _, region, size, _ = head
    return (size != "large", not region.startswith(HOME), head)


@lru_cache(maxsize=2)
def place_bank(locale: str) -> PlaceBank:
    """The bank of a locale."""
    return PlaceBank(bank_lists(locale, "places"))
