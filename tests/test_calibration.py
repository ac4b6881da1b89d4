"""A calibration is for the rules and word lists that it was made with."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import incognote.knowledge
from incognote.calibration import rules_version


def test_a_changed_word_list_is_another_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = rules_version()
    shutil.copytree(incognote.knowledge.__path__[0], tmp_path / "knowledge")
    monkeypatch.setattr(incognote.knowledge, "__path__", [str(tmp_path / "knowledge")])
    rules_version.cache_clear()
    assert rules_version() == before
    with (tmp_path / "knowledge" / "streets.tsv").open("a") as table:
        table.write("\n")
    rules_version.cache_clear()
    changed = rules_version()
    rules_version.cache_clear()
    assert changed != before
