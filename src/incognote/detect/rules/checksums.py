"""The check digits by which an identifier proves itself."""

from __future__ import annotations

import re

_DIGITS = re.compile(r"[^0-9]")
_SEPARATORS = re.compile(r"[\s\-.]")
_IBAN = re.compile(r"[A-Z]{2}\d{2}[A-Z0-9]{11,30}")
_NHS_WEIGHTS = range(10, 1, -1)


def luhn(digits: str) -> bool:
    """The check of payment cards: double every second digit from the right."""
    total = 0
    for place, digit in enumerate(reversed(digits)):
        value = int(digit) * (1 + place % 2)
        total += value - 9 if value > 9 else value
    return total % 10 == 0


def npi(value: str) -> bool:
    """A US National Provider Identifier: ten digits, Luhn with the health prefix 80840."""
    digits = _DIGITS.sub("", value)
    return len(digits) == 10 and digits[0] in "12" and luhn("80840" + digits)


def dea(value: str) -> bool:
    """A US Drug Enforcement Administration number: two characters and seven digits."""
    compact = _SEPARATORS.sub("", value).upper()
    digits = compact[2:]
    if len(compact) != 9 or not (digits.isascii() and digits.isdigit()):
        return False
    first, second, third, fourth, fifth, sixth, check = map(int, digits)
    return (first + third + fifth + 2 * (second + fourth + sixth)) % 10 == check


def payment_card(value: str) -> bool:
    """A card number of 13 to 19 digits whose issuer range exists and whose check digit holds."""
    digits = _DIGITS.sub("", value)
    return 13 <= len(digits) <= 19 and digits[0] in "3456" and luhn(digits)


def iban(value: str) -> bool:
    """An international bank account number: modulo 97 over the rotated value."""
    compact = _SEPARATORS.sub("", value).upper()
    if not _IBAN.fullmatch(compact):
        return False
    return int("".join(str(int(c, 36)) for c in compact[4:] + compact[:4])) % 97 == 1


def nhs(value: str) -> bool:
    """An NHS number of England, Wales or the Isle of Man: ten digits, modulo 11."""
    digits = _DIGITS.sub("", value)
    if len(digits) != 10:
        return False
    total = sum(int(d) * weight for d, weight in zip(digits, _NHS_WEIGHTS, strict=False))
    return (11 - total % 11) % 11 == int(digits[9])
