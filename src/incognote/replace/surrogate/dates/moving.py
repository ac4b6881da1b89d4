"""Where a point goes when the calendar is shifted.

The rule for each precision:

- a day moves by exactly the shift, so that distances between days stay what they were;
- a month, quarter, season, year or decade moves by the shift rounded to whole months, quarters,
  years or decades, so that distances between partial dates of one precision stay exact as well;
- a day without a year is taken to be the one nearest to the note's date;
- a weekday moves by the shift: it stays when the shift is in whole weeks;
- a holiday moves as its day does, and becomes that day: no holiday's name is ever written, for a
  name beside a date would tell that the original was a holiday too, and so which shifts can be.

A day that does not exist, such as 31 June, is counted on from the first of its month.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from math import floor

from incognote.replace.surrogate.dates.holidays import Holiday, days_in, nearest_day
from incognote.replace.surrogate.dates.parsed import Context, Point

_YEAR = 365.2425
_PAST, _TO_COME = 90, 10
_ABOUT = 2
"""By so many days the reckoned day of a holiday may be off, where the moon tells it."""


@dataclass(frozen=True)
class Moved:
    """A point after the shift. `beside` says that the same day stands beside it as a date."""

    year: int
    month: int = 1
    day: int = 1
    place: int = 0
    beside: bool = False


def whole(days: int, per_year: float) -> int:
    """The shift in whole months (12 a year), quarters (4), years (1) or decades (0.1)."""
    return floor(days * per_year / _YEAR + 0.5)


def move(point: Point, days: int, context: Context, others: Sequence[Point] = ()) -> Moved:
    """The point, so many days later. `others` are the points that stand in one date with it."""
    if point.unit == "day":
        day = date.fromordinal(_ordinal(point, context) + days)
        return Moved(day.year, day.month, day.day)
    if point.unit == "holiday" and point.holiday:
        return _move_holiday(point, point.holiday, days, context, others)
    year = context.today.year if point.year is None else point.year
    if point.unit == "month":
        months = 12 * year + (point.month or 1) - 1 + whole(days, 12)
        return Moved(months // 12, months % 12 + 1)
    if point.unit in ("quarter", "season"):
        school_year = point.token("second year") is not None
        quarters = 4 * year + (point.place + school_year) % 4 + whole(days, 4)
        return Moved(quarters // 4, place=(quarters - school_year) % 4)
    return Moved(year + (10 * whole(days, 0.1) if point.unit == "decade" else whole(days, 1)))


def _ordinal(point: Point, context: Context) -> int:
    """The day that is meant, counted from the year 1."""
    today = context.today.toordinal()
    years = [point.year] if point.year is not None else _years_around(context)
    months = [point.month] if point.month is not None else list(range(1, 13))
    days = [_day(year, month, point.day or 1) for year in years for month in months]
    existing = [ordinal for ordinal, exists in days if exists]
    weekday = point.weekday if point.month is None or context.around is None else None

    def likeliest(ordinal: int) -> tuple[bool, int, int]:
        on_another_day = weekday is not None and (ordinal - 1) % 7 != weekday
        return on_another_day, abs(ordinal - today), ordinal

    return min(existing or [ordinal for ordinal, _ in days], key=likeliest)


def _years_around(context: Context) -> list[int]:
    """Enough of them for a leap day to be among them."""
    return list(range(context.today.year - 4, context.today.year + 5))


def _day(year: int, month: int, day: int) -> tuple[int, bool]:
    ordinal = date(year, month, 1).toordinal() + day - 1
    return ordinal, date.fromordinal(ordinal).month == month


def _move_holiday(
    point: Point, holiday: Holiday, days: int, context: Context, others: Sequence[Point]
) -> Moved:
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
    return Moved(day.year, day.month, day.day, beside=bool(beside))


def _day_of(point: Point, holiday: Holiday, context: Context) -> date:
    """When the holiday is that is meant: in its year, on a day that the note names, or nearest."""
    if point.year is not None:
        in_year = days_in(holiday, point.year)
        return in_year[0] if in_year else nearest_day(holiday, date(point.year, 7, 1))
    today = context.today
    years = range(max(1, today.year - _PAST), today.year + _TO_COME)
    named = [day for year in years for day in days_in(holiday, year) if day in context.days]
    return min(named or [nearest_day(holiday, today)], key=lambda day: (abs(day - today), day))
