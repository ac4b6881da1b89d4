"""Names by context."""

from __future__ import annotations

import time

import pytest
from rule_cases import Case, check, load

from incognote.detect.rules.names import FAMILY

CASES = load("names")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.why)
def test_case(case: Case) -> None:
    check(FAMILY, case)


def test_there_are_enough_cases() -> None:
    positive = sum(bool(case.marks) for case in CASES)
    assert positive >= 120
    assert len(CASES) - positive >= 80


@pytest.mark.parametrize(
    "unit", ["Dr. ", "A", "Ab, ", "MD ", "Mr. X ", "son ", "Name: ", " ", "\n", "J."]
)
def test_time_grows_with_length_only(unit: str) -> None:
    def seconds(length: int) -> float:
        text = (unit * length)[:length]
        best = float("inf")
        for _ in range(2):
            start = time.perf_counter()
            list(FAMILY.find(text))
            best = min(best, time.perf_counter() - start)
        return best

    assert seconds(40_000) < 12 * seconds(10_000) + 0.05
