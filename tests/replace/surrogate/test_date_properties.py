"""What holds for every date, format, key and patient."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import date, timedelta

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from incognote.knowledge.calendar import MONTHS, WEEKDAYS
from incognote.knowledge.number_words import write_ordinal, write_year
from incognote.replace.surrogate.date_parse import beside, parse, read_note
from incognote.replace.surrogate.date_readings import Context
from incognote.replace.surrogate.date_shift import DateSettings, shifts
from incognote.replace.surrogate.date_write import shift
from incognote.replace.surrogate.dates import DateSurrogates

KEY = b"a key of the tests"


def suffix(day: int) -> str:
    return "th" if day in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")


def month(day: date) -> str:
    return MONTHS[day.month - 1]


FORMATS: dict[str, Callable[[date], str]] = {
    "m/d/yyyy": lambda d: f"{d.month}/{d.day}/{d.year}",
    "mm/dd/yyyy": lambda d: f"{d:%m/%d/}{d.year}",
    "mm-dd-yyyy": lambda d: f"{d:%m-%d-}{d.year}",
    "m.d.yyyy": lambda d: f"{d.month}.{d.day}.{d.year}",
    "ISO": lambda d: d.isoformat(),
    "ISO and time": lambda d: f"{d.isoformat()}T10:22:05Z",
    "compact": lambda d: f"{d.year}{d:%m%d}",
    "d Mon yyyy": lambda d: f"{d.day} {month(d)[:3]} {d.year}",
    "ddMonyyyy": lambda d: f"{d:%d}{month(d)[:3]}{d.year}",
    "dd-MON-yyyy": lambda d: f"{d:%d}-{month(d)[:3].upper()}-{d.year}",
    "Month d, yyyy": lambda d: f"{month(d)} {d.day}, {d.year}",
    "MONTH D, YYYY": lambda d: f"{month(d)} {d.day}, {d.year}".upper(),
    "Month dth, yyyy": lambda d: f"{month(d)} {d.day}{suffix(d.day)}, {d.year}",
    "the dth of Month yyyy": lambda d: f"the {d.day}{suffix(d.day)} of {month(d)} {d.year}",
    "d Month yyyy": lambda d: f"{d.day} {month(d)} {d.year}",
    "Weekday, Month d, yyyy": lambda d: f"{WEEKDAYS[d.weekday()]}, {month(d)} {d.day}, {d.year}",
    "Wkd m/d/yyyy": lambda d: f"{WEEKDAYS[d.weekday()][:3]} {d.month}/{d.day}/{d.year}",
    "month in words": lambda d: (
        f"{month(d)} {write_ordinal(d.day, 'x')}, {write_year(d.year, 'x y')}"
    ),
}
PARTIAL: dict[str, Callable[[date], str]] = {
    "m/d": lambda d: f"{d.month}/{d.day}",
    "Month d": lambda d: f"{month(d)} {d.day}",
    "Month yyyy": lambda d: f"{month(d)} {d.year}",
    "m/yyyy": lambda d: f"{d.month}/{d.year}",
    "yyyy-mm": lambda d: f"{d.year}-{d:%m}",
    "Month": month,
    "yyyy": lambda d: str(d.year),
    "'yy": lambda d: f"'{d.year % 100:02}",
    "Weekday": lambda d: WEEKDAYS[d.weekday()],
    "Qn yyyy": lambda d: f"Q{(d.month + 2) // 3} {d.year}",
    "yyyys": lambda d: f"the {d.year // 10 * 10}s",
    "yyyy-yyyy": lambda d: f"{d.year}-{d.year + 1}",
    "FYyyyy": lambda d: f"FY{d.year}",
    "d-d": lambda d: f"{month(d)} {d.day}-{d.day}",
}
DAYS = st.dates(date(1901, 1, 1), date(2199, 12, 31))
SHIFTS = st.integers(-36_000, 36_000).filter(bool)
NAMES = st.sampled_from(sorted(FORMATS))


def sayable(name: str, *days: date) -> bool:
    """Years after 2099 are not said in words."""
    return name != "month in words" or all(1701 <= day.year <= 2099 for day in days)


@given(st.sampled_from(sorted(FORMATS | PARTIAL)), DAYS)
def test_without_a_shift_every_format_is_written_as_it_was(name: str, day: date) -> None:
    assume(sayable(name, day))
    text = (FORMATS | PARTIAL)[name](day)
    parsed = parse(text)
    assert parsed
    assert shift(parsed, 0) == text


@given(NAMES, DAYS, SHIFTS)
def test_a_full_date_is_written_as_its_format_writes_the_shifted_day(
    name: str, day: date, days: int
) -> None:
    write, later = FORMATS[name], day + timedelta(days)
    assume(sayable(name, day, later))
    style = Context(padded=name.startswith("mm"), short_months="month" not in name.lower())
    parsed = parse(write(day), style)
    assert parsed
    assert parsed.full
    assert shift(parsed, days) == write(later)


@given(NAMES, NAMES, DAYS, st.integers(0, 20_000), SHIFTS)
def test_distances_between_full_dates_stay(
    one: str, other: str, day: date, apart: int, days: int
) -> None:
    later = day + timedelta(min(apart, (date(2199, 12, 31) - day).days))
    places = []
    for name, original in ((one, day), (other, later)):
        assume(sayable(name, original, original + timedelta(days)))
        parsed = parse(FORMATS[name](original))
        assert parsed
        again = parse(shift(parsed, days))
        assert again
        point = again.points[0]
        assert point.year
        assert point.month
        assert point.day
        places.append(date(point.year, point.month, point.day))
    assert places[1] - places[0] == later - day


@given(st.integers(1920, 2100), st.integers(0, 60), SHIFTS)
def test_distances_between_years_and_between_months_stay(year: int, apart: int, days: int) -> None:
    def years(text: str) -> int:
        parsed = parse(text)
        assert parsed
        return int(shift(parsed, days))

    def months(index: int) -> int:
        parsed = parse(f"{index % 12 + 1}/{index // 12}")
        assert parsed
        month, year = shift(parsed, days).split("/")
        return 12 * int(year) + int(month) - 1

    assert years(f"{year + apart}") - years(f"{year}") == apart
    assert months(12 * year + apart) - months(12 * year) == apart


@given(NAMES, DAYS, st.text(max_size=9), st.booleans(), st.booleans())
def test_a_full_date_never_stays(
    name: str, day: date, patient: str, weeks: bool, season: bool
) -> None:
    assume(sayable(name, day))
    settings = DateSettings(whole_weeks=weeks, keep_season=season)
    text = FORMATS[name](day)
    new = DateSurrogates(KEY, patient, settings).replace(text, read_note([text]))
    assert new.kind == "shifted"
    assert new.text != text


@given(st.text(), st.text(max_size=40), st.text(max_size=40))
def test_any_text_has_a_replacement(text: str, before: str, after: str) -> None:
    context = beside(read_note([text]), before + text + after, len(before), len(before + text))
    new = DateSurrogates(KEY, "patient").replace(text, context)
    assert new.kind in ("shifted", "coincides", "tag")
    assert new.kind != "tag" or new.text == "[DATE]"


PIECES = st.sampled_from(
    "3 14 2019 '98 / - . , : th st March mar May of the to and 1st Monday Fri Q3 FY spring "
    "Christmas Easter late twenty first nineteen ninety two thousand s 's 0 00 99 31 T10:22 @ \n".split(
        " "
    )
)


@given(st.lists(st.one_of(PIECES, st.just(" ")), max_size=14).map("".join), SHIFTS)
def test_date_like_texts_have_a_replacement_that_is_a_date(text: str, days: int) -> None:
    parsed = parse(text)
    if parsed is None:
        return
    new = shift(parsed, days)
    assert new.strip()
    if parsed.full:
        assert "".join(new.split()) != "".join(text.split())


@given(st.text(max_size=9), st.text(max_size=9))
def test_the_shift_depends_on_the_key_and_the_patient_alone(patient: str, other: str) -> None:
    assert DateSurrogates(KEY, patient).days == DateSurrogates(KEY, patient).days
    days = {DateSurrogates(bytes([i]) * 16, patient).days for i in range(40)}
    assert len(days) > 10
    assert all(day % 7 == 0 and day and -364 <= day <= 364 for day in days)
    assert len({DateSurrogates(bytes([i]) * 16, other).days for i in range(40)}) > 10


@given(st.text(max_size=9), st.sampled_from(["spring", "summer", "fall", "winter"]))
def test_the_season_holds_on_request(patient: str, season: str) -> None:
    dates = DateSurrogates(KEY, patient, DateSettings(keep_season=True))
    assert dates.replace(f"{season} 2018", Context()).text.split()[0] == season


def test_the_range_of_the_shift_is_the_one_that_was_asked_for() -> None:
    assert shifts(DateSettings(earliest=-20, latest=15)) == (-14, -7, 7, 14)
    assert shifts(DateSettings(earliest=1, latest=3, whole_weeks=False)) == (1, 2, 3)
    assert len(shifts(DateSettings())) == 104
    assert len(shifts(DateSettings(keep_season=True))) > 50


@pytest.mark.parametrize(
    "settings",
    [
        {"earliest": 1, "latest": 6},
        {"earliest": 0, "latest": 0},
        {"earliest": 7, "latest": -7},
        {"latest": 40_000},
        {"order": "ydm"},
        {"shift_ages": -1},
    ],
)
def test_settings_that_cannot_be_are_refused(settings: dict[str, int]) -> None:
    with pytest.raises(ValueError, match=r"date|order|ages"):
        DateSettings(**settings)  # type: ignore[arg-type]


def test_a_key_is_needed() -> None:
    with pytest.raises(ValueError, match="key"):
        DateSurrogates(b"", "patient")


def test_nothing_of_the_original_is_in_a_repr() -> None:
    dates = DateSurrogates(KEY, "Okafor")
    context = Context(before="Okafor ", after=" Okafor")
    for value in (dates, context, dates.replace("3/14/19", context), parse("3/14/19", context)):
        assert "Okafor" not in repr(value)
        assert "3/14" not in repr(value)


@pytest.mark.parametrize(
    "text", ["1", "1/", "1-", "March ", "the ", "twenty ", "3/14-", " ", "Mon/", "'", "a", "st. "]
)
def test_the_longest_texts_take_no_longer_than_a_note_may(text: str) -> None:
    surrogates = DateSurrogates(KEY, "patient")
    for length in (150, 100_000):
        long = (text * length)[:length]
        start = time.process_time()
        surrogates.replace(long, Context())
        assert time.process_time() - start < 0.5
