"""Named hospitals and organisations are found; departments and makers are not."""

from __future__ import annotations

import pytest
from rule_cases import Case, check, enough, load

from incognote.detect.rules.facilities import FAMILY

CASES = load("facilities")


@pytest.mark.parametrize("case", CASES, ids=[case.text[:40] for case in CASES])
def test_case(case: Case) -> None:
    check(FAMILY, case)


def test_enough_cases() -> None:
    enough(CASES, FAMILY)
