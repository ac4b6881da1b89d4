"""When holidays fall: fixed days, the n-th weekday of a month, Easter, and the moon's.

Feasts of lunar calendars are reckoned from the mean new moon or the tabular Islamic calendar and
may be a day or two off, which does not matter for choosing a holiday near a shifted date.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta
from math import ceil

Rule = Callable[[int], tuple[date, ...]]
"""From a year to the days on which a holiday falls in it."""

_NEW_MOON, _MONTH = 730125.598, 29.530588861
"""The proleptic ordinal of a mean new moon, and the days between two."""


def fixed(month: int, day: int) -> Rule:
    """The same day every year."""
    return lambda year: (date(year, month, day),)


def last_of_february(year: int) -> tuple[date, ...]:
    """Leap day, or the day before March in other years."""
    return (date(year, 3, 1) - timedelta(1),)


def nth(place: int, weekday: int, month: int, later: int = 0) -> Rule:
    """The n-th weekday (Monday is 0) of a month, the last for -1, and some days later."""

    def days(year: int) -> tuple[date, ...]:
        if place < 0:
            end = date(year + month // 12, month % 12 + 1, 1) - timedelta(1)
            found = end - timedelta((end.weekday() - weekday) % 7)
        else:
            first = date(year, month, 1)
            found = first + timedelta((weekday - first.weekday()) % 7 + 7 * (place - 1))
        return (found + timedelta(later),)

    return days


def easter(later: int = 0) -> Rule:
    """Days after Western Easter, by the Gregorian computus."""

    def days(year: int) -> tuple[date, ...]:
        century, golden = year // 100, year % 19
        moon = (19 * golden + century - century // 4 - (8 * century + 13) // 25 + 15) % 30
        moon -= (moon // 28) * (1 - (29 // (moon + 1)) * ((21 - golden) // 11))
        sunday = (year + year // 4 + moon + 2 - century + century // 4) % 7
        after = moon - sunday
        month = 3 + (after + 40) // 44
        day = after + 28 - 31 * (month // 4)
        return (date(year, month, day) + timedelta(later),)

    return days


def orthodox_easter(later: int = 0) -> Rule:
    """Days after Easter by the Julian computus, as a Gregorian date until 2099."""

    def days(year: int) -> tuple[date, ...]:
        d = (19 * (year % 19) + 15) % 30
        e = (2 * (year % 4) + 4 * (year % 7) - d + 34) % 7
        month, day = divmod(d + e + 114, 31)
        return (date(year, month, day + 1) + timedelta(13 + later),)

    return days


def moon(month: int, day: int, later: int = 0) -> Rule:
    """Days after the first new moon on or after a day of the year."""

    def days(year: int) -> tuple[date, ...]:
        start = date(year, month, day).toordinal()
        count = ceil((start - _NEW_MOON) / _MONTH)
        return (date.fromordinal(int(_NEW_MOON + count * _MONTH) + later),)

    return days


def islamic(month: int, day: int) -> Rule:
    """A day of the tabular Islamic calendar: it falls once in most years, twice in some."""

    def days(year: int) -> tuple[date, ...]:
        about = int((year - 622) * 33 / 32)
        found = (_from_islamic(hijri, month, day) for hijri in range(about - 1, about + 3))
        return tuple(one for one in found if one.year == year)

    return days


def _from_islamic(year: int, month: int, day: int) -> date:
    leap_days = (11 * year + 3) // 30
    return date.fromordinal(
        354 * year + leap_days + 30 * month - (month - 1) // 2 + day + 1948055 - 1721425
    )


def advent(sunday: int) -> Rule:
    """The n-th Sunday of Advent; the fourth is the last before Christmas."""

    def days(year: int) -> tuple[date, ...]:
        christmas = date(year, 12, 25)
        fourth = christmas - timedelta(christmas.weekday() + 1)
        return (fourth - timedelta(7 * (4 - sunday)),)

    return days


def any_of(*rules: Rule) -> Rule:
    """A name that stands for several days of a year, such as Eid or a bank holiday."""
    return lambda year: tuple(day for rule in rules for day in rule(year))
