"""What a note's dates say about each other, and how many of a corpus are understood."""

from __future__ import annotations

from collections import Counter
from datetime import date

import pytest
from places import ROOT
from rule_cases import parse as unmark

from incognote.knowledge.holidays import holiday_named, nearest_day
from incognote.replace.surrogate.ages import AgeSurrogates
from incognote.replace.surrogate.date_parse import beside, parse, read_note
from incognote.replace.surrogate.date_write import shift
from incognote.replace.surrogate.dates import DateSurrogates

CORPUS = ROOT / "corpus"
KEY = b"a key of the tests"


@pytest.mark.parametrize(
    ("dates", "order"),
    [
        (["3/4/19", "3/14/19"], "mdy"),
        (["3/4/19", "14/3/19"], "dmy"),
        (["3/4/19"], "dmy"),
        (["14/3", "3/14/2019"], "mdy"),
        (["3/14/19", "14/3/19"], "dmy"),
        ([], "dmy"),
    ],
)
def test_the_order_is_that_of_the_dates_that_have_only_one(dates: list[str], order: str) -> None:
    assert read_note(dates, "dmy").order == order


@pytest.mark.parametrize(
    ("dates", "around"),
    [
        (["3/14/19", "3/20/19", "3/28/19"], date(2019, 3, 20)),
        (["5/2/1946", "5/2/1946", "5/2/1946", "3/14/2019"], date(2019, 3, 14)),
        (["5/2/1946", "March 2018"], date(1946, 5, 2)),
        (["2018", "March 2018", "1999"], date(2018, 7, 1)),
        (["Monday", "3/14"], None),
    ],
)
def test_the_note_is_of_the_time_of_most_of_its_dates(
    dates: list[str], around: date | None
) -> None:
    assert read_note(dates).around == around


def test_a_weekday_decides_an_order_that_nothing_else_does() -> None:
    parsed = parse("Wed 3/4/19", read_note([], "mdy"))
    assert parsed
    assert shift(parsed, 7) == "Wed 10/4/19"


def test_two_digits_of_a_year_are_of_the_century_before_the_note() -> None:
    context = read_note(["3/14/2019"])
    assert [context.century(year) for year in (19, 29, 30, 98, 0)] == [2019, 2029, 1930, 1998, 2000]
    assert read_note(["3/14/1998"]).century(15) == 1915


def test_a_date_and_its_yearless_twin_move_together() -> None:
    note = read_note(["2/20/2020", "2/20", "Feb 20"])
    dates = DateSurrogates(KEY, "patient")
    month, day, _ = dates.replace("2/20/2020", note).text.split("/")
    assert dates.replace("2/20", note).text == f"{month}/{day}"
    assert dates.replace("Feb 20", note).text.split()[1] == day


@pytest.mark.parametrize(
    ("name", "day"),
    [
        ("Thanksgiving", date(2019, 11, 28)),
        ("memorial day", date(2019, 5, 27)),
        ("LABOR DAY", date(2019, 9, 2)),
        ("Easter", date(2019, 4, 21)),
        ("Good Friday", date(2024, 3, 29)),
        ("Mardi Gras", date(2019, 3, 5)),
        ("orthodox easter", date(2019, 4, 28)),
        ("election day", date(2020, 11, 3)),
        ("3rd Sunday of Advent", date(2019, 12, 15)),
        ("Presidents' Day", date(2019, 2, 18)),
        ("Mothers Day", date(2019, 5, 12)),
        ("saint patrick’s day", date(2019, 3, 17)),
    ],
)
def test_holidays_fall_when_they_do(name: str, day: date) -> None:
    holiday = holiday_named(name)
    assert holiday
    assert nearest_day(holiday, day) == day


@pytest.mark.parametrize(
    ("name", "day"),
    [
        ("Lunar New Year", date(2019, 2, 5)),
        ("Diwali", date(2023, 11, 12)),
        ("Rosh Hashanah", date(2019, 9, 30)),
        ("Passover", date(2019, 4, 20)),
        ("Hanukkah", date(2024, 12, 26)),
        ("Eid al-Fitr", date(2019, 6, 4)),
        ("Ashura", date(2019, 9, 9)),
    ],
)
def test_feasts_of_the_moon_fall_within_two_days(name: str, day: date) -> None:
    holiday = holiday_named(name)
    assert holiday
    assert abs((nearest_day(holiday, day) - day).days) <= 2


def test_of_the_corpus_all_but_one_in_a_hundred_dates_and_ages_are_understood() -> None:
    kinds: Counter[str] = Counter()
    unlike = 0
    dates, ages = DateSurrogates(KEY, "patient"), AgeSurrogates(KEY, "patient")
    for path in sorted(path for folder in "ABCD" for path in (CORPUS / folder).glob("*.txt")):
        note = unmark(path.read_text(encoding="utf-8"))
        marks = [mark for mark in note.marks if mark[2] == "DATE"]
        context = read_note(note.text[start:end] for start, end, _ in marks)
        for start, end, kind in note.marks:
            text = note.text[start:end]
            if kind == "AGE":
                kinds["age " + ages.replace(text).kind] += 1
            if kind != "DATE":
                continue
            here = beside(context, note.text, start, end)
            parsed = parse(text, here)
            unlike += parsed is not None and shift(parsed, 0) != text
            kinds[dates.replace(text, here).kind] += 1
    assert kinds["shifted"] + kinds["coincides"] > 2000
    assert kinds["tag"] <= 0.01 * (kinds["shifted"] + kinds["coincides"])
    assert kinds["age tag"] <= 0.01 * kinds["age kept"]
    assert unlike == 0
