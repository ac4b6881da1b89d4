"""What the dates of a note say about each other: the order of day and month, the year, the style."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from datetime import date

from incognote.replace.surrogate.dates.names import MONTH_NAMES, MONTHS, SHORT_MONTHS
from incognote.replace.surrogate.dates.parse import parse
from incognote.replace.surrogate.dates.parsed import Context, Order

_BESIDE = 32
_NUMBERS = re.compile(
    r"(?<![\d/.-])(\d{1,2})\s?([-/.])\s?(\d{1,2})(?:\s?\2\s?(\d{4}|\d{2}))?(?![\d/.-])"
)
_WORD = re.compile(r"[^\W\d_]+")
_FULL = frozenset(name.lower() for name in MONTHS) - {"may"}
_SHORT = frozenset(name.lower() for name in (*SHORT_MONTHS, "Sept")) - {"may"}


def read_note(dates: Iterable[str], order: Order = "mdy") -> Context:
    """How the dates of a note are to be read, from the texts of its DATE spans.

    A date that can be read in one order only, such as 3/14/19, decides for those that can be
    read in both; if the note has none, or as many of each, `order` does. A year first (19/3/14)
    looks like a day first: with `ymd` the note is not asked.
    """
    texts = list(dates)
    context = Context(
        order=_order(texts, order), padded=_padded(texts), short_months=_short_months(texts)
    )
    return replace(context, around=_around(texts, context))


def beside(context: Context, text: str, start: int, end: int) -> Context:
    """The context of one span: the note's, with the text on either side of the span."""
    return replace(
        context, before=text[max(0, start - _BESIDE) : start], after=text[end : end + _BESIDE]
    )


def _order(texts: Iterable[str], otherwise: Order) -> Order:
    if otherwise == "ymd":
        return otherwise
    month_first = day_first = 0
    for text in texts:
        for match in _NUMBERS.finditer(text):
            first, second = int(match[1]), int(match[3])
            weight = 3 if match[4] else 1
            month_first += weight * (first <= 12 < second <= 31)
            day_first += weight * (second <= 12 < first <= 31)
    if month_first == day_first:
        return otherwise
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


def _around(texts: Iterable[str], context: Context) -> date | None:
    """The middle one of the note's full dates in the year that has most of them.

    A date counts once: that of birth may stand at the head of every page.
    """
    days: list[date] = []
    years: Counter[int] = Counter()
    for text in dict.fromkeys(texts):
        parsed = parse(text, context)
        for point in parsed.points if parsed else ():
            if point.year is None or point.unit not in ("day", "month", "year"):
                continue
            years[point.year] += 1
            if point.unit == "day" and point.month and point.day:
                days.append(date(point.year, point.month, min(point.day, 28)))
    if not days:
        return date(max(years, key=lambda year: (years[year], year)), 7, 1) if years else None
    dated = Counter(day.year for day in days)
    year = max(dated, key=lambda year: (dated[year], year))
    in_year = sorted(day for day in days if day.year == year)
    return in_year[len(in_year) // 2]
