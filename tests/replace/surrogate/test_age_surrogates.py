"""Ages: the oldest are 90+, the others stay or move, and birth dates agree with them."""

from __future__ import annotations

import json
from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from places import TESTS

from incognote.replace.surrogate.ages import AgeSurrogates
from incognote.replace.surrogate.date_parse import parse
from incognote.replace.surrogate.date_readings import Context
from incognote.replace.surrogate.date_shift import DateSettings, shifted_age
from incognote.replace.surrogate.dates import DateSurrogates

FILE = TESTS / "cases" / "surrogates" / "dates_ages.jsonl"
CASES = [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()]
KEY = b"a key of the tests"
SHIFTING = DateSettings(shift_ages=3)


@pytest.mark.parametrize("case", CASES, ids=lambda case: repr(case["text"]))
def test_an_age_becomes_what_the_case_says(case: dict[str, Any]) -> None:
    new = AgeSurrogates(KEY, "patient").replace(case["text"])
    assert (new.text, new.kind) == (case["expect"], case["kind"]), case["why"]


@given(st.integers(90, 130), st.sampled_from(["{}", "{}-year-old", "{} yo", "aged {}", "80 or {}"]))
def test_no_age_over_89_is_shown(age: int, wording: str) -> None:
    new = AgeSurrogates(KEY, "patient", SHIFTING).replace(wording.format(age))
    assert new.text == wording.format("90+")


@given(st.text())
def test_any_text_has_a_replacement(text: str) -> None:
    new = AgeSurrogates(KEY, "patient", SHIFTING).replace(text)
    assert new.kind in ("kept", "shifted", "capped", "tag")
    assert new.kind != "tag" or new.text == "[AGE]"


@given(st.integers(20, 80), st.text(max_size=9))
def test_shifted_ages_move_by_a_few_years_the_same_way_in_all_notes(age: int, patient: str) -> None:
    ages = AgeSurrogates(KEY, patient, SHIFTING)
    moved = int(ages.replace(f"{age}").text) - age
    assert 0 < abs(moved) <= 3
    assert ages.replace(f"{age}-year-old").text == f"{age + moved}-year-old"


@given(st.integers(-10, 10))
def test_shifted_ages_keep_their_order_and_stay_below_90(years: int) -> None:
    ages = [shifted_age(age, years) for age in range(90)]
    assert ages == sorted(ages)
    assert ages[0] == 0
    assert ages[-1] <= 89


def year_of(text: str) -> int:
    parsed = parse(text)
    assert parsed
    year = parsed.points[0].year
    assert year is not None
    return year


@given(st.dates(date(1900, 1, 1), date(1928, 12, 1)), st.text(max_size=9))
def test_a_birth_date_over_89_implies_90(born: date, patient: str) -> None:
    seen = date(2019, 3, 14)
    dates = DateSurrogates(KEY, patient)
    new = dates.replace(f"{born:%m/%d/%Y}", Context(around=seen), birth=True)
    month, day, year = map(int, new.text.split("/"))
    then = date.fromordinal(seen.toordinal() + dates.days)
    age_in_days = (then - date(year, month, day)).days
    assert new.kind == "shifted"
    assert 90 * 365.2425 - 2 <= age_in_days < 91 * 365.2425 + 2


@given(st.dates(date(1930, 1, 1), date(2018, 12, 31)), st.text(max_size=9))
def test_a_birth_date_under_90_moves_like_any_other(born: date, patient: str) -> None:
    dates = DateSurrogates(KEY, patient)
    context = Context(around=date(2019, 3, 14))
    text = f"{born:%Y-%m-%d}"
    assert dates.replace(text, context, birth=True) == dates.replace(text, context)


@given(st.integers(1930, 1990), st.text(max_size=9))
def test_a_birth_date_moves_along_with_shifted_ages(year: int, patient: str) -> None:
    context = Context(around=date(2019, 12, 31))
    plain = DateSurrogates(KEY, patient).replace(f"1/15/{year}", context, birth=True)
    moved = DateSurrogates(KEY, patient, SHIFTING).replace(f"1/15/{year}", context, birth=True)
    age = 2019 - year
    new_age = int(AgeSurrogates(KEY, patient, SHIFTING).replace(str(age)).text)
    assert year_of(plain.text) - year_of(moved.text) == new_age - age


def test_a_year_of_birth_alone_does_not_tell_an_age_over_89() -> None:
    dates = DateSurrogates(KEY, "patient", DateSettings(earliest=7, latest=7))
    context = Context(around=date(2019, 3, 14))
    assert dates.replace("1921", context, birth=True).text == "1929"


def test_without_another_date_an_old_birth_date_is_reckoned_from_the_settings() -> None:
    settings = DateSettings(earliest=7, latest=7, as_of=date(2020, 1, 1))
    new = DateSurrogates(KEY, "patient", settings).replace("3/14/1921", Context(), birth=True)
    assert new.text == "3/21/1929"


@pytest.mark.parametrize(
    ("text", "new"),
    [
        ("1,116 months", "90+ years"),
        ("4,836 weeks old", "90+ years old"),
        ("1,000 months", "1,000 months"),
        ("93 and 4 months", "[AGE]"),
        ("93, 4 months", "[AGE]"),
        ("93 (1116 months)", "[AGE]"),
        ("93 4/12", "[AGE]"),
        ("90 + 3", "[AGE]"),
        ("born 94 years ago", "[AGE]"),
        ("95 to 100 days", "95 to 100 days"),
        ("85-93", "85-90+"),
    ],
)
def test_no_part_of_an_age_over_89_is_left(text: str, new: str) -> None:
    assert AgeSurrogates(b"", "").replace(text).text == new
