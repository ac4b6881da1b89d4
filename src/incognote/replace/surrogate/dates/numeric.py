"""Dates in digits: which number is the month, the day and the year."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import date
from typing import cast

from incognote.replace.surrogate.dates.found import Found
from incognote.replace.surrogate.dates.parsed import Context, Part, Point
from incognote.replace.surrogate.dates.tokens import Token

_MONTH_BEFORE = re.compile(r"(?i)\b(?:in|since|of|circa|exp|expires?|dx|until)\s{1,3}$")
_DAY_BEFORE = re.compile(r"(?i)\b(?:on|the|dated?|today|seen|morning of|night of)\s{1,3}$")


def triples(found: Found) -> Iterator[Point]:
    """3/14/2019 in the note's order, or in the only order that fits it or its weekday."""
    a, b, c = (found.value(group) for group in "abc")
    if len(found.token("c").text) == 2 and (a > 31 or a == 0):
        yield from _ordered(found, "a", [(b, c, "bc")])
        return
    if found.context.order == "ymd" and max(len(found.token(group).text) for group in "ac") == 2:
        yield from _ordered(found, "a", [(b, c, "bc")])
    both = [(a, b, "ab"), (b, a, "ba")]
    if found.context.order == "dmy":
        both.reverse()
    points = list(_ordered(found, "c", both))
    if found.weekday is not None:
        points.sort(key=lambda point: _weekday(point) != found.weekday)
    yield from points


def year_first(found: Found) -> Iterator[Point]:
    """2019-03-14; 2019-14-03 can only be the day first."""
    a, b = found.value("a"), found.value("b")
    yield from _ordered(found, "y", [(a, b, "ab"), (b, a, "ba")])


def _ordered(found: Found, year: str, orders: Sequence[tuple[int, int, str]]) -> Iterator[Point]:
    for month, day, groups in orders:
        if 1 <= month <= 12 and 1 <= day <= 31:
            parts = {part.role: part for part in found.parts} | {
                "month": Part("month", found.at[groups[0]]),
                "day": Part("day", found.at[groups[1]]),
                "year": Part("year", found.at[year]),
            }
            value = found.context.century(found.value(year))
            yield Point("day", tuple(parts.values()), value, month, day)


def _weekday(point: Point) -> int:
    first = date(cast(int, point.year), cast(int, point.month), 1)
    return (first.weekday() + cast(int, point.day) - 1) % 7


def pairs(found: Found) -> Iterator[Point]:
    """3/14 as month and day, day and month, or month and year."""
    first, second = found.token("a"), found.token("b")
    orders = [(first.value, second.value, "ab"), (second.value, first.value, "ba")]
    if found.context.order == "dmy":
        orders.reverse()
    days = []
    for month, day, groups in orders:
        if 1 <= month <= 12 and 1 <= day <= 31:
            parts = (Part("month", found.at[groups[0]]), Part("day", found.at[groups[1]]))
            day_parts = (*found.parts, *parts)
            days.append(Point("day", day_parts, None, month, day, weekday=found.weekday))
    months = []
    if 1 <= first.value <= 12 and len(second.text) == 2 and not found.parts:
        parts = (Part("month", found.at["a"]), Part("year", found.at["b"]))
        year = found.context.century(second.value)
        months.append(Point("month", parts, year, first.value))
    if _month_and_year(first, second, found.context):
        yield from (*months, *days)
    else:
        yield from (*days, *months)


def _month_and_year(first: Token, second: Token, context: Context) -> bool:
    """Whether 1/05 is January 2005: by the words before it, or as the note is of that time."""
    if _DAY_BEFORE.search(context.before[-16:]):
        return False
    if _MONTH_BEFORE.search(context.before[-16:]):
        return True
    if second.text[0] != "0" or context.padded or first.text[0] == "0":
        return False
    if context.around is None:
        return len(first.text) == 1
    age = context.around.year - context.century(second.value)
    return 0 <= age <= (5 if len(first.text) == 1 else 1)


def number_and_year(found: Found) -> Iterator[Point]:
    """3/2019 and 2019-03 are months; 16/2019 ends a range of days; 2018-19 is two years."""
    number, year = found.token("n"), cast(int, found.year())
    year_leads = found.name == "year-n"
    two_years = year_leads and (number.value == (year + 1) % 100 or found.fiscal)
    if 1 <= number.value <= 12 and not two_years:
        yield Point("month", (*found.parts, Part("month", found.at["n"])), year, number.value)
    if not year_leads and 1 <= number.value <= 31:
        parts = (*found.parts, Part("day", found.at["n"]))
        yield Point("day", parts, year, None, number.value, loose=True)
