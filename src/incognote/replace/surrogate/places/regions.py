"""States, provinces and countries: what each becomes, and how it is written."""

from __future__ import annotations

from collections.abc import Callable, Collection

from incognote.replace.surrogate.banks.places import HOME, NEIGHBOR, PlaceBank, Region
from incognote.replace.surrogate.people.keyed import Keyed
from incognote.replace.surrogate.words.claims import Real, settle
from incognote.replace.surrogate.words.letters import cased, key_of

_ONE_WORD = "one"
"""States of one word become states with another first letter, for the sake of acronyms."""
_STATES = (_ONE_WORD, "two")
_WITH_LETTERS = 4
_SHORT = 7
_OTHERWISE = {HOME: ("USA", "United States", "US"), NEIGHBOR: ("CAN", "CA")}
_TOLD = 3
_WITHOUT_ARTICLE = frozenset({"america"})


def region_fakes(
    codes: Collection[str],
    named: Collection[str],
    keyed: Keyed,
    bank: PlaceBank,
    real: Real,
    famous: Collection[str] = (),
) -> dict[str, str]:
    """A region for each region, by code, or by key where the bank does not know it.

    `named` are the codes of regions that stand in the notes; none of them is given. For those of
    `famous` towns others are given that have some.
    """
    rings: dict[str, tuple[Region, ...]] = {}
    for code in codes:
        for ring in _rings(_find(code, bank)):
            rings.setdefault(ring, bank.ring(ring))

    def wish(code: str) -> Callable[[int], str]:
        region = _find(code, bank)
        pool = tuple(each for ring in _rings(region) for each in rings[ring])
        place = next((at for at, each in enumerate(pool) if each.code == code), None)
        return lambda turn: _candidate(code, pool, place, turn, keyed)

    def refused(code: str, fake: str) -> bool:
        region, own = _find(fake, bank), _find(code, bank)
        if region and own and own.ring == _ONE_WORD and region.names[0][0] == own.names[0][0]:
            return True
        if code in famous and not bank.famous_in(fake):
            return True
        return (
            fake in named or fake == HOME or (region is not None and real.held_by(region.names[0]))
        )

    return settle(
        {code: wish(code) for code in codes},
        rank=lambda code: keyed.number("rank", "region", code),
        refused=refused,
    )


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


def _candidate(
    code: str, pool: tuple[Region, ...], place: int | None, turn: int, keyed: Keyed
) -> str:
    if place is None:
        return pool[keyed.number("region", code, turn) % len(pool)].code
    found = keyed.permute(place, len(pool), "region", pool[0].ring, turn)
    return pool[(found + 1) % len(pool) if found == place else found].code


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


def written_otherwise(code: str, text: str, taken: Collection[str]) -> str:
    """The same country by another of its names, none of which is `taken`.

    >>> written_otherwise("US", "USA", {"USA"}), written_otherwise("US", "U.S.", {"U.S."})
    ('United States', 'U.S.A.')
    """
    dotted = "." in text
    for name in _OTHERWISE[code]:
        letters = name.isupper()
        if key_of(name) == key_of(text.replace(".", "")) or (dotted and not letters):
            continue
        written = _dotted(name, text) if letters else name
        if len(written) < _TOLD or written not in taken:
            return f"the {written}" if key_of(text) in _WITHOUT_ARTICLE else written
    return ".".join(_OTHERWISE[code][0]) + "."
