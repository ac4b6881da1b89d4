"""The check digits by which identifiers prove themselves: tested, and computed for fakes."""

from __future__ import annotations

_VIN_VALUES = dict(zip("abcdefghjklmnprstuvwxyz", map(int, "12345678123457923456789"), strict=True))
_VIN_VALUES |= {digit: int(digit) for digit in "0123456789"}
_VIN_WEIGHTS = (8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2)


def luhn_sum(digits: str) -> int:
    """The sum of payment cards, IMEI and NPI modulo 10: 0 where the last digit is right."""
    total = 0
    for place, digit in enumerate(reversed(digits)):
        value = int(digit) * (1 + place % 2)
        total += value - 9 if value > 9 else value
    return total % 10


def luhn(digits: str) -> bool:
    """Whether the last digit is right."""
    return luhn_sum(digits) == 0


def like_card(plain: str) -> bool:
    """Whether digits are a payment card by length, issuer and check."""
    return 13 <= len(plain) <= 19 and plain.isdigit() and plain[0] in "3456" and luhn(plain)


def with_luhn(digits: str, place: int) -> str:
    """The digits with the one at `place` such that the sum is right."""
    return next(
        tried
        for digit in "0123456789"
        if luhn(tried := digits[:place] + digit + digits[place + 1 :])
    )


def dea_check(six: str) -> str:
    """The seventh digit of a DEA number."""
    return str((sum(map(int, six[::2])) + 2 * sum(map(int, six[1::2]))) % 10)


def nhs_check(nine: str) -> str | None:
    """The tenth digit of an NHS number; some nine digits have none."""
    weighed = sum(int(digit) * weight for digit, weight in zip(nine, range(10, 1, -1), strict=True))
    check = (11 - weighed % 11) % 11
    return None if check == 10 else str(check)


def vin_check(vin: str) -> str:
    """The ninth character that the other sixteen ask for (ISO 3779, North America)."""
    total = sum(_VIN_VALUES[each] * weight for each, weight in zip(vin, _VIN_WEIGHTS, strict=True))
    return "0123456789x"[total % 11]


def iban_check(country: str, account: str) -> str:
    """The two digits between an IBAN's country and its account."""
    number = int("".join(str(int(character, 36)) for character in account + country + "00"))
    return f"{98 - number % 97:02}"


def gs1_check(digits: str) -> str:
    """The last digit of a GTIN, from all before it."""
    weighed = sum(int(digit) * (3, 1)[place % 2] for place, digit in enumerate(reversed(digits)))
    return str(-weighed % 10)
