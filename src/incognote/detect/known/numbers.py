"""A given number with other separators, a phone in other formats, a string as it stands."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from incognote.detect.reading import Reading

Found = tuple[int, int, str]
Finder = Callable[[Reading], Iterator[Found]]
FEWEST_CHARACTERS = 4


def _finder(pattern: re.Pattern[str], type: str) -> Finder:
    return lambda note: ((m.start(), m.end(), type) for m in pattern.finditer(note.text))


def find_literals(type: str, value: str) -> Finder:
    """The value itself, in any case."""
    words = r"\s+".join(map(re.escape, value.split()))
    return _finder(re.compile(rf"(?<!\w){words}(?!\w)", re.IGNORECASE), type)


def find_numbers(type: str, value: str) -> Finder:
    """The same letters and digits with any separators; leading zeros may be missing or added."""
    characters = re.sub(r"[\W_]", "", value)
    core = characters.lstrip("0")
    if len(core) < FEWEST_CHARACTERS or not any(c.isdigit() for c in core):
        return find_literals(type, value)
    spaced = r"[-–. /_]?".join(map(re.escape, core))
    zeros = r"(?:0[-–. /_]?){0,8}+" if core[0].isdigit() else ""
    pattern = rf"(?<![^\W_])(?<!\d[.,-]){zeros}{spaced}(?![^\W_])"
    return _finder(re.compile(pattern, re.IGNORECASE), type)


def find_phones(type: str, value: str) -> Finder:
    """The same subscriber with or without country code, brackets, dots, or area code."""
    base, _, extension = value.lower().partition("x")
    digits = re.sub(r"\D", "", base)
    international = base.strip().startswith(("+", "00"))
    if len(digits) == 11 and digits[0] == "1":
        digits = digits[1:]
        international = False
    if len(digits) < 7:
        return find_literals(type, value)
    between = r"[-–. /()\t\xa0]{0,3}"
    prefix = r"(?:\+|00)?" if international else rf"(?:\+?1{between})?"
    whole = between.join(digits)
    tail = r"(?:,?[ ]?(?:x|ext\.?|extension)[ ]?\d{1,6})?" if extension or not international else ""
    pattern = rf"(?<![\d.])\(?{prefix}\(?{whole}{tail}(?!\d)"
    if len(digits) == 10:
        pattern += rf"|(?<![\d.)-])(?<!\d[ ]){digits[3:6]}[-–. ]{digits[6:]}{tail}(?!\d)"
    return _finder(re.compile(pattern, re.IGNORECASE), type)


def find_ages(value: str) -> Finder:
    """An age where the words around it say that it is one."""
    number = re.escape(value)
    return _finder(
        re.compile(
            rf"(?<![\d.])(?:(?<=age )|(?<=aged )|(?<=age: )){number}(?![\d.])"
            rf"|(?<![\d.]){number}(?=[ -]?(?:y\b|y/?o\b|y\.o|yrs?\b|years?\b))",
            re.IGNORECASE,
        ),
        "AGE",
    )
