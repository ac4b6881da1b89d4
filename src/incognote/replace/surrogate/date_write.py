"""Writing a moved date in the format of the original."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from math import floor

from incognote.knowledge.calendar import (
    DECADE_NAMES,
    MONTH_NAMES,
    MONTHS,
    ROMAN_NAMES,
    SEASON_NAMES,
    WEEKDAY_NAMES,
    WEEKDAYS,
    later_days,
    rename,
)
from incognote.knowledge.holidays import Holiday, days_in, nearest_day
from incognote.knowledge.letters import in_case_of
from incognote.knowledge.number_words import write_number, write_ordinal, write_year
from incognote.replace.surrogate.date_readings import Context, ParsedDate, Point, quarter_of
from incognote.replace.surrogate.date_tokens import Token

_QUARTERS = ("first", "second", "third", "fourth")
_YEAR_FIRST = re.compile(r"[^nY]*Y_?[-/.]?_?n")
_DAY_AND_NAMED_MONTH = re.compile(r"n[-/]?M[-/]?[nY]")
"""Formats that are written with zeros unless they show otherwise: ISO, 14-Mar-2019."""
_WEEKDAY_BEFORE = re.compile(r"(?i)\b(?:mon|tues?|wed|thur?s?|fri|sat|sun)[a-z]{0,6}\.?\W{1,3}$")
_SUFFIXES = {1: "st", 2: "nd", 3: "rd"}


def shift(parsed: ParsedDate, days: int) -> str:
    """The date so many days later, as the original is written."""
    texts = [token.text for token in parsed.tokens]
    new_points = [move(point, days, parsed.context, parsed.points) for point in parsed.points]
    for point, new in zip(parsed.points, new_points, strict=True):
        _write(parsed, point, new, days, texts)
    for point, new in zip(parsed.points, new_points, strict=True):
        if point.lender is not None and new_points[point.lender].month != new.month:
            _write_month_of_its_own(parsed, point, new, texts)
    return "".join(texts[parsed.first : parsed.last])


def _write(
    parsed: ParsedDate, point: Point, new: ShiftedPoint, days: int, texts: list[str]
) -> None:
    tokens = parsed.tokens
    for part in point.parts:
        token = tokens[part.token]
        if part.role == "month":
            text = _month(parsed, part.token, new.month)
        elif part.role == "day":
            text = _day(parsed, part.token, new.day)
        elif part.role == "suffix":
            text = _suffix(token.text, point.day, new.day)
        elif part.role == "year":
            text = _year(token, new.year)
        elif part.role == "second year":
            text = _year(token, token.value + new.year - (point.year or new.year))
        elif part.role == "weekday":
            text = _weekday(token, days)
        elif part.role == "season":
            text = rename(token.text, SEASON_NAMES, new.place)
        elif part.role == "quarter":
            text = _quarter(token.text, new.place)
        elif part.role == "decade":
            text = _decade(token, new.year)
        else:
            text = _holiday(parsed, point, part.token, new) if days else token.text
        texts[part.token] = text


def _month(parsed: ParsedDate, index: int, month: int) -> str:
    token = parsed.tokens[index]
    if token.code == "n":
        return _padded(parsed, index, month)
    if token.code == "R":
        return rename(token.text, ROMAN_NAMES, month - 1)
    return rename(token.text, MONTH_NAMES, month - 1, short=_short_months(parsed, index))


def _short_months(parsed: ParsedDate, index: int) -> bool:
    """Whether May is an abbreviation: by its full stop, a digit or dash beside it, or the note."""
    others = [token.text.rstrip(".").lower() for token in parsed.tokens if token.code == "M"]
    full = {name.lower() for name in MONTHS} - {"may"}
    if any(name != "may" for name in others):
        return not any(name in full for name in others)
    if parsed.context.short_months is not None:
        return parsed.context.short_months
    beside = {token.code for token in parsed.tokens[max(0, index - 1) : index + 2]}
    return parsed.tokens[index].text.endswith(".") or bool(beside & {"n", "Y", "-", "/"})


def _day(parsed: ParsedDate, index: int, day: int) -> str:
    token = parsed.tokens[index]
    if token.value == day:
        return token.text
    if token.code == "n":
        return _padded(parsed, index, day)
    return write_ordinal(day, token.text) if token.code == "o" else write_number(day, token.text)


def _padded(parsed: ParsedDate, index: int, value: int) -> str:
    """One digit or two: as this number shows, or its neighbours, or the note, or the custom."""
    text = parsed.tokens[index].text
    if len(text) == 1:
        return str(value)
    if text[0] == "0":
        return f"{value:02}"
    codes = "".join(token.code for token in parsed.tokens)
    glued = "n" in (codes[index - 1 : index], codes[index + 1 : index + 2])
    if glued or _YEAR_FIRST.match(codes):
        return f"{value:02}"
    padded = _DAY_AND_NAMED_MONTH.search(codes) is not None
    if "M" not in codes:
        neighbours = _neighbours(parsed)
        padded = neighbours[0][0] == "0" if neighbours else bool(parsed.context.padded)
    return f"{value:02}" if padded else str(value)


def _neighbours(parsed: ParsedDate) -> list[str]:
    """Months and days that show whether zeros are written."""
    parts = (part for point in parsed.points for part in point.parts)
    numbers = [parsed.tokens[part.token].text for part in parts if part.role in ("month", "day")]
    return [number for number in numbers if number[0] == "0" or len(number) == 1]


def _suffix(pattern: str, old: int | None, day: int) -> str:
    if old == day:
        return pattern
    ending = "th" if day in (11, 12, 13) else _SUFFIXES.get(day % 10, "th")
    blank = pattern[: len(pattern) - len(pattern.lstrip())]
    return blank + (ending.upper() if pattern.isupper() else ending)


def _year(token: Token, year: int) -> str:
    if token.code == "y":
        return token.text if token.value == year else write_year(year, token.text)
    if len(token.text) == 4:
        return f"{year:04}"
    return str(year % 100) if len(token.text) == 1 else f"{year % 100:02}"


def _weekday(token: Token, days: int) -> str:
    if token.code == "m":
        return later_days(token.text, days)
    return rename(token.text, WEEKDAY_NAMES, (token.value + days) % 7)


def _quarter(pattern: str, place: int) -> str:
    old = quarter_of(pattern)
    if old == place:
        return pattern
    digit = re.search(r"[1-4]", pattern)
    if digit is None:
        word, rest = re.split(r"(?=\s)", pattern, maxsplit=1)
        return in_case_of(_QUARTERS[place], word) + rest
    suffix = re.match(r"(?i)[1-4](st|nd|rd|th)", pattern)
    if suffix:
        return f"{place + 1}{_suffix(suffix[1], old + 1, place + 1)}{pattern[3:]}"
    return pattern.replace(digit[0], str(place + 1), 1)


def _decade(token: Token, year: int) -> str:
    if token.code == "K":
        return rename(token.text, DECADE_NAMES, year % 100 // 10)
    return f"{year:04}" if len(token.text) == 4 else f"{year % 100:02}"


def _holiday(parsed: ParsedDate, point: Point, index: int, new: ShiftedPoint) -> str:
    """The plain day or, for a season, month; the weekday where the day stands beside it already."""
    pattern = parsed.tokens[index].text
    month = in_case_of(MONTHS[new.month - 1], pattern)
    if point.holiday and point.holiday.days > 1:
        return month
    year = point.token("year")
    if new.beside and year is None and not _WEEKDAY_BEFORE.search(parsed.context.before):
        weekday = date(new.year, new.month, new.day).weekday()
        return in_case_of(WEEKDAYS[weekday], pattern)
    following = parsed.tokens[index + 1 : index + 2]
    comma = (
        "," if year is not None and year > index and following and following[0].code == "_" else ""
    )
    return f"{month} {new.day}{comma}"


def _write_month_of_its_own(
    parsed: ParsedDate, point: Point, new: ShiftedPoint, texts: list[str]
) -> None:
    """March 30-31 a week later is April 6-7, but a day later it is March 31-April 1."""
    lender = parsed.points[point.lender or 0]
    month, day, own = lender.token("month"), lender.token("day"), point.token("day")
    if month is None or day is None or own is None:
        return
    name = _month(parsed, month, new.month)
    if month < day:
        texts[own] = name + "".join(t.text for t in parsed.tokens[month + 1 : day]) + texts[own]
    else:
        after = lender.token("suffix") or day
        between = "".join(token.text for token in parsed.tokens[after + 1 : month])
        last = point.token("suffix") or own
        texts[last] += between + name


# Where a point goes when the calendar is shifted.
#
# The rule for each precision:
#
# - a day moves by exactly the shift, so that distances between days stay what they were;
# - a month, quarter, season, year or decade moves by the shift rounded to whole months, quarters,
#   years or decades, so that distances between partial dates of one precision stay exact as well;
# - a day without a year is taken to be the one nearest to the note's date;
# - a weekday moves by the shift: it stays when the shift is in whole weeks;
# - a holiday moves as its day does, and becomes that day: no holiday's name is ever written, for a
#   name beside a date would tell that the original was a holiday too, and so which shifts can be.
#
# A day that does not exist, such as 31 June, is counted on from the first of its month.

_YEAR = 365.2425
_PAST, _TO_COME = 90, 10
_ABOUT = 2
"""By so many days the reckoned day of a holiday may be off, where the moon tells it."""


@dataclass(frozen=True)
class ShiftedPoint:
    """A point after the shift. `beside` says that the same day stands beside it as a date."""

    year: int
    month: int = 1
    day: int = 1
    place: int = 0
    beside: bool = False


def whole(days: int, per_year: float) -> int:
    """The shift in whole months (12 a year), quarters (4), years (1) or decades (0.1)."""
    return floor(days * per_year / _YEAR + 0.5)


def move(point: Point, days: int, context: Context, others: Sequence[Point] = ()) -> ShiftedPoint:
    """The point, so many days later. `others` are the points that stand in one date with it."""
    if point.unit == "day":
        day = date.fromordinal(_ordinal(point, context) + days)
        return ShiftedPoint(day.year, day.month, day.day)
    if point.unit == "holiday" and point.holiday:
        return _move_holiday(point, point.holiday, days, context, others)
    year = context.today.year if point.year is None else point.year
    if point.unit == "month":
        months = 12 * year + (point.month or 1) - 1 + whole(days, 12)
        return ShiftedPoint(months // 12, months % 12 + 1)
    if point.unit in ("quarter", "season"):
        school_year = point.token("second year") is not None
        quarters = 4 * year + (point.place + school_year) % 4 + whole(days, 4)
        return ShiftedPoint(quarters // 4, place=(quarters - school_year) % 4)
    return ShiftedPoint(
        year + (10 * whole(days, 0.1) if point.unit == "decade" else whole(days, 1))
    )


def _ordinal(point: Point, context: Context) -> int:
    """The day that is meant, counted from the year 1."""
    today = context.today.toordinal()
    years = [point.year] if point.year is not None else _years_around(context)
    months = [point.month] if point.month is not None else list(range(1, 13))
    days = [_day_of_month(year, month, point.day or 1) for year in years for month in months]
    existing = [ordinal for ordinal, exists in days if exists]
    weekday = point.weekday if point.month is None or context.around is None else None

    def likeliest(ordinal: int) -> tuple[bool, int, int]:
        on_another_day = weekday is not None and (ordinal - 1) % 7 != weekday
        return on_another_day, abs(ordinal - today), ordinal

    return min(existing or [ordinal for ordinal, _ in days], key=likeliest)


def _years_around(context: Context) -> list[int]:
    """Enough of them for a leap day to be among them."""
    return list(range(context.today.year - 4, context.today.year + 5))


def _day_of_month(year: int, month: int, day: int) -> tuple[int, bool]:
    ordinal = date(year, month, 1).toordinal() + day - 1
    return ordinal, date.fromordinal(ordinal).month == month


def _move_holiday(
    point: Point, holiday: Holiday, days: int, context: Context, others: Sequence[Point]
) -> ShiftedPoint:
    """The day of a holiday, so much later; it is the one beside it if that can be the holiday's."""
    original = _day_of(point, holiday, context)
    near = [
        date.fromordinal(_ordinal(other, context))
        for other in (*others, *context.days_beside)
        if other.unit == "day" and other.month and other.day
    ]
    beside = [day for day in near if abs((nearest_day(holiday, day) - day).days) <= _ABOUT]
    if beside and holiday.days == 1:
        original = beside[0]
    day = date.fromordinal(original.toordinal() + days)
    return ShiftedPoint(day.year, day.month, day.day, beside=bool(beside))


def _day_of(point: Point, holiday: Holiday, context: Context) -> date:
    """When the holiday is that is meant: in its year, on a day that the note names, or nearest."""
    if point.year is not None:
        in_year = days_in(holiday, point.year)
        return in_year[0] if in_year else nearest_day(holiday, date(point.year, 7, 1))
    today = context.today
    years = range(max(1, today.year - _PAST), today.year + _TO_COME)
    days = [day for year in years for day in days_in(holiday, year) if day in context.days]
    return min(days or [nearest_day(holiday, today)], key=lambda day: (abs(day - today), day))
