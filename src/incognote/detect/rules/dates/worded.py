"""Dates that name their month: March 14th, 14-MAR-2019, 14Mar19, "March of '98", June."""

from __future__ import annotations

import re
from collections.abc import Iterator

from incognote.detect.pattern import Pattern
from incognote.detect.rules.dates.bare_month import RELATIVE, Month, month_alone
from incognote.detect.rules.dates.calendar import (
    APOSTROPHE,
    DASH,
    DAY,
    GAP,
    ORDINAL,
    SPACE,
    YEAR,
    Hit,
    folded,
    with_vague_part,
)
from incognote.detect.rules.dates.context import DOSE_UNITS, TITLES, around

_ORDINAL_WORD = (
    "(?:twenty-?[ ]?|thirty-?[ ]?)?(?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth)"
    "|tenth|eleventh|twelfth|thirteenth|fourteenth|fifteenth|sixteenth|seventeenth|eighteenth"
    "|nineteenth|twentieth|thirtieth"
)
_ANY_YEAR = rf"(?:{YEAR}|{APOSTROPHE}\d\d)(?!\d)"
_NOT_COUNTED = r"(?![\d%°]|[.,:/]\d|-\d{3})"

_DAY_BEFORE = folded(
    rf"""
    (?<![\w/:$#])(?<!\d[.,])(?:(?<!\d-)|(?<=\b\d-)|(?<=\b\d\d-))
    (?: (?:{DAY})(?:{ORDINAL})?
        (?: {GAP}day{GAP}of{GAP} | {GAP}of{GAP} | {SPACE}?(?:[-/.,]|‐|‑|–){SPACE}? | {GAP} )?
      | (?:{_ORDINAL_WORD}){GAP}of{GAP} | (?:{_ORDINAL_WORD}){GAP}day{GAP}of{GAP}
    )$
    """
)
_MAY_BE_DAY = Pattern(r"\d|[oO][fF]\s")
"""A cheap look: most months stand in a sentence without a day before them."""
_LISTED_DAYS = folded(
    rf"""\b(?:on|of|from|between|dated|the|nights?|visits){GAP}
    (?P<days>(?:{DAY}(?:{ORDINAL})?(?:,?{GAP}(?:and|to|or|&){GAP}|,{GAP}|{DASH})){{1,4}})$"""
)
_RANGED_DAY = folded(
    rf"""(?<![\w.,/:$\#%-])
    (?P<days>{DAY}(?:{ORDINAL}(?:,{GAP}|{GAP}(?:and|to|or|&){GAP}|{DASH})|{DASH}))$"""
)
_WIDEST_LIST = 36
_YEAR_BEFORE = Pattern(rf"(?<![\w.,/:$#-]){YEAR}(?:[-/]|{SPACE}{{1,2}})$")
_DAY_AFTER_YEAR_AND_MONTH = Pattern(rf"[-/ ]{DAY}(?!\d)")
_WIDEST_BEFORE = 26

_AFTER_MONTH = folded(
    rf"""
    (?: {GAP}?(?:the{GAP})?(?P<day>{DAY})(?:{ORDINAL}\b)?{_NOT_COUNTED}(?:(?!{SPACE}?[-–]\d\d?{SPACE}[a-z])|)
        (?: {SPACE}?,?{GAP}?(?P<year_after_day>{_ANY_YEAR}) | ,{GAP}?\d\d(?![\d\w%]|[./:]\d) )?
      | {GAP}?[,/-]?{GAP}?(?:of{GAP})?(?P<year>{_ANY_YEAR})
      | (?:[-/])(?P<short_year>\d\d)(?!\d|[./]\d)
    )
    """
)
_AFTER_DAY_AND_MONTH = folded(
    rf"(?:{SPACE}?[-/.,‐‑–]?{GAP}?(?P<year>{_ANY_YEAR})|(?:[-/]|{SPACE})?\d\d(?![\w%]|[./:,]\d))"
)
_GOES_ON = Pattern(r"[ ]?[,;:)]|[ ][a-z0-9]")
_SECOND_DAY = folded(
    rf"""(?:{SPACE}?{DASH}{SPACE}?|{GAP}(?:and|to|through|thru|or|&){GAP})
    (?P<day>{DAY}(?:{ORDINAL}\b)?(?:,?{GAP}{_ANY_YEAR})?){_NOT_COUNTED}(?![^\W\d_])"""
)


def month_at(text: str, start: int, end: int) -> Iterator[Hit]:
    """The date around the name of a month."""
    month = Month(start, end, end + (text[end : end + 1] == "."), text[start:end])
    left = text[max(0, start - _WIDEST_BEFORE) : start]
    if left[-1:].isdigit() or left[-1:] in " \t\xa0\n-/.,–‐‑":
        day = _DAY_BEFORE.search(left) if _MAY_BE_DAY.search(left) else None
        if day and not _own_day(text, month.end) and _day_belongs(text, month, left[day.start() :]):
            first = start - len(left) + day.start()
            yield from _days_before(text, first)
            yield _day_first(text, first, month)
            return
        year = _YEAR_BEFORE.search(left)
        if year:
            after_year = _DAY_AFTER_YEAR_AND_MONTH.match(text, month.name_end)
            yield Hit(
                start - len(left) + year.start(),
                after_year.end() if after_year else month.name_end,
                0.85,
                "day",
            )
            return
    after = _AFTER_MONTH.match(text, month.end)
    if after and _number_belongs(text, month, after):
        yield Hit(with_vague_part(text, start), after.end(), 0.93, "day")
        yield from _second_days(text, after.end())
    elif month_alone(text, month):
        stop = month.end if _GOES_ON.match(text, month.end) else month.name_end
        yield Hit(with_vague_part(text, start), stop, 0.8, "day")


def _days_before(text: str, position: int) -> Iterator[Hit]:
    """The other days of "27-28 May", "the 23rd and 30th April", "visits of 4, 7 and 19 February"."""
    begin = max(0, position - _WIDEST_LIST)
    days = _LISTED_DAYS.search(text, begin, position) or _RANGED_DAY.search(text, begin, position)
    if days:
        for day in re.finditer(rf"{DAY}(?:{ORDINAL})?", days["days"], re.IGNORECASE):
            yield Hit(days.start("days") + day.start(), days.start("days") + day.end(), 0.8, "day")


def _day_first(text: str, start: int, month: Month) -> Hit:
    after = _AFTER_DAY_AND_MONTH.match(text, month.end)
    if after and (after["year"] or not _counts(text, after.end())):
        return Hit(start, after.end(), 0.93, "day")
    return Hit(start, month.end if _GOES_ON.match(text, month.end) else month.name_end, 0.93, "day")


def _own_day(text: str, end: int) -> bool:
    """Whether a day and a year follow, so that a number before the month is something else."""
    after = _AFTER_MONTH.match(text, end)
    return after is not None and after["year_after_day"] is not None


def _second_days(text: str, position: int) -> Iterator[Hit]:
    """The other end of "March 3-5, 2019" and the second of "September 14 and 22, 2010"."""
    match = _SECOND_DAY.match(text, position)
    if not match or _counts(text, match.end()):
        return
    joined = text[position : match.start("day")]
    explicit = not match["day"].isdigit()
    if explicit or re.fullmatch(rf"\s?{DASH}\s?", joined):
        yield Hit(*match.span("day"), 0.85, "day")


def _counts(text: str, end: int) -> bool:
    return around(text, end, end).next.rstrip(".") in DOSE_UNITS


def _day_belongs(text: str, month: Month, left: str) -> bool:
    """Whether a number before the month is its day: not in "2 may be" or "Jan 3, March"."""
    name = month.name
    if "\n" in left and not re.search(r"(?i)\bof\b", left):
        return False
    if re.search(r"[-–]\s$", left):
        return False
    if re.search(r"[.,]\s*$", left):
        return "," not in left and not re.search(r"\s$", left)
    if name in ("may", "march", "mar", "dec", "sep", "MAR", "MAY", "DEC", "OCT", "APR", "SEP"):
        tight = re.search(r"[^\s]$", left) is not None
        year = _AFTER_DAY_AND_MONTH.match(text, month.end)
        return (
            tight or bool(year and year["year"]) or (name.isupper() and name not in "MAY MAR DEC")
        )
    return True


def _number_belongs(text: str, month: Month, after: re.Match[str]) -> bool:
    """Whether the number after the month is its day or year."""
    name = month.name
    context = around(text, month.start, month.end)
    if context.previous in TITLES:
        return False
    if text[month.name_end : month.end] and "\n" in after[0]:
        return False
    if after["year"] or after["year_after_day"]:
        return True
    if _counts(text, after.end()):
        return False
    glued = text[month.end : month.end + 1].isdigit()
    if glued or after["short_year"]:
        return len(name) <= 4 and not name.islower() and name not in ("MAR", "DEC", "SEP")
    if "\n" in after[0]:
        return len(name) > 4 and name[0].isupper()
    if name in ("may", "dec", "mar", "sep", "march"):
        return context.previous in RELATIVE
    if name in ("OCT", "APR", "SEP", "MAR", "DEC"):
        return context.after[1:2] != (".",) or context.previous in RELATIVE
    return True
