"""Whose years a note's dates tell: the century of two digits, dates of birth, and what is in doubt.

Two digits are never a year after `as_of`, and in doubt if they would be one after the latest that
the note names for sure: with four digits, twice, or after a word such as seen. A date that equals
one of birth is one wherever it stands, as a page head that repeats it does.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

from incognote.document import Document, Order, Span
from incognote.replace.surrogate.ages import ages_of
from incognote.replace.surrogate.date_parse import parse, read_note
from incognote.replace.surrogate.date_readings import Context, ParsedDate, Point
from incognote.replace.surrogate.date_shift import OLDEST, DateSettings
from incognote.replace.surrogate.dates import ColumnDate, is_birth_date

OLDEST_ALIVE = 115
"""The highest age at which two digits of a year of birth are taken for the earlier century."""
_DAYS_OF_A_MONTH = 31
_MOST_AHEAD = 10
"""A year so far after those that the note mostly has is not taken for its latest."""
_ROUGHLY = 2
"""How many years the age and the birth date that a note tells may be apart."""
_BEFORE = 48
_VISIT = re.compile(
    r"(?i)\b(?:seen|visit(?:ed)?|admitted|admission|discharged?|today|dictated|signed|encounter|dos"
    r"|date\sof\s(?:service|visit))(?:\s(?:in|at|the|clinic|here|date|on)){0,4}[\s:(]{1,4}$"
)

Day = tuple[int, int, int]
"""The two numbers of a day and month, the lower first, and the last two digits of the year."""


class NamedYear(NamedTuple):
    """A year that a date of the note names, and how well."""

    year: int
    day: Day | None
    birth: bool
    short: bool
    """Whether it has two digits."""
    visit: bool


class NoteYears:
    """The years of one note's dates, read together."""

    def __init__(
        self,
        document: Document,
        dates: Sequence[Span],
        ages: Iterable[Span],
        as_of: int,
        settings: DateSettings,
        order: Order | None,
    ) -> None:
        self._document = document
        self._dates = dates
        self._as_of = as_of
        self._settings = settings
        self._order = order
        ranges = (each for span in ages for each in ages_of(span.text) or ())
        self._over_89 = [(low, high) for low, high in dict.fromkeys(ranges) if high > OLDEST]

    @cached_property
    def context(self) -> Context:
        """How the note's dates are to be read."""
        texts = [span.text for span in self._dates]
        order = self._settings.order
        context = read_note(texts, order, self._order, latest=self._as_of)
        most = self._most(context)
        parsed = filter(None, (parse(text, context) for text in dict.fromkeys(texts)))
        years = (
            point.year or 0
            for each in parsed
            for point in each.points
            if not is_short(each, point) and (point.year or 0) <= most
        )
        latest = max(years, default=0)
        if latest <= self._as_of:
            return context
        return read_note(texts, order, self._order, latest=latest)

    def is_birth_date(self, parsed: ParsedDate, start: int) -> bool:
        """Whether a date is one of birth: by the words before it, or as it equals one."""
        if is_birth_date(self._document.text, start):
            return True
        return not self._births.isdisjoint(map(_day_of, parsed.points))

    def tells_an_age_over_89(self, year: int, birth: bool) -> bool:
        """Whether a year is 90 or more before the latest, or for births before `as_of`."""
        latest = self._latest or 0
        reference = max(latest, self._as_of) if birth or year >= latest else latest
        return reference - year > OLDEST

    def is_doubtful(self, parsed: ParsedDate, point: Point, start: int, birth: bool) -> bool:
        """Whether its two digits may be another year, or no year but a day.

        Nobody was born in 2029 of whom a note of 2019 tells: 29 may be 1929.
        """
        if point.year is None or not is_short(parsed, point) or _ends_two_years(parsed, point):
            return False
        if _may_be_a_day(parsed, point):
            return True
        event = self._latest_event
        if self._sure and point.year > max(self._sure):
            return True
        if birth:
            earlier = point.year - 100
            old = max(event or 0, self._as_of) - earlier > OLDEST
            return event is None or point.year > event or (old and event - earlier <= OLDEST_ALIVE)
        return not self._is_visit(start) and self._may_be_birth_over_89(point)

    def _may_be_birth_over_89(self, point: Point) -> bool:
        """Whether an age over 89 that the note tells may be that of a person born in this year."""
        day, year = _day_of(point), point.year or 0
        others = [named for named, days in self._events.items() if days - {day} or day is None]
        for low, high in self._over_89:
            high = OLDEST_ALIVE if low == OLDEST + 1 else high
            for born in (year, year - 100):
                if not others and born + low - _ROUGHLY <= self._as_of:
                    return True
                if any(low - _ROUGHLY <= each - born <= high + _ROUGHLY for each in others):
                    return True
        return False

    def _is_visit(self, start: int) -> bool:
        return _VISIT.search(self._document.text[max(0, start - _BEFORE) : start]) is not None

    def _most(self, context: Context) -> int:
        around = context.around
        return max(self._as_of, around.year + _MOST_AHEAD if around else 0)

    @cached_property
    def _births(self) -> frozenset[Day]:
        """The days of birth that words of the note announce or that its table gives."""
        text = self._document.text
        announced = {span.text for span in self._dates if is_birth_date(text, span.start)}
        parsed = filter(None, (parse(each, self.context) for each in announced))
        days = {_day_of(point) for each in parsed for point in each.points}
        return frozenset(day for day in (*days, *self._births_of_table()) if day is not None)

    def _births_of_table(self) -> Iterator[Day | None]:
        """Those of columns of birth, and whatever day of the table tells an age over 89."""
        row, order = self._document.row, self._order or self._settings.order
        for value in row.values if row else ():
            if value.type == "DATE" and value.birth:
                day = ColumnDate.of(value, order, self._settings).day
                yield _numbers(day.month, day.day, day.year) if day else None
        for type, text in self._document.known:
            given = parse(text, Context(order)) if type == "DATE" else None
            for point in given.points if given else ():
                if point.year and self._as_of - point.year > OLDEST:
                    yield _day_of(point)

    @cached_property
    def _named(self) -> list[NamedYear]:
        """The years that the note's dates name, those of equal dates once."""
        announced = ((span.text, self._is_visit(span.start), span.start) for span in self._dates)
        distinct: dict[tuple[str, bool, bool], ParsedDate] = {}
        for text, visit, start in announced:
            parsed = parse(text, self.context)
            if parsed is not None:
                distinct.setdefault((text, visit, self.is_birth_date(parsed, start)), parsed)
        most = self._most(self.context)
        return [
            NamedYear(point.year, _day_of(point), birth, is_short(parsed, point), visit)
            for (_, visit, birth), parsed in distinct.items()
            for point in parsed.points
            if point.year is not None and point.year <= most
        ]

    @cached_property
    def _sure(self) -> set[int]:
        """Years, but of births, of which the century is beyond doubt."""
        return {
            each.year
            for each in self._named
            if not each.birth
            and (not each.short or each.visit or len(self._events[each.year] - {None}) > 1)
        }

    @cached_property
    def _events(self) -> dict[int, set[Day | None]]:
        """The years that are none of birth, and their days."""
        days: dict[int, set[Day | None]] = {}
        for each in self._named:
            if not each.birth:
                days.setdefault(each.year, set()).add(each.day)
        return days

    @cached_property
    def _latest_event(self) -> int | None:
        """The latest year that is none of birth."""
        return max(self._sure or self._events, default=None)

    @cached_property
    def _latest(self) -> int | None:
        births = (each.year for each in self._named if each.birth and not each.short)
        return max((*births, *filter(None, [self._latest_event])), default=None)


def _numbers(month: int, day: int, year: int) -> Day:
    return min(month, day), max(month, day), year % 100


def _day_of(point: Point) -> Day | None:
    if point.year is None or point.month is None or point.day is None:
        return None
    return _numbers(point.month, point.day, point.year)


def is_short(parsed: ParsedDate, point: Point) -> bool:
    """Whether the year or decade of a point is written without its century."""
    at = point.token("year")
    at = point.token("decade") if at is None else at
    return at is not None and parsed.tokens[at].code in "nK" and len(parsed.tokens[at].text) != 4


def _ends_two_years(parsed: ParsedDate, point: Point) -> bool:
    """19 in 2018/19."""
    at = point.token("year")
    if at is None or at < 2 or point.year is None:
        return False
    year, joint = parsed.tokens[at - 2 : at]
    return (year.code, joint.code) == ("Y", "/") and point.year == year.value + 1


def _may_be_a_day(parsed: ParsedDate, point: Point) -> bool:
    """19 in Mar-19, 05 in 1/05, 14 in 190314, and any single digit; but not 19 in May '19, FY19 or 3/14/19."""
    at = point.token("year")
    if at is None:
        return False
    if len(parsed.tokens[at].text) == 1:
        return True
    if not 1 <= parsed.tokens[at].value <= _DAYS_OF_A_MONTH:
        return False
    before = [token.code for token in parsed.tokens[max(0, at - 2) : at]]
    if before[-1:] in (["'"], ["F"]) or before in (["F", "_"], ["F", "-"]):
        return False
    month, day = point.token("month"), point.token("day")
    if month is None or day is None:
        return True
    a, b, c = sorted((month, day, at))
    if (c - a, at) != (2, c) or parsed.context.order == "ymd":
        return False
    return 1 <= parsed.tokens[b].value <= 12 and parsed.tokens[b].code == "n"
