"""The page for newcomers names files that are there."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest
from places import ROOT

PAGE = ROOT / "docs/architecture.md"
NAMED = re.findall(r"`([\w/]+(?:\.(?:py|tsv)|/))`", PAGE.read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", sorted(set(NAMED)))
def test_the_file_is_there(name: str) -> None:
    assert (ROOT / "src/incognote" / name).exists() or (ROOT / name).exists()


def test_no_two_test_files_have_the_same_name() -> None:
    # pytest imports them by their names alone: of two it collects one.
    names = Counter(path.name for path in Path(__file__).parent.rglob("test_*.py"))
    assert [name for name, count in names.items() if count > 1] == []
