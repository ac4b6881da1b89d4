"""Holidays fall when they do, and are known by name however it is written."""

from __future__ import annotations

from datetime import date

import pytest

from incognote.knowledge.holidays import HOLIDAYS, days_in, holiday_at, holiday_named, nearest_day

DAYS = [
    ("Thanksgiving", date(2019, 11, 28)),
    ("Memorial Day", date(2020, 5, 25)),
    ("Victoria Day", date(2021, 5, 24)),
    ("Easter", date(2019, 4, 21)),
    ("Mardi Gras", date(2020, 2, 25)),
    ("Orthodox Easter", date(2021, 5, 2)),
    ("first Sunday of Advent", date(2022, 11, 27)),
    ("Election Day", date(2020, 11, 3)),
    ("Lunar New Year", date(2020, 1, 24)),
    ("Leap Day", date(2021, 2, 28)),
]


@pytest.mark.parametrize(("name", "day"), DAYS, ids=[name for name, _ in DAYS])
def test_the_day_of_a_holiday(name: str, day: date) -> None:
    holiday = holiday_named(name)
    assert holiday is not None
    nearest = nearest_day(holiday, day)
    assert abs((nearest - day).days) <= (1 if name == "Lunar New Year" else 0)


@pytest.mark.parametrize("year", [1900, 1999, 2024, 2150])
def test_every_rule_of_the_table_gives_days_of_the_year(year: int) -> None:
    for row in HOLIDAYS:
        days = days_in(row.holiday, year)
        assert all(day.year == year for day in days)


@pytest.mark.parametrize("written", ["new years eve", "NEW YEAR’S EVE", "New Year's\nEve"])
def test_a_name_in_any_writing(written: str) -> None:
    assert holiday_named(written) == holiday_named("new year's eve")
    assert holiday_at(f"on {written}.", 3) == 3 + len(written)


@pytest.mark.parametrize("written", ["St. Patrick's Day", "Saint Patricks day", "ST PATRICK'S DAY"])
def test_a_saint_in_any_writing(written: str) -> None:
    holiday = holiday_named(written)
    assert holiday is not None
    assert nearest_day(holiday, date(2019, 3, 1)) == date(2019, 3, 17)


def test_no_name_is_of_two_holidays() -> None:
    names = [name for row in HOLIDAYS for name in row.holiday.names]
    assert len(names) == len(set(names))
