"""Login names, typist codes and social handles."""

from __future__ import annotations

import pytest
from rule_cases import Case, check, enough, load

from incognote.detect.rules.usernames import FAMILY

CASES = load("usernames")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.why)
def test_case(case: Case) -> None:
    check(FAMILY, case)


def test_there_are_enough_cases() -> None:
    enough(CASES, FAMILY)
