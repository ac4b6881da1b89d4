"""A given day in every format: 3/14/1958, March 14, 1958, 14Mar58, 1958-03-14, 14.3.58."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import date

from incognote.detect.note_index import NoteIndex
from incognote.detect.pattern import Pattern

Found = tuple[int, int, str]
Day = tuple[int, int, int]
"""Year, month and day."""

_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|"
    r"sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
DATE = Pattern(
    r"(?<![\d.])(?:"
    r"(?P<y1>\d{4})(?P<s1>[-/.])(?P<m1>\d{1,2})(?P=s1)(?P<d1>\d{1,2})"
    r"|(?P<a>\d{1,2})[ ]?(?P<s2>[-/.–])[ ]?(?P<b>\d{1,2})[ ]?(?P=s2)[ ]?(?P<y2>\d{4}|['’]?\d{2})"
    r"|(?P<g>\d{8})"
    rf"|(?P<d3>\d{{1,2}})(?:st|nd|rd|th)?[ ]?[-/. ]?[ ]?(?:of )?(?P<m3>{_MONTH})\.?,?[ ]?[-/ ]?['’]?(?P<y3>\d{{4}}|\d{{2}})"
    r")(?!\d)"
    rf"|(?<![^\W_])(?P<m4>{_MONTH})\.?[ -]?\s?(?P<d4>\d{{1,2}})(?:st|nd|rd|th)?,?[-/ ]\s?['’]?(?P<y4>\d{{4}}|\d{{2}})(?!\d)",
    re.IGNORECASE,
)


class KnownDays:
    """Days that were given, and whether each may be written with the day before the month."""

    def __init__(self) -> None:
        self._days: dict[Day, bool] = {}

    def add(self, value: str) -> bool:
        """Take the day that a value names; False if it names none."""
        given = DATE.search(value)
        readings = _readings(given, day_first=True) if given else []
        if not readings:
            return False
        day = _day_of(readings[0])
        self._days[day] = self._days.get(day, False) or len(set(readings)) == 1
        return True

    def find(self, note: NoteIndex) -> Iterator[Found]:
        """Whatever is written as a date and may be one of the days."""
        for match in DATE.finditer(note.text) if self._days else ():
            american = self._known(_readings(match, day_first=False))
            if american or any(self._known(_readings(match, day_first=True))):
                yield match.start(), match.end(), "DATE"

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
    found = match.groupdict()
    if found["g"]:
        g = found["g"]
        triples = [(g[:4], g[4:6], g[6:]), (g[4:], g[:2], g[2:4])]
        triples += [(g[4:], g[2:4], g[:2])] if day_first else []
    elif found["a"]:
        triples = [(found["y2"], found["a"], found["b"])]
        triples += [(found["y2"], found["b"], found["a"])] if day_first else []
    elif found["y1"]:
        triples = [(found["y1"], found["m1"], found["d1"])]
    else:
        suffix = "3" if found["m3"] else "4"
        month = _MONTHS.index(found["m" + suffix][:3].lower()) + 1
        triples = [(found["y" + suffix], str(month), found["d" + suffix])]
    days = [_day(*triple) for triple in triples]
    return [day for day in days if day is not None]


def _day(year: str, month: str, day: str) -> date | None:
    digits = year.strip("'’")
    number = int(digits) if len(digits) == 4 else 1900 + int(digits)
    try:
        return date(number, int(month), int(day))
    except ValueError:
        return None
