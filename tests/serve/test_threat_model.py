"""Every defence that docs/threat_model.md tells of names a test that there is."""

from __future__ import annotations

import re

from places import ROOT, TESTS

PAGE = (ROOT / "docs" / "threat_model.md").read_text()


def test_each_defence_names_a_test_that_there_is() -> None:
    defended = PAGE.partition("## What is defended")[2].partition("## What is not defended")[0]
    rows = [line for line in defended.splitlines() if line.startswith("|")]
    rows = [row for row in rows if not row.startswith(("|---", "| against"))]
    assert len(rows) >= 18
    assert all(re.search(r"test|tests/fuzz|the same", row.rsplit("|", 2)[1]) for row in rows)
    functions = {
        name
        for folder in ("serve", "deploy")
        for path in (TESTS / folder).glob("test_*.py")
        for name in re.findall(r"^def (test_\w+)", path.read_text(), re.M)
    }
    named = set(re.findall(r"`(test_\w+)`", defended))
    assert len(named) >= 20
    assert named <= functions, named - functions
    for path in re.findall(r"`((?:tests/\w+/)?test_\w+\.py)`", defended):
        place = ROOT / path if path.startswith("tests/") else TESTS / "serve" / path
        assert place.is_file(), path
