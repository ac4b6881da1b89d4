"""Dates that name their month: March 14th, 14-MAR-2019, 14Mar19, "March of '98", June."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from incognote.detect.pattern import Pattern
from incognote.detect.rules.dates.context import (
    APOSTROPHE,
    DASH,
    DAY,
    DOSE_UNITS,
    GAP,
    ORDINAL,
    SPACE,
    YEAR,
    Around,
    around,
    date,
    folded,
    with_vague_part,
    words,
)
from incognote.detect.rules.engine import Finding
from incognote.knowledge.calendar import FULL_MONTHS, SHORT_MONTHS_READ, SURE_MONTHS
from incognote.knowledge.number_words import ORDINALS, TENTHS
from incognote.knowledge.people import DAY_TITLES

MONTH_HEADS = frozenset(map(str.lower, FULL_MONTHS + SHORT_MONTHS_READ))

# A month named alone: June is a month, but "may", "march", MAR and Ms. June are not.

_MONTH_BEFORE = words(
    """
    in since last this next by until till til of from through thru before after during early late
    mid each every for around about to between past previous prior and or our the shot due start
    started starting began begins beginning end ending back again ago seen sent visit fall scan
    labs done given first second third around dob lmp edd quit both mid- expected approx
    """
)
RELATIVE = words(
    "in since last this next by until till til of from through thru before after during early late"
)
_BEFORE_MAY = words("mid each every about around due approx")
_ALSO_VERBS = words("may march mar dec august")
_ALSO_ABBREVIATIONS = words("mar dec sep oct apr jan")
_ALSO_WORDS_OR_NAMES = words("mar dec jan jun")
_VERB_AFTER = words(
    """
    be need have not also take return add use require benefit bear leave help advance consider
    include represent resume shower well i we he she they you it in place up down on fracture
    start try go come get continue repeat wean cause indicate reflect show eat drive
    concern still take want consult give call see dc d/c
    """
)
_FIRST_WORD = Pattern(r"[^\W\d_]+")
_CLAUSE_END = words(": , ; . ) → / - –")
_PRONOUNS = words("he she they we i it in on")


class Month(NamedTuple):
    """The name of a month where it stands; `end` takes in the full stop of an abbreviation."""

    start: int
    name_end: int
    end: int
    name: str


def month_alone(text: str, month: Month) -> bool:
    """Whether a bare month name is the month, not a word, a name or an abbreviation."""
    lower = month.name.lower()
    before, after = text[month.start - 1 : month.start], text[month.end : month.end + 1]
    if before == "-" and text[month.start - 2 : month.start - 1].isupper():
        return False
    following = _FIRST_WORD.match(text, month.end + 1)
    if following and after in ("-", "–") and following[0].lower() in MONTH_HEADS:
        return True
    if following and after in ("-", "'", "’", "@", "_") and lower not in SURE_MONTHS:
        return False
    context = around(text, month.start, month.end)
    if context.previous in DAY_TITLES:
        return False
    if lower in SURE_MONTHS:
        return True
    introduced = context.previous in RELATIVE
    if lower in _ALSO_VERBS and context.next in _VERB_AFTER and not introduced:
        return False
    if with_vague_part(text, month.start) < month.start:
        return True
    if lower == "may":
        return _is_may(month.name, context, before)
    cue = context.previous in _MONTH_BEFORE or context.above in RELATIVE
    if lower == "march":
        inside = month.name == "March" and not context.line_start and context.previous not in ".;"
        return introduced if month.name == "march" else cue or inside
    if lower in ("april", "june", "august"):
        return month.name != "august" or cue
    return _is_abbreviated_month(month, context, cue)


def _is_may(name: str, context: Around, before: str) -> bool:
    if name == "may":
        return False
    if before in ("/", "-"):
        return name == "May"
    introduced = context.previous in RELATIVE or context.previous in _BEFORE_MAY
    return introduced and context.next not in _VERB_AFTER - _PRONOUNS


def _is_abbreviated_month(month: Month, context: Around, cue: bool) -> bool:
    lower = month.name.lower()
    if month.name.islower():
        return context.previous in RELATIVE and lower not in ("dec", "mar", "sep")
    if month.name.isupper() and lower in _ALSO_ABBREVIATIONS:
        return context.previous in RELATIVE - {"by", "of", "from", "in"}
    if month.name.istitle() and lower in _ALSO_WORDS_OR_NAMES:
        ends = context.line_end or month.end > month.name_end or context.next in _CLAUSE_END
        return cue or ends
    return True


# A month with its day or year.

_ORDINAL_WORD = (
    f"(?:twenty-?[ ]?|thirty-?[ ]?)?(?:{'|'.join(ORDINALS[1:10])})"
    f"|{'|'.join(ORDINALS[10:] + TENTHS)}"
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


def month_at(text: str, start: int, end: int) -> Iterator[Finding]:
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
            yield date(
                start - len(left) + year.start(),
                after_year.end() if after_year else month.name_end,
                0.85,
            )
            return
    after = _AFTER_MONTH.match(text, month.end)
    if after and _number_belongs(text, month, after):
        yield date(with_vague_part(text, start), after.end(), 0.93)
        yield from _second_days(text, after.end())
    elif month_alone(text, month):
        stop = month.end if _GOES_ON.match(text, month.end) else month.name_end
        yield date(with_vague_part(text, start), stop, 0.8)


def _days_before(text: str, position: int) -> Iterator[Finding]:
    """The other days of "27-28 May", "the 23rd and 30th April", "visits of 4, 7 and 19 February"."""
    begin = max(0, position - _WIDEST_LIST)
    days = _LISTED_DAYS.search(text, begin, position) or _RANGED_DAY.search(text, begin, position)
    if days:
        for day in re.finditer(rf"{DAY}(?:{ORDINAL})?", days["days"], re.IGNORECASE):
            yield date(days.start("days") + day.start(), days.start("days") + day.end(), 0.8)


def _day_first(text: str, start: int, month: Month) -> Finding:
    after = _AFTER_DAY_AND_MONTH.match(text, month.end)
    if after and (after["year"] or not _counts(text, after.end())):
        return date(start, after.end(), 0.93)
    return date(start, month.end if _GOES_ON.match(text, month.end) else month.name_end, 0.93)


def _own_day(text: str, end: int) -> bool:
    """Whether a day and a year follow, so that a number before the month is something else."""
    after = _AFTER_MONTH.match(text, end)
    return after is not None and after["year_after_day"] is not None


def _second_days(text: str, position: int) -> Iterator[Finding]:
    """The other end of "March 3-5, 2019" and the second of "September 14 and 22, 2010"."""
    match = _SECOND_DAY.match(text, position)
    if not match or _counts(text, match.end()):
        return
    joint = text[position : match.start("day")]
    explicit = not match["day"].isdigit()
    if explicit or re.fullmatch(rf"\s?{DASH}\s?", joint):
        yield date(*match.span("day"), 0.85)


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
    if context.previous in DAY_TITLES:
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
