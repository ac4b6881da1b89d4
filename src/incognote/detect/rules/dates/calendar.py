"""The words and numbers of the calendar that every date rule shares."""

from __future__ import annotations

import re
from typing import NamedTuple

from incognote.detect.pattern import Pattern

FIRST_YEAR, LAST_YEAR = 1850, 2210
"""Research records shift their years into the 2100s; such a date is still a date."""

DASH = r"[-‐‑‒–—−]"
APOSTROPHE = r"['’‘`´]"
SPACE = r"[^\S\r\n]"
GAP = rf"(?:{SPACE}{{1,3}}|{SPACE}?\r?\n{SPACE}{{0,12}})"
"""White space inside one value: a few blanks or one line break."""

DAY = r"(?:3[01]|[12]\d|0?[1-9])"
ORDINAL = r"(?:st|nd|rd|th)"
YEAR = r"(?:1[89]|20)\d\d"

FULL_MONTHS = (
    "January|Janurary|Januray|February|Febuary|Feburary|March|April|May|June|July|August"
    "|September|Septmber|Septembre|October|Ocotber|Octobre|November|Novemeber|Novembre"
    "|December|Decemeber|Décembre"
    "|janvier|février|fevrier|avril|juin|juillet|août|septiembre|octubre|noviembre|diciembre"
    "|enero|febrero|marzo|abril|junio|julio|agosto"
)
SHORT_MONTHS = "Sept|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sep|Oct|Nov|Dec"

FULL_WEEKDAYS = (
    "Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday"
    "|Tuesady|Wendesday|Wedensday|Wensday|Wednsday|Thrusday|Thurday|Satruday|Saterday"
    "|lundi|mercredi|jeudi|vendredi|samedi|dimanche|lunes|martes|miércoles|jueves|viernes|sábado"
)
SHORT_WEEKDAYS = "Mon|Tues|Tue|Weds|Wedn|Wed|Thurs|Thur|Thu|Fri|Sat|Sun"

WEEKDAY_WORDS = frozenset((FULL_WEEKDAYS + "|" + SHORT_WEEKDAYS).lower().split("|"))


class Hit(NamedTuple):
    """A stretch that reads as a date, how sure, and of what kind.

    `kind` tells which neighbours may join it: `day` (names a day or month), `year`, `weekday`,
    `holiday`.
    """

    start: int
    end: int
    score: float
    kind: str


_VAGUE = Pattern(rf"(?<![^\W_])(?:early|mid|late)(?:{SPACE}|{DASH})$", re.IGNORECASE)


def with_vague_part(text: str, start: int) -> int:
    """Where the expression starts when "early", "mid" or "late" stands before it."""
    match = _VAGUE.search(text, max(0, start - 7), start)
    return match.start() if match else start


def full_year(digits: str) -> int:
    """The year that two or four digits name; two digits mean the century around now."""
    value = int(digits)
    if len(digits) != 2:
        return value
    return value + (2000 if value < 50 else 1900)


def month_and_day(first: int, second: int) -> bool:
    """Whether the two are a month and a day, in either order (30 February passes: notes err)."""
    return (1 <= first <= 12 and 1 <= second <= 31) or (1 <= second <= 12 and 1 <= first <= 31)


def plausible_year(value: int) -> bool:
    """Whether a note could mean this year."""
    return FIRST_YEAR <= value <= LAST_YEAR


def folded(pattern: str) -> Pattern:
    """Compile a verbose pattern that ignores case."""
    return Pattern(pattern, re.IGNORECASE | re.VERBOSE)
