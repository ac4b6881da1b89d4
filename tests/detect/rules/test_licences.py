"""Licences and registrations are found, schedules and laboratory values are not."""

from __future__ import annotations

import pytest
from rule_cases import Case, check, enough, load

from incognote.detect.rules.licences import FAMILY

CASES = load("licences")


@pytest.mark.parametrize("case", CASES, ids=[case.why for case in CASES])
def test_case(case: Case) -> None:
    check(FAMILY, case)


def test_enough_cases() -> None:
    enough(CASES, FAMILY)
