"""Postcodes are found in an address, and other numbers are left alone."""

from __future__ import annotations

import pytest
from rule_cases import Case, check, enough, load

from incognote.detect.rules.postcodes import FAMILY

CASES = load("postcodes")


@pytest.mark.parametrize("case", CASES, ids=[case.text[:40] for case in CASES])
def test_case(case: Case) -> None:
    check(FAMILY, case)


def test_enough_cases() -> None:
    enough(CASES, FAMILY)
