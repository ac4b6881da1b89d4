"""ZIPs and postal codes: of the state that the original's state becomes, in the same shape."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from incognote.replace.surrogate.banks.places import NEIGHBOR, PlaceBank
from incognote.replace.surrogate.keyed import Keyed
from incognote.replace.surrogate.places.vocabulary import POSTAL_LETTERS
from incognote.replace.surrogate.words.choice import first_fitting

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
