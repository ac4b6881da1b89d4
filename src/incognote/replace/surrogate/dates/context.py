"""What the dates of a note say about each other: the order of day and month, the year, the style."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from datetime import date

from incognote.replace.surrogate.dates.holidays import holiday_at
from incognote.replace.surrogate.dates.names import MONTH_NAMES, MONTHS, SHORT_MONTHS
from incognote.replace.surrogate.dates.parse import parse
from incognote.replace.surrogate.dates.parsed import Context, Order, Point

_BESIDE = 32
_NUMBERS = re.compile(
    r"(?<![\d/.-])(\d{1,2})\s?([-/.])\s?(\d{1,2})(?:\s?\2\s?(\d{4}|\d{2}))?(?![\d/.-])"
)
_DATE = (
    r"(?P<date>\d{1,4}\s?([-/.])\s?\d{1,2}(?:\s?\2\s?\d{1,4})?(?!\d)"
    r"|[^\W\d_]{3,9}\.?\s\d{1,2}(?:st|nd|rd|th)?(?:,?\s\d{4})?(?!\d)"
    r"|\d{1,2}(?:st|nd|rd|th)?\s[^\W\d_]{3,9}\.?(?:,?\s\d{4})?(?!\d))"
)
_DATE_AFTER = re.compile(rf"[\s,;:(\[–—-]{{1,4}}(?:on\s)?{_DATE}")
_DATE_BEFORE = re.compile(rf"(?<!\d){_DATE}[\s,;:(\[–—-]{{1,4}}(?:on\s)?$")
_WORD = re.compile(r"[^\W\d_]+")
_FULL = frozenset(name.lower() for name in MONTHS) - {"may"}
_SHORT = frozenset(name.lower() for name in (*SHORT_MONTHS, "Sept")) - {"may"}


def read_note(dates: Iterable[str], order: Order = "mdy", certain: Order | None = None) -> Context:
    """How the dates of a note are to be read, from the texts of its DATE spans.

    A date that can be read in one order only, such as 3/14/19, decides for those that can be
    read in both; if the note has none, or as many of each, `order` does. A year first (19/3/14)
    looks like a day first: with `ymd` the note is not asked. A `certain` order is taken whatever
    the note says.
    """
    texts = list(dates)
    context = Context(
        order=certain or _order(texts, order),
        padded=_padded(texts),
        short_months=_short_months(texts),
    )
    days = _days(texts, context)
    return replace(context, around=_around(days), days=frozenset(day for day, full in days if full))


def beside(context: Context, text: str, start: int, end: int) -> Context:
    """The context of one span: the note's, with the text on either side of the span.

    Dates just beside a span matter to a holiday, which is one of them: `Christmas Day, 12/25/2018`.
    """
    before, after = text[max(0, start - _BESIDE) : start], text[end : end + _BESIDE]
    near: list[Point] = []
    if holiday_at(text[start:end] or " ", 0):
        for match in (_DATE_AFTER.match(after), _DATE_BEFORE.search(before)):
            parsed = parse(match["date"], context) if match else None
            near += parsed.points if parsed else ()
    return replace(context, before=before, after=after, days_beside=tuple(near))


def _order(texts: Iterable[str], otherwise: Order) -> Order:
    return otherwise if otherwise == "ymd" else order_by(*order_votes(texts)) or otherwise


def order_votes(texts: Iterable[str]) -> tuple[int, int]:
    """How much dates that can be read in one order only speak for the month first, and the day."""
    month_first = day_first = 0
    for text in texts:
        for match in _NUMBERS.finditer(text):
            first, second = int(match[1]), int(match[3])
            weight = 3 if match[4] else 1
            month_first += weight * (first <= 12 < second <= 31)
            day_first += weight * (second <= 12 < first <= 31)
    return month_first, day_first


def order_by(month_first: int, day_first: int) -> Order | None:
    """The order that votes decide; None if they are even."""
    if month_first == day_first:
        return None
    return "mdy" if month_first > day_first else "dmy"


def _padded(texts: Iterable[str]) -> bool | None:
    with_zero = without = 0
    for text in texts:
        for match in _NUMBERS.finditer(text):
            with_zero += match[1][0] == "0" or (match[3][0] == "0" and match[4] is not None)
            without += len(match[1]) == 1 or len(match[3]) == 1
    return None if with_zero == without else with_zero > without


def _short_months(texts: Iterable[str]) -> bool | None:
    words = Counter(
        word.lower() in _SHORT
        for text in texts
        for word in _WORD.findall(text)
        if word.lower() in MONTH_NAMES and word.lower() in _SHORT | _FULL
    )
    return None if words[True] == words[False] else words[True] > words[False]


def _days(texts: Iterable[str], context: Context) -> list[tuple[date, bool]]:
    """The days and years of the note's dates, and whether each is a whole date.

    A date counts once: that of birth may stand at the head of every page.
    """
    days: list[tuple[date, bool]] = []
    for text in dict.fromkeys(texts):
        parsed = parse(text, context)
        for point in parsed.points if parsed else ():
            if point.year is None or point.unit not in ("day", "month", "year"):
                continue
            whole = point.unit == "day" and bool(point.month and point.day)
            month, day = (point.month or 7, min(point.day or 1, 28)) if whole else (7, 1)
            exact = _existing(point.year, month, point.day or 1) if whole else None
            days.append((exact or date(point.year, month, day), whole))
    return days


def _existing(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _around(days: list[tuple[date, bool]]) -> date | None:
    """The middle one of the note's full dates in the year that has most of them."""
    full = [day for day, whole in days if whole]
    years = Counter(day.year for day in full or (day for day, _ in days))
    if not years:
        return None
    year = max(years, key=lambda year: (years[year], year))
    in_year = sorted(day for day in full if day.year == year)
    return in_year[len(in_year) // 2] if in_year else date(year, 7, 1)
