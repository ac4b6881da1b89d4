"""The check digits by which identifiers prove themselves: tested, and computed for fakes."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

_NO_DIGITS = re.compile(r"[^0-9]")
_SEPARATORS = re.compile(r"[\s\-.]")
_IBAN = re.compile(r"([A-Z]{2})(\d{2})([A-Z0-9]{11,30})")
VIN_LETTERS = "abcdefghjklmnprstuvwxyz"
VIN = re.compile(f"[{VIN_LETTERS}0-9]{{17}}")
_VIN_VALUES = dict(zip(VIN_LETTERS, map(int, "12345678123457923456789"), strict=True))
_VIN_VALUES |= {digit: int(digit) for digit in "0123456789"}
_VIN_WEIGHTS = (8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2)

# Computing.


def luhn_sum(digits: str) -> int:
    """The sum of payment cards, IMEI and NPI modulo 10: 0 where the last digit is right."""
    total = 0
    for place, digit in enumerate(reversed(digits)):
        value = int(digit) * (1 + place % 2)
        total += value - 9 if value > 9 else value
    return total % 10


def with_luhn(digits: str, place: int) -> str:
    """The digits with the one at `place` such that the sum is right."""
    return next(
        candidate
        for digit in "0123456789"
        if is_luhn(candidate := digits[:place] + digit + digits[place + 1 :])
    )


def dea_check(six: str) -> str:
    """The seventh digit of a DEA number."""
    return str((sum(map(int, six[::2])) + 2 * sum(map(int, six[1::2]))) % 10)


def nhs_check(nine: str) -> str | None:
    """The tenth digit of an NHS number; some nine digits have none."""
    total = sum(int(digit) * weight for digit, weight in zip(nine, range(10, 1, -1), strict=True))
    check = (11 - total % 11) % 11
    return None if check == 10 else str(check)


def vin_check(vin: str) -> str:
    """The ninth character that the other sixteen ask for (ISO 3779, North America).

    Letters are small, those of the answer too.
    """
    total = sum(_VIN_VALUES[each] * weight for each, weight in zip(vin, _VIN_WEIGHTS, strict=True))
    return "0123456789x"[total % 11]


def iban_check(country: str, account: str) -> str:
    """The two digits between an IBAN's country and its account."""
    number = int("".join(str(int(character, 36)) for character in account + country + "00"))
    return f"{98 - number % 97:02}"


def gs1_check(digits: str) -> str:
    """The last digit of a GTIN, from all before it."""
    total = sum(int(digit) * (3, 1)[place % 2] for place, digit in enumerate(reversed(digits)))
    return str(-total % 10)


# Testing: whatever separates the characters is passed over.


def is_luhn(digits: str) -> bool:
    """Whether the last digit is right; digits only."""
    return luhn_sum(digits) == 0


def is_card(value: str) -> bool:
    """A card number of 13 to 19 digits whose issuer range exists and whose check digit holds."""
    digits = _NO_DIGITS.sub("", value)
    return 13 <= len(digits) <= 19 and digits[0] in "3456" and is_luhn(digits)


def is_npi(value: str) -> bool:
    """A US National Provider Identifier: ten digits, Luhn with the health prefix 80840."""
    digits = _NO_DIGITS.sub("", value)
    return len(digits) == 10 and digits[0] in "12" and is_luhn("80840" + digits)


def is_dea(value: str) -> bool:
    """A US Drug Enforcement Administration number: two characters and seven digits."""
    compact = _SEPARATORS.sub("", value)
    digits = compact[2:]
    if len(compact) != 9 or not (digits.isascii() and digits.isdigit()):
        return False
    return dea_check(digits[:6]) == digits[6]


def is_iban(value: str) -> bool:
    """An international bank account number: modulo 97 over the rotated value."""
    match = _IBAN.fullmatch(_SEPARATORS.sub("", value).upper())
    return match is not None and (int(iban_check(match[1], match[3])) - int(match[2])) % 97 == 0


def is_nhs(value: str) -> bool:
    """An NHS number of England, Wales or the Isle of Man: ten digits, modulo 11."""
    digits = _NO_DIGITS.sub("", value)
    return len(digits) == 10 and nhs_check(digits[:9]) == digits[9]


def is_vin(value: str) -> bool:
    """A vehicle's number of 17 characters, two letters at least, whose ninth proves the others."""
    vin = value.lower()
    return (
        VIN.fullmatch(vin) is not None
        and sum(map(str.isalpha, vin)) > 1
        and vin_check(vin) == vin[8]
    )


def has_luhn(value: str) -> bool:
    """Two digits or more, the last of which is Luhn's for those before it; letters are passed over."""
    digits = _NO_DIGITS.sub("", value)
    return len(digits) > 1 and is_luhn(digits)


_MOD11 = re.compile(r"[0-9]+[0-9Xx]")


def has_mod11(value: str) -> bool:
    """Two digits or more whose weighted sum is a multiple of 11, as in ISBN-10, ISSN and NHS numbers.

    The last digit counts once, the one before it twice, the next three times and so on, however
    many there are; a last X counts 10. Blanks, hyphens and points are passed over. Registers that
    begin again with 2 after some weight, or use other weights, are not tested so.
    """
    digits = _SEPARATORS.sub("", value)
    if _MOD11.fullmatch(digits) is None:
        return False
    last = 10 if digits[-1] in "Xx" else int(digits[-1])
    total = sum(int(digit) * weight for weight, digit in enumerate(reversed(digits[:-1]), start=2))
    return (total + last) % 11 == 0


CHECKS: Mapping[str, Callable[[str], bool]] = {
    "luhn": has_luhn,
    "mod11": has_mod11,
    "nhs": is_nhs,
    "npi": is_npi,
    "dea": is_dea,
    "vin": is_vin,
    "iban": is_iban,
    "card": is_card,
}
"""Check digits by the names that site files give them."""
