"""Towns and counties: a real one of the region that the original's region becomes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import NamedTuple

from incognote.replace.surrogate.banks.places import PlaceBank
from incognote.replace.surrogate.people.coined import coined
from incognote.replace.surrogate.people.keyed import Keyed
from incognote.replace.surrogate.words.claims import Real, settle
from incognote.replace.surrogate.words.letters import key_of

ANYWHERE = "?"
_FAMOUS, _IN_REGION, _MADE = 16, 40, 56
"""Until which turn a fake is a famous town, one of the region, and a made one."""


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
    real: Real,
) -> dict[Town, str]:
    """A fake for each town. `regions` are the fakes of regions."""

    def wish(town: Town) -> Callable[[int], str]:
        region = regions.get(town.region) or _any_state(town, keyed, bank)
        pool, own, place = _pool(town, region, bank)
        made = bank.values("made")
        famous = bank.famous_in(region) if is_famous(town, bank) else ()

        def candidate(turn: int) -> str:
            if famous and turn < _FAMOUS:
                return famous[keyed.number("town", *town, turn) % len(famous)]
            return _candidate(town, pool if turn < _IN_REGION else made, own, place, turn, keyed)

        return candidate

    return settle(
        {town: wish(town) for town in towns},
        rank=lambda town: keyed.number("rank", "town", *town),
        refused=lambda town, fake: key_of(fake) == town.key or real.held_by(fake),
    )


def is_famous(town: Town, bank: PlaceBank) -> bool:
    """Whether a town is known by its name alone: its fake should be, too."""
    return not town.county and town.key in bank.famous


def _any_state(town: Town, keyed: Keyed, bank: PlaceBank) -> str:
    states = bank.ring("one")
    if is_famous(town, bank):
        states = tuple(state for state in states if bank.famous_in(state.code))
    return states[keyed.number("state of", town.key) % len(states)].code


def _pool(town: Town, region: str, bank: PlaceBank) -> tuple[tuple[str, ...], int, int | None]:
    """From where the fake is drawn; and among how many, and at which place, the original stands."""
    if town.county:
        return bank.values(f"counties {region}") or bank.towns(region, "small"), 0, None
    entry = next((each for each in bank.town(town.key) if each.region == town.region), None)
    size = entry.size if entry else "small"
    return (
        bank.towns(region, size),
        len(bank.drawn(town.region, size)),
        entry.place if entry else None,
    )


def _candidate(
    town: Town, pool: tuple[str, ...], own: int, place: int | None, turn: int, keyed: Keyed
) -> str:
    number = keyed.number("town", *town, turn)
    if not pool or turn >= _MADE:
        return coined(number, syllables=2 + turn // 32)
    if place is not None and turn < _IN_REGION:
        found = keyed.permute(place, max(own, len(pool)), "town", town.region, town.county, turn)
        if found < len(pool):
            return pool[found]
    return pool[number % len(pool)]
