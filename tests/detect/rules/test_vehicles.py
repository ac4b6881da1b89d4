"""The cases of the family `vehicles`."""

from __future__ import annotations

import pytest
from rule_cases import Case, check, enough, load

from incognote.detect.rules.vehicles import FAMILY

CASES = load("vehicles")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.why)
def test_finds_exactly_the_marks(case: Case) -> None:
    check(FAMILY, case)


def test_there_are_enough_cases() -> None:
    enough(CASES, FAMILY)
