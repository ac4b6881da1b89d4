"""A short, seeded run of the fuzzers; `make fuzz` is the long one."""

from __future__ import annotations

from pathlib import Path

import pytest
from fuzz.faults import FaultError, Findings
from fuzz.files import TEXT, _fewer_canaries, fuzz_files
from fuzz.notes import fuzz_notes
from fuzz.runs import fuzz_runs
from fuzz.wire import CANARY, _check, fuzz_wire

from incognote.document import Document, Span
from incognote.formats import FORMATS


def test_odd_notes_go_through_every_operator() -> None:
    findings = Findings()
    fuzz_notes(1_200, 20_261_118, findings)
    assert findings.faults == []
    assert findings.counts["notes"] == 1_200


def test_damaged_files_are_refused_or_come_out_as_they_were(tmp_path: Path) -> None:
    findings = Findings()
    fuzz_files(1_500, 20_261_118, tmp_path, findings)
    assert findings.faults == []
    assert findings.counts["files read"] > 100
    assert findings.counts["files refused"] > 100


def test_disturbed_runs_lose_nothing(tmp_path: Path) -> None:
    findings = Findings()
    fuzz_runs(6, 7, tmp_path, findings)
    assert findings.faults == []
    assert sum(findings.counts.values()) >= 6


def test_odd_connections_are_refused_and_harm_no_other(tmp_path: Path) -> None:
    findings = Findings()
    fuzz_wire(120, 20_261_119, tmp_path, findings)
    assert findings.faults == []
    assert findings.counts["wire: 4xx"] > 60


def test_the_fuzzer_sees_an_answer_that_quotes_and_one_that_fails() -> None:
    with pytest.raises(FaultError, match="quotes"):
        _check(b"POST /v1/deid HTTP/1.1\r\n", 422, b"", CANARY.encode())
    with pytest.raises(FaultError, match="status 500"):
        _check(b"POST /v1/deid HTTP/1.1\r\n", 500, b"", b"")


def test_the_fuzzer_sees_a_canary_that_stayed(tmp_path: Path) -> None:
    note = Document("n", TEXT, (Span.of(TEXT, 4, 13, "PATIENT"),))
    for name in ("in.txt", "out.txt"):
        (tmp_path / name).write_text(TEXT, encoding="utf-16-le")
    with pytest.raises(FaultError, match="canary"):
        _fewer_canaries(FORMATS["text"], tmp_path / "in.txt", tmp_path / "out.txt", [note])
