"""The page for newcomers names files that are there."""

from __future__ import annotations

import re

import pytest
from places import ROOT

PAGE = ROOT / "docs/architecture.md"
NAMED = re.findall(r"`([\w/]+(?:\.(?:py|tsv)|/))`", PAGE.read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", sorted(set(NAMED)))
def test_the_file_is_there(name: str) -> None:
    assert (ROOT / "src/incognote" / name).exists() or (ROOT / name).exists()
