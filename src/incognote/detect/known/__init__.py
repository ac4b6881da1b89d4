"""Finds what a table says of the patient: name, birth date, record number, address, phone.

The table's spelling is one of many: the same name in another order, case or with a slip of the
pen, the same day in another format, the same number with other separators.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import date
from functools import lru_cache

from incognote.detect.decisions import alike, over
from incognote.detect.known.names import find_names, is_titled
from incognote.detect.known.values import (
    KnownValue,
    TypedPlace,
    age_of,
    literal,
    number_of,
    phones_of,
    places_of,
    searches,
)
from incognote.detect.known.yearless import MONTH, MONTHS, MonthAndDay, find_yearless
from incognote.detect.merge import merge
from incognote.detect.note_index import NoteIndex
from incognote.detect.pattern import Pattern
from incognote.document import Span

SOURCE = "known"
SCORE = 0.99

Search = Callable[[NoteIndex], Iterator[TypedPlace]]

_NAMES = frozenset({"PATIENT", "DOCTOR"})
_PLACES = frozenset(
    "STREET CITY STATE COUNTRY ZIP LOCATION-OTHER HOSPITAL ORGANIZATION PROFESSION".split()
)
_PHONES = frozenset({"PHONE", "FAX"})
_LITERAL = frozenset({"EMAIL", "URL", "USERNAME", "IPADDR"})


class KnownValues:
    """The identifiers of one row, made ready to look for: all of them in one go over a note."""

    def __init__(self, pairs: Iterable[tuple[str, str]]) -> None:
        rows = dict.fromkeys(
            (type, value.strip()) for type, value in pairs if value and value.strip()
        )
        names = [(type, value) for type, value in rows if type in _NAMES]
        days = KnownDays()
        others = [pair for pair in rows if pair[0] not in _NAMES]
        values = [each for pair in others for each in _values_of(*pair, days)]
        self.searches: list[Search] = [find_names(names)] if names else []
        self.searches += [days.find, *(search.find for search in searches(values))]

    def find(self, note: NoteIndex) -> list[Span]:
        """Every mention, in order; mentions inside a longer one of the same type are left out."""
        mentions = sorted(
            {item for search in self.searches for item in search(note)},
            key=lambda item: (item[0], -item[1], item[2]),
        )
        spans: list[Span] = []
        reach: dict[str, int] = {}
        for start, end, type in mentions:
            if end > reach.get(type, -1):
                reach[type] = end
                spans.append(Span.of(note.text, start, end, type, score=SCORE, source=SOURCE))
        return spans


def _values_of(type: str, value: str, days: KnownDays) -> Iterable[KnownValue]:
    if type == "DATE":
        return () if days.add(value) else (literal(type, value),)
    if type in _PLACES:
        return places_of(type, value)
    if type in _PHONES:
        return phones_of(type, value)
    if type in _LITERAL:
        return (literal(type, value),)
    return (age_of(value) if type == "AGE" else number_of(type, value),)


@lru_cache(maxsize=32)
def _prepared(pairs: tuple[tuple[str, str], ...]) -> KnownValues:
    return KnownValues(pairs)


def find_known(note: NoteIndex, known: tuple[tuple[str, str], ...]) -> list[Span]:
    """The mentions in a note of what its table row says."""
    return _prepared(known).find(note) if known else []


def as_known(text: str, spans: Iterable[Span], known: Sequence[Span]) -> list[Span]:
    """What others found, under the type that the table gives to the same place; but a doctor by
    title stays one, also of the patient's name.
    """
    if not known:
        return list(spans)
    sure = merge(text, known)
    return [_with_known_type(text, span, over(sure, span.start, span.end)) for span in spans]


def _with_known_type(text: str, span: Span, sure: Sequence[Span]) -> Span:
    if span.type == "DOCTOR" and is_titled(text, span.start):
        return span
    for other in sure:
        if other.type != span.type and alike(span, other):
            return replace(span, type=other.type, label=other.type)
    return span


# A day in every format: 3/14/1958, March 14, 1958, 14Mar58, 1958-03-14, 14.3.58

Day = tuple[int, int, int]
"""Year, month and day."""

DATE = Pattern(
    r"(?<![\d.])(?:"
    r"(?P<y1>\d{4})(?P<s1>[-/.])(?P<m1>\d{1,2})(?P=s1)(?P<d1>\d{1,2})"
    r"|(?P<a>\d{1,2})[ ]?(?P<s2>[-/.–])[ ]?(?P<b>\d{1,2})[ ]?(?P=s2)[ ]?(?P<y2>\d{4}|['’]?\d{2})"
    r"|(?P<g>\d{8})"
    rf"|(?P<d3>\d{{1,2}})(?:st|nd|rd|th)?[ ]?[-/. ]?[ ]?(?:of )?(?P<m3>{MONTH})\.?,?[ ]?[-/ ]?['’]?(?P<y3>\d{{4}}|\d{{2}})"
    r")(?!\d)"
    rf"|(?<![^\W_])(?P<m4>{MONTH})\.?[ -]?\s?(?P<d4>\d{{1,2}})(?:st|nd|rd|th)?,?[-/ ]\s?['’]?(?P<y4>\d{{4}}|\d{{2}})(?!\d)",
    re.IGNORECASE,
)


class KnownDays:
    """Days that were given, and whether each may be written with the day before the month."""

    def __init__(self) -> None:
        self._days: dict[Day, bool] = {}
        self._yearless: dict[MonthAndDay, bool] = {}

    def add(self, value: str) -> bool:
        """Take the day that a value names; False if it names none."""
        match = DATE.search(value)
        readings = _readings(match, day_first=True) if match else []
        if not readings:
            return False
        day = _day_of(readings[0])
        day_first = len(set(readings)) == 1
        self._days[day] = self._days.get(day, False) or day_first
        self._yearless[day[1:]] = self._yearless.get(day[1:], False) or day_first
        return True

    def find(self, note: NoteIndex) -> Iterator[TypedPlace]:
        """Whatever is written as a date and may be one of the days."""
        for match in DATE.finditer(note.text) if self._days else ():
            american = self._known(_readings(match, day_first=False))
            if american or any(self._known(_readings(match, day_first=True))):
                yield match.start(), match.end(), "DATE"
        for start, end in find_yearless(note, self._yearless) if self._yearless else ():
            yield start, end, "DATE"

    def _known(self, readings: Iterable[date]) -> list[bool]:
        """Those of the readings that are given days: whether the day may come first.

        A year of two digits may belong to either century.
        """
        days = [_day_of(reading) for reading in readings]
        days += [(year + 100, month, day) for year, month, day in days if year < 2000]
        return [self._days[day] for day in days if day in self._days]


def _day_of(reading: date) -> Day:
    return reading.year, reading.month, reading.day


def _readings(match: re.Match[str], *, day_first: bool) -> list[date]:
    """The days a written date can mean, the American reading first."""
    groups = match.groupdict()
    if groups["g"]:
        g = groups["g"]
        triples = [(g[:4], g[4:6], g[6:]), (g[4:], g[:2], g[2:4])]
        triples += [(g[4:], g[2:4], g[:2])] if day_first else []
    elif groups["a"]:
        triples = [(groups["y2"], groups["a"], groups["b"])]
        triples += [(groups["y2"], groups["b"], groups["a"])] if day_first else []
    elif groups["y1"]:
        triples = [(groups["y1"], groups["m1"], groups["d1"])]
    else:
        suffix = "3" if groups["m3"] else "4"
        month = MONTHS.index(groups["m" + suffix][:3].lower()) + 1
        triples = [(groups["y" + suffix], str(month), groups["d" + suffix])]
    days = [_day(*triple) for triple in triples]
    return [day for day in days if day is not None]


def _day(year: str, month: str, day: str) -> date | None:
    digits = year.strip("'’")
    number = int(digits) if len(digits) == 4 else 1900 + int(digits)
    try:
        return date(number, int(month), int(day))
    except ValueError:
        return None
