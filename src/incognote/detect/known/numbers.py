"""A given number with other separators, a phone in other formats, an age beside its words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import partial

from incognote.detect.known.search import Check, Notation, Place, Sought, as_written, folded
from incognote.detect.note_index import NoteIndex
from incognote.detect.pattern import Pattern
from incognote.detect.sequences import Stream

FEWEST_CHARACTERS = 4
FEWEST_DIGITS = 7
LOCAL = 7
"""Digits of a phone number without its area code."""

ZEROS = Pattern(r"(?<![^\W_])(?<!\d[.,-])(?:0[-–. /_]?){0,8}+")
FREE = Pattern(r"(?<![^\W_])(?<!\d[.,-])")
MOST_ZEROS = 16
"""Characters that added zeros have at most, their separators too."""

ABROAD = Pattern(r"(?<![\d.])\(?(?:\+|00)?\(?")
AT_HOME = Pattern(r"(?<![\d.])\(?(?:\+?1[-–. /()\t\xa0]{0,3})?\(?")
LONGEST_PREFIX = 8
EXTENSION = Pattern(r"(?:,?[ ]?(?:x|ext\.?|extension)[ ]?\d{1,6})?(?!\d)", re.IGNORECASE)
NO_AREA = Pattern(r"(?<![\d.)-])(?<!\d[ ])\d{3}[-–. ]\d{4}(?!\d)")

AGED = Pattern(r"(?<![\d.])(?:(?<=age )|(?<=aged )|(?<=age: ))", re.IGNORECASE)
NO_FIGURE = Pattern(r"(?![\d.])")
NOT_COUNTED_ON = Pattern(r"(?<![\d.])")
YEARS = Pattern(r"(?=[ -]?(?:y\b|y/?o\b|y\.o|yrs?\b|years?\b))", re.IGNORECASE)


def number_of(type: str, value: str) -> Sought:
    """The same letters and digits with any separators; leading zeros may be missing or added."""
    core = re.sub(r"[\W_]", "", value).lstrip("0")
    if len(core) < FEWEST_CHARACTERS or not any(c.isdigit() for c in core):
        return as_written(type, value)
    check = _with_zeros if core[0].isdigit() else _separated
    return Sought(type, SEPARATED, tuple(map(folded, core)), check)


def _number_beginnings(note: NoteIndex, symbols: Iterable[str]) -> list[int]:
    """Where letters and digits begin, zeros before them left out."""
    firsts = frozenset(symbols)
    found = [
        place + len(figures) - len(rest)
        for figures, places in note.numbers.items()
        if (rest := figures.lstrip("0")) and rest[0] in firsts
        for place in places
    ]
    for word, places in note.words.items():
        if folded(word[0]) in firsts:
            found += places
    found.sort()
    return found


SEPARATED = Notation(Stream(re.compile(r"[-–. /_]?([^\W_])"), folded), _number_beginnings)
"""Letters and digits, each with a separator before it or not."""


def _with_zeros(text: str, start: int, end: int, lowest: int) -> Place | None:
    """A number that begins with a digit, and the zeros before it."""
    if text[end : end + 1].isalnum():
        return None
    for place in range(max(lowest, start - MOST_ZEROS), start + 1):
        if ZEROS.fullmatch(text, place, start):
            return place, end
    return None


def _separated(text: str, start: int, end: int, _: int) -> Place | None:
    """One that begins with a letter."""
    glued = text[end : end + 1].isalnum()
    return None if glued or not FREE.match(text, start) else (start, end)


def phones_of(type: str, value: str) -> Iterator[Sought]:
    """The same subscriber with or without country code, brackets, dots, or area code."""
    base, _, extension = value.lower().partition("x")
    digits = re.sub(r"\D", "", base)
    abroad = base.strip().startswith(("+", "00"))
    if len(digits) == 11 and digits[0] == "1":
        digits = digits[1:]
        abroad = False
    if len(digits) < FEWEST_DIGITS:
        yield as_written(type, value)
        return
    tail = bool(extension) or not abroad
    yield Sought(type, DIALLED, tuple(digits), _DIALLED[abroad, tail])
    if len(digits) == 10:
        yield Sought(type, DIALLED, tuple(digits[-LOCAL:]), _WITHOUT_AREA[tail])


def _phone_beginnings(note: NoteIndex, symbols: Iterable[str]) -> list[int]:
    """Where numbers begin, and where they go on after a country code."""
    firsts = frozenset(symbols)
    found: list[int] = []
    for figures, places in note.numbers.items():
        for code in ("", "1", "00"):
            size = len(code)
            if figures.startswith(code) and figures[size : size + 1] in firsts:
                found += [place + size for place in places]
    found.sort()
    return found


DIALLED = Notation(Stream(re.compile(r"[-–. /()\t\xa0]{0,3}(\d)"), str), _phone_beginnings)
"""Digits, and what may stand between those of a phone number."""


def _dialled(
    text: str, start: int, end: int, lowest: int, *, prefix: Pattern, tail: bool
) -> Place | None:
    """A whole number, with what may be dialled before it and its extension."""
    finish = _dialled_end(text, end, tail=tail)
    if finish is None:
        return None
    for place in range(max(lowest, start - LONGEST_PREFIX), start + 1):
        if prefix.fullmatch(text, place, start):
            return place, finish
    return None


def _without_area(text: str, start: int, end: int, _: int, *, tail: bool) -> Place | None:
    """555-0137 alone."""
    finish = _dialled_end(text, end, tail=tail) if NO_AREA.match(text, start) else None
    return None if finish is None else (start, finish)


def _dialled_end(text: str, end: int, *, tail: bool) -> int | None:
    if not tail:
        return None if text[end : end + 1].isdecimal() else end
    extension = EXTENSION.match(text, end)
    return extension.end() if extension else None


_DIALLED: dict[tuple[bool, bool], Check] = {
    (abroad, tail): partial(_dialled, prefix=ABROAD if abroad else AT_HOME, tail=tail)
    for abroad in (False, True)
    for tail in (False, True)
}
_WITHOUT_AREA: dict[bool, Check] = {
    tail: partial(_without_area, tail=tail) for tail in (False, True)
}


def age_of(value: str) -> Sought:
    """An age where the words around it say that it is one."""
    return as_written("AGE", value, _age)


def _age(text: str, start: int, end: int, _: int) -> Place | None:
    if AGED.match(text, start) and NO_FIGURE.match(text, end):
        return start, end
    counted_on = not NOT_COUNTED_ON.match(text, start)
    return None if counted_on or not YEARS.match(text, end) else (start, end)
