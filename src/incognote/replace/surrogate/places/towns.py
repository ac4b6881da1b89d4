"""Towns and counties: a real one of the region that the original's region becomes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Mapping
from typing import NamedTuple

from incognote.replace.surrogate.banks.places import PlaceBank
from incognote.replace.surrogate.keyed import Keyed
from incognote.replace.surrogate.people.coined import coined
from incognote.replace.surrogate.words.choice import apart, free, overlap
from incognote.replace.surrogate.words.letters import key_of

ANYWHERE = "?"
_MANY = 8
_IN_REGION, _INVENTED = 8, 56
"""Until which turn a fake is a town of the region, and one that nobody lives in."""


class Town(NamedTuple):
    """A town or a county: its key and the code of its region."""

    key: str
    region: str
    county: bool = False


def likely_region(key: str, county: bool, bank: PlaceBank) -> str:
    """Where a town is when nothing in the notes tells."""
    if county:
        states = bank.county_states(key)
        return states[0] if states else ANYWHERE
    entries = bank.town(key)
    return entries[0].region if entries else ANYWHERE


def town_fakes(
    towns: Collection[Town],
    regions: Mapping[str, str],
    keyed: Keyed,
    bank: PlaceBank,
    avoid: Container[str] = (),
) -> dict[Town, str]:
    """A fake for each town. `regions` are the fakes of regions.

    The known towns of a region and a size become those of its fake, one to one as far as that has
    as many; a town in no list becomes any of them.
    """

    def wish(town: Town) -> Callable[[int], str | None]:
        region = regions.get(town.region) or _any_state(town, keyed, bank)
        pool, place, size = _pool(town, region, bank)

        def candidate(turn: int) -> str:
            number = keyed.number("town", *town, turn)
            if pool and place is not None and turn < _IN_REGION:
                found = keyed.permute(place, size, "town", town.region, town.county, turn)
                return pool[found % len(pool)]
            if pool and turn < _IN_REGION:
                return pool[number % len(pool)]
            if turn < 2 * _IN_REGION and (others := bank.towns(region, "large")):
                return others[number % len(others)]
            if turn < _INVENTED:
                return bank.invented(number)
            return coined(number, syllables=2 + turn // 32)

        def fitting(turn: int) -> str | None:
            fake = candidate(turn)
            fits = not overlap(key_of(fake), town.key) and free(fake, avoid)
            return fake if fits else None

        return fitting

    wishes = {town: wish(town) for town in towns}
    return apart(wishes, lambda town: keyed.number("rank", "town", *town), key_of, eager=_INVENTED)


def is_famous(town: Town, bank: PlaceBank) -> bool:
    """Whether a town is known by its name alone: its fake should be, too."""
    return not town.county and town.key in bank.famous


def _any_state(town: Town, keyed: Keyed, bank: PlaceBank) -> str:
    states = bank.ring("one")
    if is_famous(town, bank):
        states = tuple(state for state in states if len(bank.famous_in(state.code)) >= _MANY)
    return states[keyed.number("state of", town.key) % len(states)].code


def _pool(town: Town, region: str, bank: PlaceBank) -> tuple[tuple[str, ...], int | None, int]:
    """The towns of the fake region, and the original's place among the more of both regions'."""
    if town.county:
        states = bank.values(f"counties {region}") or bank.towns(region, "small")
        own = bank.county_places(town.region)
        return states, own.get(town.key), max(len(own), len(states))
    entry = next((each for each in bank.town(town.key) if each.region == town.region), None)
    size = "famous" if is_famous(town, bank) else entry.size if entry else "small"
    known = bank.alike(town.region, size).places
    famous = bank.famous_in(region) if size == "famous" else ()
    pool = famous if len(famous) > 1 else bank.towns(region, size)
    return pool, known.get(town.key), max(len(known), len(pool))
