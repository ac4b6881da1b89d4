r"""What holidays tell of the shift of dates: how many shifts a reader must still think possible.

    python benchmarks/holidays.py                 # 200 keys
    python benchmarks/holidays.py --keys 2000

A note says `Christmas Day, 12/25/2018`, as two dates or as one, with each of many holidays. The
reader knows the program and its settings, not the key. A shift is possible if some original, with
the name of any holiday or without, would have become what the reader sees. Shown is, over all keys
and holidays, how many shifts are possible at least and on the median, and how often name and date
of the output contradict each other. Without holidays every shift is possible.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from statistics import median

from incognote.knowledge.calendar import MONTHS, WEEKDAYS
from incognote.knowledge.holidays import holiday_named, nearest_day
from incognote.replace.surrogate.date_parse import beside, parse, read_note
from incognote.replace.surrogate.date_shift import DateSettings, shift_of, shifts
from incognote.replace.surrogate.date_write import shift

HOLIDAYS = (
    "New Year's Day", "MLK Day", "Valentine's Day", "St. Patrick's Day", "Good Friday", "Easter",
    "Mother's Day", "Memorial Day", "Juneteenth", "Independence Day", "Labor Day", "Columbus Day",
    "Halloween", "Veterans Day", "Thanksgiving", "Black Friday", "Christmas Eve", "Christmas Day",
    "New Year's Eve", "Diwali", "Rosh Hashanah", "Eid al-Fitr",
)  # fmt: skip
YEAR = 2018
ABOUT = 2
_DATE = re.compile(r"\d{1,2}/\d{1,2}/\d{4}")
_PLAIN = re.compile(rf"({'|'.join(MONTHS)}) (\d{{1,2}})")


def written(day: date) -> str:
    """As an American note writes it."""
    return f"{day.month}/{day.day}/{day.year}"


def replaced(name: str, day: date, days: int) -> str | None:
    """What `name, date` becomes when its two dates are moved by so many days."""
    note = f"{name}, {written(day)}"
    context = read_note([name, written(day)])
    cut = len(name) + 2
    pieces = []
    for start, end in ((0, len(name)), (cut, len(note))):
        parsed = parse(note[start:end], beside(context, note, start, end))
        if parsed is None:
            return None
        pieces.append(shift(parsed, days))
    return ", ".join(pieces)


def originals(day: date, names: Sequence[str] = HOLIDAYS) -> Iterator[str]:
    """What may have stood before a date: a weekday, the day once more, or a holiday about then."""
    yield WEEKDAYS[day.weekday()]
    yield f"{MONTHS[day.month - 1]} {day.day}"
    for name in names:
        holiday = holiday_named(name)
        if holiday and abs((nearest_day(holiday, day) - day).days) <= ABOUT:
            yield name


def possible(output: str, settings: DateSettings) -> int:
    """How many shifts some original would have needed to become the output."""
    shown = _DATE.search(output)
    assert shown is not None
    month, day, year = map(int, shown[0].split("/"))
    seen = date(year, month, day)
    return sum(
        any(
            replaced(name, seen - timedelta(days), days) == output
            for name in originals(seen - timedelta(days))
        )
        for days in shifts(settings)
    )


def contradicts(output: str) -> bool:
    """Whether the name before the date is of another day."""
    name, _, shown = output.rpartition(", ")
    month, day, year = map(int, shown.split("/"))
    seen = date(year, month, day)
    plain = _PLAIN.fullmatch(name)
    if plain:
        return (MONTHS.index(plain[1]) + 1, int(plain[2])) != (month, day)
    if name in WEEKDAYS:
        return WEEKDAYS[seen.weekday()] != name
    holiday = holiday_named(name)
    return holiday is None or nearest_day(holiday, seen) != seen


def outputs(keys: int, settings: DateSettings) -> Iterator[str]:
    """The notes of all holidays under each key."""
    for number in range(keys):
        days = shift_of(f"key number {number:08}".encode(), "patient", settings)
        for name in HOLIDAYS:
            holiday = holiday_named(name)
            assert holiday is not None
            output = replaced(name, nearest_day(holiday, date(YEAR, 7, 1)), days)
            assert output is not None
            yield output


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--keys", type=int, default=200)
    settings = DateSettings()
    found = list(outputs(parser.parse_args().keys, settings))
    counts = {output: possible(output, settings) for output in set(found)}
    left = [counts[output] for output in found]
    wrong = sum(map(contradicts, found)) / len(found)
    print(
        f"{len(found)} notes: of {len(shifts(settings))} shifts at least {min(left)} are possible, "
        f"on the median {median(left):g}; name and date contradict each other in {wrong:.1%}"
    )


if __name__ == "__main__":
    main()
