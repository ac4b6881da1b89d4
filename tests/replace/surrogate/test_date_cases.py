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
