"""ZIPs and postal codes: of the state that the original's state becomes, in the same shape."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from typing import NamedTuple

from incognote.replace.surrogate.banks.places import NEIGHBOR, PlaceBank
from incognote.replace.surrogate.people.keyed import Keyed
from incognote.replace.surrogate.places.vocabulary import POSTAL_LETTERS
from incognote.replace.surrogate.words.claims import settle

_DIGITS = re.compile(r"\d+", re.ASCII)
_CANADIAN = re.compile(r"\s*([A-Z])\d[A-Z]\W*\d[A-Z]\d\s*", re.IGNORECASE | re.ASCII)
_LETTERS = "ABCEGHJKLMNPRSTVWXYZ"
_IN_PREFIX = 40


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


def zip_fakes(
    zips: Collection[Zip], regions: Mapping[str, str], keyed: Keyed, bank: PlaceBank
) -> dict[Zip, str]:
    """Letters and digits for each postal code; different ones stay different."""
    real = {code.key for code in zips}

    def wish(code: Zip) -> Callable[[int], str]:
        region = regions.get(code.region, "")
        return lambda turn: _candidate(code, region, turn, keyed, bank)

    return settle(
        {code: wish(code) for code in zips},
        rank=lambda code: keyed.number("rank", "zip", *code),
        refused=lambda code, fake: fake in real,
    )


def _candidate(code: Zip, region: str, turn: int, keyed: Keyed, bank: PlaceBank) -> str:
    number = keyed.number("zip", *code, turn)
    fake = _shaped(code.key, number) if code.key.isalnum() else str(10_000 + number % 90_000)
    prefixes = bank.values(f"zips {region}")
    if _DIGITS.fullmatch(code.key) and prefixes and len(code.key) >= 3:
        which = keyed.number("prefix", code.key[:3], region, turn if turn >= _IN_PREFIX else 0)
        fake = prefixes[which % len(prefixes)] + fake[3:]
        return fake if fake[3:5] != "00" else f"{fake[:3]}01{fake[5:]}"
    letters = POSTAL_LETTERS.get(region.partition("-")[2], "")
    if _CANADIAN.fullmatch(code.key) and letters:
        return letters[number % len(letters)] + fake[1:]
    return fake


def _shaped(key: str, number: int) -> str:
    written = []
    for letter in key:
        if letter.isnumeric():
            number, digit = divmod(number, 10)
            written.append(str(digit))
        elif letter.isalpha():
            number, place = divmod(number, len(_LETTERS))
            written.append(_LETTERS[place])
        else:
            written.append(letter)
    return "".join(written)


def written_zip(text: str, fake: str, keyed: Keyed) -> str:
    """A fake in the spaces, dashes and case of the original, with other digits after the fifth."""
    source = iter(fake)
    more = iter(_shaped("0" * len(text), keyed.number("plus", text)))
    written = []
    for letter in text:
        if not letter.isalnum():
            written.append(letter)
            continue
        new = next(source, "") or next(more)
        written.append(new.lower() if letter.islower() else new)
    return "".join(written) if any(map(str.isalnum, text)) else fake
