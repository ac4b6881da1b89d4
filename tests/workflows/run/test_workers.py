"""How many processes a run starts by itself."""

from __future__ import annotations

from pathlib import Path

import pytest

import incognote.workflows.run.workers as workers
from incognote.workflows.run.inputs import list_inputs
from incognote.workflows.run.settings import Settings


def test_as_many_as_have_enough_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "cores", lambda: 4)
    for name, size in (("a", 120_000), ("b", 250_000)):
        (tmp_path / f"{name}.txt").write_text("x" * size)
    small, large = (list_inputs([str(tmp_path / f"{name}.txt")]) for name in "ab")
    assert workers.workers_for(small, model=True) == 1
    assert workers.workers_for(large, model=True) == 2
    assert workers.workers_for([*small, *large] * 5, model=True) == 4
    assert workers.workers_for(large, model=False) == 1
    assert workers.workers_for([], model=True) == 1


def test_a_number_that_was_given_stays(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("x")
    inputs = list_inputs([str(tmp_path)])
    assert Settings(workers=3).settled(inputs).workers == 3
    assert Settings(workers=0).settled(inputs).workers == 1
