"""Dates are found in every wording, and what merely looks like one is left alone."""

from __future__ import annotations

import time

import pytest
from rule_cases import Case, check, load

from incognote.detect.rules.dates import FAMILY

CASES = load("dates")


@pytest.mark.parametrize("case", CASES, ids=[case.text[:40] for case in CASES])
def test_case(case: Case) -> None:
    check(FAMILY, case)


def test_enough_cases() -> None:
    positive = sum(bool(case.marks) for case in CASES)
    assert positive >= 150
    assert len(CASES) - positive >= 120


def _seconds(text: str) -> float:
    start = time.process_time()
    for _ in FAMILY.find(text):
        pass
    return time.process_time() - start


@pytest.mark.parametrize("piece", ["1/1/", "1/1-", "10-", "2019-", "May ", "March 1-", "M/W/", "1"])
def test_time_grows_with_the_length(piece: str) -> None:
    """Eight times the text takes about eight times as long; squared growth would take 64."""
    short = min(_seconds(piece * 1_000) for _ in range(2))
    assert _seconds(piece * 8_000) < 30 * short + 0.1
