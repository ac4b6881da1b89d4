"""Numbers in names and addresses: as many digits, never the same."""

from __future__ import annotations

import re

from incognote.replace.surrogate.keyed import Keyed

_ENDINGS = ("th", "st", "nd", "rd")
_LONGEST = 12


def digits_like(digits: str, keyed: Keyed, *about: object) -> str:
    """Other digits of the same length; without a leading zero unless there was one.

    >>> digits_like("7", Keyed(b"secret")) != "7"
    True
    """
    length = len(digits)
    if length > _LONGEST:
        rest = digits_like(digits[_LONGEST:], keyed, *about)
        return digits_like(digits[:_LONGEST], keyed, *about) + rest
    zero = digits[0] in "0０" or not digits.isascii()
    low = 0 if zero else 10 ** (length - 1)
    size = 10**length - low
    own = int(digits) - low
    place = keyed.permute(own, size, "digits", length, zero, *about)
    if place == own:
        place = (own + 1 + keyed.number("moved", digits, *about) % (size - 1)) % size
    return f"{low + place:0{length}}"


def ordinal_like(text: str, keyed: Keyed) -> str:
    """`116th` as `642nd`: other digits with the ending that belongs to them, in the same case."""
    match = re.match(r"\d+", text)
    digits = digits_like(match[0] if match else "1", keyed, "ordinal")
    teens = digits[-2:-1] == "1"
    ending = _ENDINGS[int(digits[-1])] if not teens and digits[-1] in "123" else "th"
    return digits + (ending.upper() if text[-1:].isupper() else ending)
