"""What is said while a command runs: a line now and then, less with --quiet, more with --verbose."""

from __future__ import annotations

import io
import json
import logging
from pathlib import Path

import pytest
from commands import Command
from rich.console import Console

from incognote.cli.progress import LiveLine, Pace, progress

NOTE = "Seen by Dr. Okafor."
RULES = ("--detector", "rules")


class Clock:
    """Time that a test moves."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "SMITH.txt").write_text(NOTE)
    (folder / "WEBER.txt").write_bytes(b"\xff\xfe\xff")
    return folder


def test_without_a_terminal_a_line_comes_now_and_then() -> None:
    clock, seen = Clock(), io.StringIO()
    with progress(
        Console(file=seen, width=200), "de-identifying", 1000, pace=Pace(60, clock)
    ) as advance:
        for _ in range(10):
            clock.now += 13
            advance(5, 100)
    assert seen.getvalue().splitlines() == [
        "incognote: de-identifying: 25 notes, 50%, 0.4 notes/s, about 65 s left",
        "incognote: de-identifying: 50 notes, 100%, 0.4 notes/s",
    ]


def test_training_says_so_too(capsys: pytest.CaptureFixture[str]) -> None:
    clock = Clock()
    line = LiveLine(pace=Pace(60, clock))
    task = line.add_task("epoch 1", total=10, figures="")
    for step in range(1, 11):
        clock.now += 13
        line.show(task, completed=step, figures=f"loss {step}")
    assert capsys.readouterr().err.splitlines() == [
        "incognote: epoch 1 50%, loss 5",
        "incognote: epoch 1 100%, loss 10",
    ]


@pytest.mark.usefixtures("notes")
def test_quiet_says_only_what_went_wrong(
    incognote: Command, notes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("incognote.cli.progress.SECONDS_BETWEEN_LINES", 0.0)
    ran = incognote("deid", notes, "-o", tmp_path / "out", "--quiet", *RULES)
    assert ran.status == 1
    (only,) = ran.err.splitlines()
    assert only.startswith("incognote: input 2")
    good = incognote("deid", notes / "SMITH.txt", "-o", tmp_path / "one.txt", "-q", *RULES)
    assert (good.status, good.err) == (0, "")


def test_logs_have_figures_and_no_names(incognote: Command, notes: Path, tmp_path: Path) -> None:
    file = tmp_path / "log.jsonl"
    ran = incognote("deid", notes, "-o", tmp_path / "out", "-v", "--log", file, *RULES)
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    assert [row["event"] for row in rows] == [
        "begun",
        "file ended",
        "file ended",
        "failed",
        "ended",
    ]
    assert rows[1] | {"time": ""} == {
        "time": "",
        "level": "info",
        "logger": "incognote.run",
        "event": "file ended",
        "input": 1,
        "notes": 1,
        "failed": 0,
    }
    assert rows[3]["level"] == "warning"
    assert file.stat().st_mode & 0o077 == 0
    assert "incognote.run: file ended, input=1, notes=1, failed=0" in ran.err
    for secret in ("SMITH", "WEBER", "Okafor"):
        assert secret not in file.read_text()
        assert secret not in ran.err
    assert len(logging.getLogger("incognote").handlers) == 1


def test_a_program_that_uses_the_library_hears_it_by_logging(
    notes: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    from incognote.runs.plan import plan
    from incognote.runs.settings import Settings

    with caplog.at_level(logging.INFO, logger="incognote"):
        plan([str(notes)], tmp_path / "out", Settings(find_by="rules")).run()
    assert "file ended" in [record.getMessage() for record in caplog.records]
    assert all(record.name.startswith("incognote.") for record in caplog.records)
