"""Processes, one task each, whatever becomes of them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from workshop.compare.odd_tasks import work

from incognote.workshop.compare.pool import Event, run_tasks


def test_a_pool_outlives_its_processes() -> None:
    tasks = ["refuse", "surprise", "die", "memory", "well"]
    events = list(run_tasks(work, tasks, workers=2, threads=3))
    ends = {event.task: event for event in events if event.ended}
    assert set(ends) == set(tasks)
    assert ends["refuse"] == Event("refuse", ended=True, reason="the loss became NaN at step 3")
    assert ends["die"].reason == "the process was ended by SIGKILL (out of memory?)"
    assert ends["memory"].reason == "MemoryError: no room for 3 GB"
    assert ends["well"].reason is None
    surprise = ends["surprise"].reason or ""
    assert surprise.startswith("unforeseen KeyError, line ")
    assert "Smith" not in surprise
    assert [event.told for event in events if event.told is not None] == ["3", "well"]
    assert "OMP_NUM_THREADS" not in os.environ or os.environ["OMP_NUM_THREADS"] != "3"


def test_when_the_parent_stops_the_processes_end(tmp_path: Path) -> None:
    stopped: list[bool] = []
    mark = tmp_path / "mark"
    with pytest.raises(KeyboardInterrupt):
        _until(mark, stopped)
    assert stopped == [True]
    with pytest.raises(ProcessLookupError):
        os.kill(int(mark.read_text()), 0)


def _until(mark: Path, stopped: list[bool]) -> None:
    events = run_tasks(
        work, [f"wait {mark}"], workers=1, threads=1, stopping=lambda: stopped.append(True)
    )
    next(events)
    while not mark.exists() or not mark.read_text():
        pass
    events.throw(KeyboardInterrupt)  # type: ignore[attr-defined]
