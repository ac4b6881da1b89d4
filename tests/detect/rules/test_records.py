"""Record numbers are found in every shape, and chart words without one are left alone."""

from __future__ import annotations

import pytest
from rule_cases import Case, check, enough, load

from incognote.detect.rules.records import FAMILY

CASES = load("records")


@pytest.mark.parametrize("case", CASES, ids=[case.why for case in CASES])
def test_case(case: Case) -> None:
    check(FAMILY, case)


def test_enough_cases() -> None:
    enough(CASES, FAMILY)
