"""The cores that a process may use."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from incognote.onnx.cores import _paid_for, cores


def test_at_least_one_and_no_more_than_there_are() -> None:
    assert 1 <= cores() <= (os.cpu_count() or 1)


@pytest.mark.parametrize(
    ("quota", "paid"),
    [("200000 100000", 2), ("150000 100000", 1), ("5000 100000", 1), ("max 100000", None)],
)
def test_a_quota_is_told_in_whole_cores(quota: str, paid: int | None, tmp_path: Path) -> None:
    file = tmp_path / "cpu.max"
    assert _paid_for(file) is None
    file.write_text(quota + "\n")
    assert _paid_for(file) == paid
