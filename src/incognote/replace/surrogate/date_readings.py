"""The ways in which a stretch of tokens can be read as one date, the likeliest first."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Literal, cast

from incognote.document import Order
from incognote.knowledge.holidays import Holiday, holiday_named
from incognote.replace.surrogate.date_tokens import Token, fitting

Unit = Literal["day", "month", "quarter", "season", "year", "decade", "weekdays", "holiday"]
Role = Literal[
    "year", "second year", "month", "day", "suffix", "weekday", "quarter", "season", "decade",
    "holiday",
]  # fmt: skip


@dataclass(frozen=True)
class Context:
    """What the note says about how its dates are to be read.

    `around` is the day that dates without a year are taken to be near. `padded` and
    `short_months` tell how the note writes 3 March where a date itself does not show it. `before`
    and `after` are the text beside the span, for the halves of a range such as 3/14-16/2019. `days`
    are the full dates of the note, and `days_beside` those that stand just beside the span, both
    for the holidays that they are. `latest` is the last year that two digits can mean, where it does
    not depend on the note.
    """

    order: Order = "mdy"
    around: date | None = None
    padded: bool | None = None
    short_months: bool | None = None
    before: str = field(default="", repr=False)
    after: str = field(default="", repr=False)
    days: frozenset[date] = field(default=frozenset(), repr=False)
    days_beside: tuple[Point, ...] = field(default=(), repr=False)
    latest: int | None = None

    @property
    def today(self) -> date:
        """The day to reckon from, also when the note names none."""
        return self.around or date(2015, 7, 1)

    def century(self, year: int) -> int:
        """The year that two digits mean: the last one that is not ten years after the note, or not
        after the latest.
        """
        if year >= 100:
            return year
        latest = self.latest or (self.around.year + 10 if self.around else 2049)
        return latest - (latest - year) % 100


@dataclass(frozen=True)
class Part:
    """A token that writes one part of a date."""

    role: Role
    token: int


@dataclass(frozen=True)
class Point:
    """One date of an expression, which has two if it is a range and more if it is a list.

    `place` counts quarters and seasons from 0, `weekday` days from Monday. `loose` readings, such as a bare number, hold only
    beside another point. `lender` is the point whose month this one shares.
    """

    unit: Unit
    parts: tuple[Part, ...]
    year: int | None = None
    month: int | None = None
    day: int | None = None
    place: int = 0
    holiday: Holiday | None = None
    weekday: int | None = None
    loose: bool = False
    lender: int | None = None

    def token(self, role: Role) -> int | None:
        """Where a part is written."""
        return next((part.token for part in self.parts if part.role == role), None)


@dataclass(frozen=True)
class ParsedDate:
    """A date that was understood. Tokens outside `first` to `last` are beside the span."""

    tokens: tuple[Token, ...] = field(repr=False)
    points: tuple[Point, ...]
    context: Context
    first: int
    last: int

    @property
    def full(self) -> bool:
        """Whether the span itself names a day of a year."""
        roles = {
            part.role
            for point in self.points
            for part in point.parts
            if self.first <= part.token < self.last
        }
        return "year" in roles and ({"month", "day"} <= roles or "holiday" in roles)


# Where a format's groups were found among the tokens.

_ROLES: Mapping[str, Role] = {
    "w": "weekday", "v": "weekday", "m": "month", "r": "month", "d": "day", "s": "suffix",
    "y": "year", "yq": "year", "yn": "year", "y3": "year", "y2": "second year",
}  # fmt: skip


@dataclass(frozen=True)
class FormatMatch:
    """A format that fits `tokens[start:end]`, and the token of each of its groups."""

    name: str
    at: Mapping[str, int]
    tokens: Sequence[Token]
    start: int
    end: int
    context: Context

    @property
    def parts(self) -> tuple[Part, ...]:
        """The parts whose meaning does not depend on anything else."""
        return tuple(Part(_ROLES[g], token) for g, token in self.at.items() if g in _ROLES)

    @property
    def fiscal(self) -> bool:
        """Whether FY or its like stands in front."""
        return any(token.code == "F" for token in self.tokens[self.start : self.end])

    @property
    def weekday(self) -> int | None:
        """The weekday that stands beside the date."""
        return next((self.value(group) for group in "wv" if group in self.at), None)

    def token(self, group: str) -> Token:
        """The token of a group."""
        return self.tokens[self.at[group]]

    def value(self, group: str) -> int:
        """The number of a group."""
        return self.token(group).value

    def year(self) -> int | None:
        """The year that is written, with its century."""
        group = next((g for g in self.at if _ROLES.get(g) == "year"), None)
        return None if group is None else self.context.century(self.value(group))


# Dates in digits: which number is the month, the day and the year.

_MONTH_BEFORE = re.compile(r"(?i)\b(?:in|since|of|circa|exp|expires?|dx|until)\s{1,3}$")
_DAY_BEFORE = re.compile(r"(?i)\b(?:on|the|dated?|today|seen|morning of|night of)\s{1,3}$")


def triples(match: FormatMatch) -> Iterator[Point]:
    """3/14/2019 in the note's order, or in the only order that fits it or its weekday."""
    a, b, c = (match.value(group) for group in "abc")
    if len(match.token("c").text) == 2 and (a > 31 or a == 0):
        yield from _ordered(match, "a", [(b, c, "bc")])
        return
    if match.context.order == "ymd" and max(len(match.token(group).text) for group in "ac") == 2:
        yield from _ordered(match, "a", [(b, c, "bc")])
    both = [(a, b, "ab"), (b, a, "ba")]
    if match.context.order == "dmy":
        both.reverse()
    points = list(_ordered(match, "c", both))
    if match.weekday is not None:
        points.sort(key=lambda point: _weekday(point) != match.weekday)
    yield from points


def year_first(match: FormatMatch) -> Iterator[Point]:
    """2019-03-14; 2019-14-03 can only be the day first."""
    a, b = match.value("a"), match.value("b")
    yield from _ordered(match, "y", [(a, b, "ab"), (b, a, "ba")])


def _ordered(
    match: FormatMatch, year: str, orders: Sequence[tuple[int, int, str]]
) -> Iterator[Point]:
    for month, day, groups in orders:
        if 1 <= month <= 12 and 1 <= day <= 31:
            parts = {part.role: part for part in match.parts} | {
                "month": Part("month", match.at[groups[0]]),
                "day": Part("day", match.at[groups[1]]),
                "year": Part("year", match.at[year]),
            }
            value = match.context.century(match.value(year))
            yield Point("day", tuple(parts.values()), value, month, day)


def _weekday(point: Point) -> int:
    first = date(cast(int, point.year), cast(int, point.month), 1)
    return (first.weekday() + cast(int, point.day) - 1) % 7


def pairs(match: FormatMatch) -> Iterator[Point]:
    """3/14 as month and day, day and month, or month and year."""
    first, second = match.token("a"), match.token("b")
    orders = [(first.value, second.value, "ab"), (second.value, first.value, "ba")]
    if match.context.order == "dmy":
        orders.reverse()
    days = []
    for month, day, groups in orders:
        if 1 <= month <= 12 and 1 <= day <= 31:
            parts = (Part("month", match.at[groups[0]]), Part("day", match.at[groups[1]]))
            day_parts = (*match.parts, *parts)
            days.append(Point("day", day_parts, None, month, day, weekday=match.weekday))
    months = []
    if 1 <= first.value <= 12 and len(second.text) == 2 and not match.parts:
        parts = (Part("month", match.at["a"]), Part("year", match.at["b"]))
        year = match.context.century(second.value)
        months.append(Point("month", parts, year, first.value))
    if _month_and_year(first, second, match.context):
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


def number_and_year(match: FormatMatch) -> Iterator[Point]:
    """3/2019 and 2019-03 are months; 16/2019 ends a range of days; 2018-19 is two years."""
    number, year = match.token("n"), cast(int, match.year())
    year_leads = match.name == "year-n"
    two_years = year_leads and (number.value == (year + 1) % 100 or match.fiscal)
    if 1 <= number.value <= 12 and not two_years:
        yield Point("month", (*match.parts, Part("month", match.at["n"])), year, number.value)
    if not year_leads and 1 <= number.value <= 31:
        parts = (*match.parts, Part("day", match.at["n"]))
        yield Point("day", parts, year, None, number.value, loose=True)


# The ways in which a stretch of tokens can be read as one date, the likeliest first.

_YEAR_BEFORE = re.compile(
    r"(?i)\b(?:in|since|of|circa|quit|retired|relapsed?|around|until|from|year|back)\s{1,3}$"
)


def readings(tokens: Sequence[Token], start: int, end: int, context: Context) -> Iterator[Point]:
    """Every date that `tokens[start:end]` may be."""
    codes = "".join(token.code for token in tokens[start:end])
    for name, groups in fitting(codes):
        at = {group: start + place for group, place in groups.items()}
        yield from _READERS.get(name, _read_by_roles)(
            FormatMatch(name, at, tokens, start, end, context)
        )


def _read_by_roles(match: FormatMatch) -> Iterator[Point]:
    """Formats whose parts are what their groups say."""
    at, context, year = match.at, match.context, match.year()
    month = next((match.value(group) + 1 for group in "mr" if group in at), None)
    if "d" not in at:
        yield Point("year" if month is None else "month", match.parts, year, month)
        return
    day, weekday = match.value("d"), match.weekday
    if "y" in at and len(match.token("y").text) == 1:
        return
    if 1 <= day <= 31:
        loose = weekday is None and month is None
        yield Point("day", match.parts, year, month, day, weekday=weekday, loose=loose)
    elif (
        "m" in at and year is None and match.token("d").code == "n" and not {"s", "w", "v"} & {*at}
    ):
        parts = (Part("month", at["m"]), Part("year", at["d"]))
        yield Point("month", parts, context.century(day), month)


def _alone(match: FormatMatch) -> Iterator[Point]:
    """A bare number: 14th is a day; 88 is a year; 14 may be either, or a month in a range."""
    token, index = match.token("d"), match.at["d"]
    if token.text == "Fourth":
        yield Point("holiday", (Part("holiday", index),), holiday=holiday_named("Fourth"))
    plain = token.code == "n" and "s" not in match.at
    if plain and len(token.text) == 2:
        is_day = 1 <= token.value <= 31 and token.text[0] != "0"
        loose = is_day and not _YEAR_BEFORE.search(match.context.before[-16:])
        year = Point(
            "year", (Part("year", index),), match.context.century(token.value), loose=loose
        )
        yield from () if loose else (year,)
    else:
        year = None
    if 1 <= token.value <= 31:
        yield Point(
            "day",
            match.parts,
            None,
            None,
            token.value,
            loose=token.code != "o" and "s" not in match.at,
        )
    if plain and 1 <= token.value <= 12:
        yield Point("month", (Part("month", index),), None, token.value, loose=True)
    if year and year.loose:
        yield year


def _holidays(match: FormatMatch) -> Iterator[Point]:
    index = match.at["h"] if "h" in match.at else match.at["h2"]
    holiday = holiday_named(match.tokens[index].text)
    if holiday:
        parts = (*match.parts, Part("holiday", index))
        yield Point("holiday", parts, match.year(), holiday=holiday)


def _weekdays(match: FormatMatch) -> Iterator[Point]:
    days = [i for i in range(match.start, match.end) if match.tokens[i].code in "Wm"]
    yield Point("weekdays", tuple(Part("weekday", i) for i in days))


def _seasons(match: FormatMatch) -> Iterator[Point]:
    index = next(match.at[group] for group in ("t", "t2", "t3") if group in match.at)
    parts = (*match.parts, Part("season", index))
    yield Point("season", parts, match.year(), place=match.tokens[index].value)


def _quarters(match: FormatMatch) -> Iterator[Point]:
    index = next(match.at[group] for group in ("q", "q2", "q3") if group in match.at)
    parts = (*match.parts, Part("quarter", index))
    yield Point("quarter", parts, match.year(), place=quarter_of(match.tokens[index].text))


def quarter_of(text: str) -> int:
    """Which quarter Q3 or "third quarter" is, counted from 0; the last one is the fourth."""
    digit = re.search(r"[1-4]", text)
    if digit:
        return int(digit[0]) - 1
    word = text.split()[0].lower()
    return 3 if word == "last" else ("first", "second", "third", "fourth").index(word)


def _decades(match: FormatMatch) -> Iterator[Point]:
    index = match.at["z"] if "z" in match.at else match.at["z2"]
    token = match.tokens[index]
    value = token.value * 10 if token.code == "K" else token.value
    if value % 10 == 0:
        yield Point("decade", (Part("decade", index),), match.context.century(value))


_READERS: Mapping[str, Callable[[FormatMatch], Iterator[Point]]] = {
    "a/b/c": triples,
    "a b c": triples,
    "abc": triples,
    "y/a/b": year_first,
    "y a b": year_first,
    "a/b": pairs,
    "n/year": number_and_year,
    "year-n": number_and_year,
    "day": _alone,
    "holiday": _holidays,
    "weekdays": _weekdays,
    "season": _seasons,
    "quarter": _quarters,
    "decade": _decades,
}
