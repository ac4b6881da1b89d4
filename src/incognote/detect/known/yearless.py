"""Days and months without a year: 28/6, 06-28, 28.6., 28-Jun, June 28th, 28th of June.

In figures they look like fractions, scores and ranges. 28/6 and 03/04 read as a day; 3/4, 28-6 and
28.6 do only after a word such as on, or before a time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from incognote.detect.note_index import NoteIndex
from incognote.detect.pattern import Pattern
from incognote.detect.rules.dates.context import (
    DOSE_UNITS,
    FRACTION_AFTER,
    SCORE_BEFORE,
    WEEKDAY_WORDS,
    around,
    words,
)

MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|"
    r"sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
_NO_YEAR = (
    r"(?![^\W_]|[./:%°]\d|\.,?[ ]?(?:19|20)\d\d|,?[ ]?[-/ ]?['’]?"
    r"(?:(?:1[89]|20)\d\d|\d\d(?!:\d|[ ]?[ap]\.?m))(?!\d))"
)
_WORDED = Pattern(
    rf"(?<![\w/$#+])(?<!\d[.,:])(?P<d1>\d{{1,2}})(?:st|nd|rd|th)?[ ]?[-/. ]?[ ]?(?:of )?(?P<m1>{MONTH}){_NO_YEAR}"
    rf"|(?<![^\W_])(?P<m2>{MONTH})(?:\.?[ -]|\.)\s?(?P<d2>\d{{1,2}})(?:st|nd|rd|th)?{_NO_YEAR}",
    re.IGNORECASE,
)
_FIGURES = Pattern(
    r"(?<![\w/$#+])(?<!\d[.,:])(?P<a>\d{1,2})(?P<joint>[-/.])(?P<b>\d{1,2})(?P<dot>\.(?!\w))?"
    r"(?![\w%°]|[.:,]\d|/\w|[-–]\d{1,2}(?!\d?/))"
)
_RANGE_BEFORE = Pattern(r"(?<![\w./])\d{1,2}(?:/\d{1,2})?[-–]$")
_RANGE_AFTER = Pattern(r"[-–]\d{1,2}/\d{1,2}(?![\w/%°])")
_TIME_AFTER = Pattern(
    r",?[ ](?:at[ ]|@[ ]?)?\d{1,2}(?::\d\d|[ ]?[ap]\.?m\b|\d\d[ ]?h)", re.IGNORECASE
)
_DATE_BEFORE = WEEKDAY_WORDS | words(
    """
    on since from until till til before after dated date seen night nights visit visited admitted
    admission discharged discharge overnight morning evening afternoon today yesterday tomorrow due
    """
)
_ALSO_AFTER_DAYS = words(
    "the a up all full normal apart meal meals intact usual height way turn rate face match"
)
"""Words after a fraction that may begin what is told of a day."""


MonthAndDay = tuple[int, int]


def find_yearless(note: NoteIndex, days: Mapping[MonthAndDay, bool]) -> Iterator[tuple[int, int]]:
    """Where days are written without their year; each says if its day may stand before its month
    where it could be read as a month too.
    """
    text = note.text
    for match in _WORDED.finditer(text):
        which = "1" if match["m1"] else "2"
        month = match["m" + which]
        number = MONTHS.index(month[:3].lower()) + 1
        if month != "may" and (number, int(match["d" + which])) in days:  # 1 may be a verb's
            yield match.span()
    for match in _FIGURES.finditer(text):
        first, second = int(match["a"]), int(match["b"])
        is_known = (second, first) in days if first > 12 else (first, second) in days
        if (is_known or days.get((second, first))) and _reads_as_date(text, match):
            end = match.end() if match["joint"] == "." else match.end("b")
            yield _with_range(text, match, end)


def _reads_as_date(text: str, match: re.Match[str]) -> bool:
    """Whether what stands around figures, and how they are written, says that they are a date."""
    start, end = match.start(), match.end("b")
    if text[start - 1 : start] in ("-", "–") and not _RANGE_BEFORE.search(*_before(text, start)):
        return False
    first, second = match["a"], match["b"]
    padded = "0" in (first[0], second[0])
    is_day = int(first) > 12 or int(second) > 12
    sure = match["joint"] == "/" and (is_day or padded)
    sure = sure or (padded and (match["joint"] == "-" or match["dot"] is not None))
    near = around(text, start, end)
    counted = DOSE_UNITS | FRACTION_AFTER
    if near.next.rstrip(".") in (counted - _ALSO_AFTER_DAYS if sure else counted):
        return False
    if int(first) <= 12 and near.previous_word in SCORE_BEFORE:
        return False
    return (
        sure
        or near.previous_word in _DATE_BEFORE
        or _TIME_AFTER.match(text, match.end()) is not None
    )


def _with_range(text: str, match: re.Match[str], end: int) -> tuple[int, int]:
    """The whole of 26-28/6, 25/6-28/6 and 28/6-3/7: their other end would tell the day."""
    before = _RANGE_BEFORE.search(*_before(text, match.start()))
    after = _RANGE_AFTER.match(text, end)
    return before.start() if before else match.start(), after.end() if after else end


def _before(text: str, start: int) -> tuple[str, int, int]:
    return text, max(0, start - 8), start
