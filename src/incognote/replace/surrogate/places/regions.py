"""States, provinces and countries: what each becomes, and how it is written."""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache

from incognote.replace.surrogate.banks.places import HOME, NEIGHBOR, PlaceBank, Region
from incognote.replace.surrogate.keyed import Keyed
from incognote.replace.surrogate.words.choice import first_fitting
from incognote.replace.surrogate.words.letters import cased, key_of, word_keys

_ONE_WORD = "one"
"""States of one word become states with another first letter, for the sake of acronyms."""
_STATES = (_ONE_WORD, "two")
_SHARED = frozenset("new north south west east the and of".split())
_WITH_LETTERS = 4
_SHORT = 7
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
    given = keyed.exchange(regions, _may_become, "region", *names)
    return {own.code: fake.code for own, fake in zip(regions, given, strict=True)}


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
        written = _dotted(name, text) if letters else name
        return f"the {written}" if key_of(text) in _WITHOUT_ARTICLE else written
    return ".".join(_OTHERWISE[code][0]) + "."
