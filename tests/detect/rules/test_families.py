"""Each family finds exactly what its cases mark, and nothing in the look-alikes."""

from __future__ import annotations

import pytest
from rule_cases import Case, check, enough, load

from incognote.detect.rules import FAMILIES
from incognote.detect.rules.engine import Family

CASES = [(family, case) for family in FAMILIES for case in load(family.name)]


@pytest.mark.parametrize(
    ("family", "case"), CASES, ids=[f"{family.name}: {case.text[:40]}" for family, case in CASES]
)
def test_case(family: Family, case: Case) -> None:
    check(family, case)


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_enough_cases(family: Family) -> None:
    enough(load(family.name), family)
