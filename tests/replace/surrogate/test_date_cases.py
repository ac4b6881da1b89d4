"""Each line of the case file: a date, a shift in days, and what it must become."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import date
from typing import Any

import pytest
from places import TESTS

from incognote.replace.surrogate.date_parse import parse, read_note
from incognote.replace.surrogate.date_readings import Context
from incognote.replace.surrogate.date_write import shift
from incognote.replace.surrogate.dates import DateSurrogates, Replacement

FILE = TESTS / "cases" / "surrogates" / "dates.jsonl"
CASES = [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()]


def context_of(said: dict[str, Any]) -> Context:
    values = dict(said)
    note = read_note(values.pop("dates", ()), values.pop("order", "mdy"))
    if "around" in values:
        values["around"] = date.fromisoformat(values["around"])
    return replace(note, **values)


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['text']!r}{case['shift']:+}")
def test_a_date_becomes_what_the_case_says(case: dict[str, Any]) -> None:
    parsed = parse(case["text"], context_of(case.get("context", {})))
    written = shift(parsed, case["shift"]) if parsed else None
    assert written == case["expect"], case["why"]


def test_there_are_enough_cases_and_none_is_said_twice() -> None:
    said = {(case["text"], case["shift"], json.dumps(case.get("context"))) for case in CASES}
    assert len(said) == len(CASES)
    assert len(CASES) >= 250


IMPOSSIBLE = (
    "2019-03-00 2019-00-00 2019-99-99 2019-00-15 2019-03-32 1958-03-00T00:00:00 00-00-58 2019-00 "
    "00-Mar-2019 2019-Mar-00 2019--15 0000-00-00 2019/03/00 99/99/2019 03/00/19"
).split()


@pytest.mark.parametrize("text", IMPOSSIBLE)
def test_a_day_that_there_is_not_becomes_a_tag(text: str) -> None:
    for days in (-300, 10, 364):
        dates = DateSurrogates(b"a key of sufficient length", "p", days=days)
        assert dates.replace(text, read_note([text])) == Replacement("[DATE]", "tag")


def test_two_years_are_no_impossible_day() -> None:
    dates = DateSurrogates(b"a key of sufficient length", "p", days=730)
    assert dates.replace("1999-00", read_note([])).text == "2001-02"
