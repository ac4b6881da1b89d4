"""What states, countries, towns and ZIP codes become: those that lie together fit together."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Container, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from incognote.knowledge.letters import cased, key_of, word_keys
from incognote.knowledge.places import POSTAL_LETTERS
from incognote.replace.surrogate.banks.place_bank import HOME, NEIGHBOR, PlaceBank, Region
from incognote.replace.surrogate.kernel import Keyed, apart, first_fitting, free, overlap
from incognote.replace.surrogate.proper_words import coined

_ONE_WORD = "one"
"""States of one word become states with another first letter, for the sake of acronyms."""
_STATES = (_ONE_WORD, "two")
_SHARED = frozenset("new north south west east the and of".split())
_WITH_LETTERS = 4
"""A country in fewer capitals than this is an abbreviation (USA)."""
_SHORT = 7
"""A state in fewer characters than this may be an abbreviation (Mass., Calif)."""
_OTHERWISE = {HOME: ("USA", "United States", "US"), NEIGHBOR: ("CAN", "CA")}
_WITHOUT_ARTICLE = frozenset({"america"})


def region_fakes(codes: Collection[str], keyed: Keyed, bank: PlaceBank) -> dict[str, str]:
    """A region for each region, by code, or by key where the bank does not know it.

    The regions of a ring change places, one to one; the others become one of a ring.
    """
    rings: dict[tuple[str, ...], dict[str, str]] = {}

    def fake_of(code: str) -> str:
        region = _find(code, bank)
        names = _rings(region)
        if names not in rings:
            rings[names] = _exchanged(names, keyed, bank)
        ring = rings[names]
        if code in ring:
            return ring[code]
        pool = tuple(each for name in names for each in bank.ring(name) if each.code != HOME)
        return first_fitting(
            lambda turn: pool[keyed.number("region", code, turn) % len(pool)].code,
            lambda fake: region is None or _may_become(region, region_of(fake, bank)),
        )

    return {code: fake_of(code) for code in codes}


def _exchanged(names: tuple[str, ...], keyed: Keyed, bank: PlaceBank) -> dict[str, str]:
    """What each region of a ring becomes; home is the one that no other becomes."""
    regions = [each for name in names for each in bank.ring(name) if each.code != HOME]
    others = keyed.exchange(regions, _may_become, "region", *names)
    return {own.code: fake.code for own, fake in zip(regions, others, strict=True)}


def _may_become(own: Region, fake: Region) -> bool:
    """Not itself, nor with a word of it; and with another first letter, for acronyms."""
    if own.ring == _ONE_WORD and fake.names[0][0] == own.names[0][0]:
        return False
    return own.code != fake.code and not _own_words(own.names[0]) & _own_words(fake.names[0])


@lru_cache(maxsize=1024)
def _own_words(name: str) -> frozenset[str]:
    return frozenset(word_keys(name)) - _SHARED


def region_of(code: str, bank: PlaceBank) -> Region:
    """A region by a code that is sure to be one."""
    return bank.regions.get(code) or bank.countries[code]


def _find(code: str, bank: PlaceBank) -> Region | None:
    return bank.regions.get(code) or bank.countries.get(code)


def _rings(region: Region | None) -> tuple[str, ...]:
    if region is None:
        return ("plain",)
    if region.ring == "known":
        return _STATES if "-" in region.code else ("plain",)
    return (region.ring,)


def written_region(fake: Region, real: Region, text: str) -> str:
    """A state as the other is written: in full, as two letters, or shortened with full stops."""
    if key_of(text) == real.letters.lower() and "." not in text:
        return fake.letters.lower() if text.islower() else fake.letters
    key = key_of(text)
    if len(text) < _SHORT and key != key_of(real.names[0]) and len(fake.names) > 1:
        name = fake.names[1] if "." in text else fake.names[1].replace(".", "")
        return name if text in real.names else cased(name, text)
    return cased(fake.names[0], text)


def written_country(fake: Region, text: str) -> str:
    """A country in full, or as letters where letters stood and it has some."""
    letters = text.replace(".", "").replace(" ", "")
    if len(fake.names) > 1 and letters.isupper() and len(letters) < _WITH_LETTERS:
        return _dotted(fake.names[1], text)
    return cased(fake.names[0], text) if len(letters) >= _WITH_LETTERS else fake.names[0]


def _dotted(letters: str, text: str) -> str:
    """Letters with full stops as another text has them, which may have lost its last to a sentence."""
    if "." not in text:
        return letters
    return ".".join(letters) + ("." if text.endswith(".") else "")


def written_otherwise(code: str, text: str) -> str:
    """The same country by another of its names.

    >>> written_otherwise("US", "USA"), written_otherwise("US", "U.S.")
    ('United States', 'U.S.A.')
    """
    dotted = "." in text
    in_letters = text.replace(".", "").isupper()
    names = _OTHERWISE[code]
    for name in sorted(names, key=lambda name: name.isupper() == in_letters):
        letters = name.isupper()
        if key_of(name) == key_of(text.replace(".", "")) or (dotted and not letters):
            continue
        fake = _dotted(name, text) if letters else name
        return f"the {fake}" if key_of(text) in _WITHOUT_ARTICLE else fake
    return ".".join(_OTHERWISE[code][0]) + "."


# Towns and counties: a real one of the region that the original's region becomes.

ANYWHERE = "?"
_MANY = 8
"""Famous towns that a state needs to take in a famous one whose state is not told."""
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
                index = keyed.permute(place, size, "town", town.region, town.county, turn)
                return pool[index % len(pool)]
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
    states = bank.ring(_ONE_WORD)
    if is_famous(town, bank):
        states = tuple(state for state in states if len(bank.famous_in(state.code)) >= _MANY)
    return states[keyed.number("state of", town.key) % len(states)].code


def _pool(town: Town, region: str, bank: PlaceBank) -> tuple[tuple[str, ...], int | None, int]:
    """The fake region's towns; the original's index among its own; the larger of the two list sizes."""
    if town.county:
        names = bank.values(f"counties {region}") or bank.towns(region, "small")
        own = bank.county_places(town.region)
        return names, own.get(town.key), max(len(own), len(names))
    entry = next((each for each in bank.town(town.key) if each.region == town.region), None)
    size = "famous" if is_famous(town, bank) else entry.size if entry else "small"
    places = bank.alike(town.region, size).places
    famous = bank.famous_in(region) if size == "famous" else ()
    pool = famous if len(famous) > 1 else bank.towns(region, size)
    return pool, places.get(town.key), max(len(places), len(pool))


# ZIPs and postal codes: of the state that the original's state becomes, in the same shape.

_DIGITS = re.compile(r"\d+", re.ASCII)
_CANADIAN = re.compile(r"\s*([A-Z])\d[A-Z]\W*\d[A-Z]\d\s*", re.IGNORECASE | re.ASCII)
_LETTERS = "ABCEGHJKLMNPRSTVWXYZ"


class Zip(NamedTuple):
    """A postal code: its letters and digits, and the code of its region."""

    key: str
    region: str


def zip_key(text: str) -> str:
    """Letters and digits alone; of a ZIP the first five, for the rest is of the same place."""
    key = "".join(letter for letter in text if letter.isalnum()).upper()
    return key[:5] if key.isascii() and key.isdigit() and len(key) == 9 else key or text


def zip_region(key: str, bank: PlaceBank) -> str:
    """The state or province of a postal code, by how it begins."""
    if _CANADIAN.fullmatch(key):
        provinces = (code for code, letters in POSTAL_LETTERS.items() if key[0] in letters)
        return next((f"{NEIGHBOR}-{code}" for code in provinces), "")
    return bank.zip_states.get(key[:3], "") if _DIGITS.fullmatch(key) else ""


def zip_letters(text: str, bank: PlaceBank) -> str:
    """The letters of the state or province of a postal code, such as ME; nothing if it has none."""
    region = bank.regions.get(zip_region(zip_key(text), bank))
    return region.letters if region else ""


def zip_fakes(
    zips: Collection[Zip], regions: Mapping[str, str], keyed: Keyed, bank: PlaceBank
) -> dict[Zip, str]:
    """Letters and digits for each postal code, none its own."""

    def fake_of(code: Zip) -> str:
        region = regions.get(code.region, "")
        return first_fitting(
            lambda turn: _candidate(code, region, turn, keyed, bank),
            lambda fake: fake != code.key,
        )

    return {code: fake_of(code) for code in zips}


def _candidate(code: Zip, region: str, turn: int, keyed: Keyed, bank: PlaceBank) -> str:
    number = keyed.number("zip", *code, turn)
    fake = _shaped(code.key, number) if code.key.isalnum() else str(10_000 + number % 90_000)
    prefixes = bank.values(f"zips {region}")
    if _DIGITS.fullmatch(code.key) and prefixes and len(code.key) >= 3:
        return _american(code, prefixes, fake, turn, keyed, bank)
    letters = POSTAL_LETTERS.get(region.partition("-")[2], "")
    if _CANADIAN.fullmatch(code.key) and letters:
        return letters[number % len(letters)] + fake[1:]
    return fake


def _american(
    code: Zip, prefixes: Sequence[str], fake: str, turn: int, keyed: Keyed, bank: PlaceBank
) -> str:
    """The first three digits go together, and the two after them one to one within them."""
    head, rest = code.key[:3], code.key[3:]
    own = bank.values(f"zips {code.region}")
    place = own.index(head) if head in own else keyed.below(len(prefixes), "prefix", head)
    size = max(len(own), len(prefixes))
    prefix = prefixes[keyed.permute(place, size, "prefix", code.region, turn) % len(prefixes)]
    if len(rest) == 2 and rest != "00":
        return f"{prefix}{1 + keyed.permute(int(rest) - 1, 99, 'rest', head, turn):02}"
    fake = prefix + fake[3:]
    return fake if fake[3:5] != "00" else f"{fake[:3]}01{fake[5:]}"


def _shaped(key: str, number: int) -> str:
    parts = []
    for letter in key:
        if letter.isnumeric():
            number, digit = divmod(number, 10)
            parts.append(str(digit))
        elif letter.isalpha():
            number, place = divmod(number, len(_LETTERS))
            parts.append(_LETTERS[place])
        else:
            parts.append(letter)
    return "".join(parts)


def written_zip(text: str, fake: str, keyed: Keyed) -> str:
    """A fake in the spaces, dashes and case of the original, with other digits after the fifth."""
    source = iter(fake)
    more = iter(_shaped("0" * len(text), keyed.number("plus", text)))
    parts = []
    for letter in text:
        if not letter.isalnum():
            parts.append(letter)
            continue
        new = next(source, "") or next(more)
        parts.append(new.lower() if letter.islower() else new)
    return "".join(parts) if any(map(str.isalnum, text)) else fake
