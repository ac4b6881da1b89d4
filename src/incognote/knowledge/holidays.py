"""Holidays by name, and when they fall (holidays.tsv)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache, lru_cache
from math import ceil
from typing import NamedTuple

from incognote.knowledge.tables import rows

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
            candidates = end - timedelta((end.weekday() - weekday) % 7)
        else:
            first = date(year, month, 1)
            candidates = first + timedelta((weekday - first.weekday()) % 7 + 7 * (place - 1))
        return (candidates + timedelta(later),)

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
        candidates = (_from_islamic(hijri, month, day) for hijri in range(about - 1, about + 3))
        return tuple(one for one in candidates if one.year == year)

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


# Holidays by name, and when they fall.

_WEEKDAYS = {"mon": 0, "tue": 1, "wed": 2, "thu": 3, "fri": 4, "sat": 5, "sun": 6}
_RULES: dict[str, Callable[..., Rule]] = {
    "fixed": fixed,
    "nth": nth,
    "easter": easter,
    "orthodox-easter": orthodox_easter,
    "moon": moon,
    "islamic": islamic,
    "advent": advent,
    "last-of-february": lambda: last_of_february,
}


@dataclass(frozen=True)
class Holiday:
    """A day with a name. `days` is how long it lasts: a season such as Lent becomes a month."""

    rule: Rule
    names: tuple[str, ...]
    days: int = 1


class HolidayRow(NamedTuple):
    """A row of the table: the holiday that surrogates move, and the names by how rules read them."""

    holiday: Holiday
    names: tuple[str, ...]
    in_context: tuple[str, ...]
    by_pattern: tuple[str, ...]
    unread: tuple[str, ...]
    dates: tuple[str, ...]


def _rule(when: str) -> Rule:
    """From "nth 3 mon 1", or several with "or" between them."""
    rules = []
    for each in when.split(" or "):
        name, *arguments = each.split()
        rules.append(_RULES[name](*map(_number, arguments)))
    return any_of(*rules) if len(rules) > 1 else rules[0]


def _number(argument: str) -> int:
    return _WEEKDAYS[argument] if argument in _WEEKDAYS else int(argument)


def _rows() -> Iterator[HolidayRow]:
    for when, days, *columns in rows("holidays"):
        cells = [tuple(filter(None, column.split(", "))) for column in columns]
        cells += [()] * (5 - len(cells))
        known = tuple(name for cell in cells[:4] for name in cell)
        yield HolidayRow(Holiday(_rule(when), known, int(days)), *cells)


HOLIDAYS = tuple(_rows())

# Finding a holiday's name in a text, in any case, with or without its apostrophes and full stops.

_ALONE_AMBIGUOUS = "fourth"
_APOSTROPHES = str.maketrans("", "", "'’‘`´")


class _Names(NamedTuple):
    """Made when the first name is looked for: rules, which have patterns of their own, need none."""

    holidays: Mapping[str, Holiday]
    heads: frozenset[str]
    first_letters: frozenset[str]
    words: re.Pattern[str]


@cache
def _names() -> _Names:
    holidays = {_key(name): row.holiday for row in reversed(HOLIDAYS) for name in row.holiday.names}
    heads = frozenset(key.split()[0] for key in holidays)
    words = re.compile(
        r"(?:[^\W_](?:[^\W_]|['’‘`´/-](?=[^\W_])){0,24}+['’‘`´]?(?:\.?\s{1,12}|\.|(?=\W)|$)){1,5}"
    )
    return _Names(holidays, heads, frozenset(head[0] for head in heads) | {"s"}, words)


def _key(name: str) -> str:
    plain = name.lower().translate(_APOSTROPHES).replace(".", " ")
    return re.sub(r"^(?:saint|st)\b\s*", "st ", " ".join(plain.split())).strip()


def holiday_named(name: str) -> Holiday | None:
    """The holiday of this name."""
    return _names().holidays.get(_key(name))


def holiday_at(text: str, start: int) -> int:
    """Where the longest name of a holiday that starts here ends; `start` if none does."""
    names = _names()
    if text[start].lower() not in names.first_letters:
        return start
    words = names.words.match(text, start)
    if words is None or _key(words[0]).partition(" ")[0] not in names.heads:
        return start
    ends = [word.end() for word in re.finditer(r"\S+", words[0])]
    for end in reversed(ends):
        name = words[0][:end].rstrip(".")
        for candidate in (name, name.removesuffix("'s").removesuffix("’s")):
            key = _key(candidate)
            if key in names.holidays and key != _ALONE_AMBIGUOUS:
                return start + len(candidate)
    return start


# When a holiday falls.


@lru_cache(maxsize=1 << 15)
def days_in(holiday: Holiday, year: int) -> tuple[date, ...]:
    """The days of a year on which a holiday falls."""
    return holiday.rule(year)


def nearest_day(holiday: Holiday, to: date) -> date:
    """The holiday's day nearest to another day."""
    years = range(to.year - 1, to.year + 2)
    days = (day for year in years for day in days_in(holiday, year))
    return min(days, key=lambda day: (abs(day - to), day))
