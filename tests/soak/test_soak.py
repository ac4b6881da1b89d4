"""A short, seeded soak; `make soak` is the long one."""

from __future__ import annotations

from pathlib import Path

import pytest
from fuzz.faults import FaultError, Findings
from soak.load import Memory, soak


def test_mixed_load_loses_and_mixes_up_nothing(tmp_path: Path) -> None:
    findings = Findings()
    soak(12, 20_261_119, tmp_path, findings)
    assert findings.faults == []
    assert sum(findings.counts.values()) > 20


def test_memory_that_grows_is_seen() -> None:
    Memory([100.0] * 400).check()
    Memory([*map(float, range(100, 200)), *([200.0] * 300)]).check()
    for growing in ([float(each) for each in range(100, 500)], [each / 50 for each in range(4000)]):
        with pytest.raises(FaultError, match="grew"):
            Memory(growing).check()
