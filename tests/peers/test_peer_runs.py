"""Peers as processes: what they are given, what they may tell, what is kept of an installation."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType

import pytest

from benchmarks.peers import environments, run
from benchmarks.peers.environments import Environment, environment, reason
from benchmarks.peers.measuring import Cost, RunError, best, settings, write_notes
from benchmarks.peers.measuring import run as run_peer
from benchmarks.peers.peer import Find, Found, Peer
from incognote import Document

SECRET = "Okonjo-Bright"


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    path = tmp_path / "notes.jsonl"
    write_notes([Document("a", f"Seen: {SECRET}."), Document("b", "")], path)
    return path


def _peer(monkeypatch: pytest.MonkeyPatch, load: object) -> str:
    module = ModuleType("benchmarks.peers.made_up")
    module.load = load  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setenv(run.LAUNCHED, repr(time.monotonic()))
    return "made_up"


def _finds(texts: Sequence[str]) -> Iterator[list[Found]]:
    for text in texts:
        yield [(6, 19, "PERSON", 0.5), (0, 4, "WORD", 1), (4, 4, "NOTHING", 1)] if text else []


def _outputs(folder: Path) -> tuple[Path, Path]:
    return folder / "spans.jsonl", folder / "cost.json"


def test_a_run_writes_places_and_costs(
    monkeypatch: pytest.MonkeyPatch, notes: Path, tmp_path: Path
) -> None:
    spans, cost = _outputs(tmp_path)
    name = _peer(monkeypatch, lambda variant: _finds)
    assert run.main([name, "", str(notes), str(spans), str(cost)]) == 0
    lines = [json.loads(line) for line in spans.read_text().splitlines()]
    assert lines == [
        {
            "id": "a",
            "spans": [
                {"start": 0, "end": 4, "type": "WORD", "score": 1.0},
                {"start": 6, "end": 19, "type": "PERSON", "score": 0.5},
            ],
        },
        {"id": "b", "spans": []},
    ]
    told = Cost(**json.loads(cost.read_text()))
    assert told.start_up_seconds > 0
    assert told.wall_seconds > 0
    assert told.peak_megabytes > 1
    assert SECRET not in spans.read_text() + cost.read_text()


def test_an_error_on_a_note_is_told_without_its_message(
    monkeypatch: pytest.MonkeyPatch, notes: Path, tmp_path: Path
) -> None:
    def load(variant: str) -> Find:
        def find(texts: Sequence[str]) -> list[list[Found]]:
            raise ValueError(f"cannot read {texts[0]}")

        return find

    spans, cost = _outputs(tmp_path)
    assert run.main([_peer(monkeypatch, load), "", str(notes), str(spans), str(cost)]) == 1
    assert json.loads(cost.read_text()) == {"failed": "failed on a note: ValueError"}


def test_an_error_at_the_start_is_told_in_full(
    monkeypatch: pytest.MonkeyPatch, notes: Path, tmp_path: Path
) -> None:
    def load(variant: str) -> Find:
        raise ImportError("No module named 'x'")

    spans, cost = _outputs(tmp_path)
    assert run.main([_peer(monkeypatch, load), "", str(notes), str(spans), str(cost)]) == 1
    told = json.loads(cost.read_text())["failed"]
    assert told == "did not start: ImportError: No module named 'x'"


def test_a_run_in_a_process_says_why_it_failed(notes: Path, tmp_path: Path) -> None:
    peer = Peer("x", "X", "no_such_peer", "")
    with pytest.raises(RunError, match="did not start: ModuleNotFoundError"):
        run_peer(
            peer, Environment(Path(sys.executable), {}), notes, tmp_path / "spans.jsonl", 1, 60
        )


def test_peers_never_see_the_marks(tmp_path: Path) -> None:
    note = Document("a", "Ana").with_spans([])
    write_notes([note], tmp_path / "notes.jsonl")
    assert json.loads((tmp_path / "notes.jsonl").read_text()) == {"id": "a", "text": "Ana"}


def test_all_run_with_the_same_threads_and_allocator() -> None:
    made = settings({"MALLOC_TOP_PAD_": "1", "PYTHONPATH": "x", "HOME": "h"}, threads=2)
    assert made["OMP_NUM_THREADS"] == made["OPENBLAS_NUM_THREADS"] == "2"
    assert made["HOME"] == "h"
    assert not {"MALLOC_TOP_PAD_", "PYTHONPATH"} & made.keys()


def test_the_best_round_counts_for_time_and_the_worst_for_memory() -> None:
    assert best([Cost(3, 2, 10, 5, 100), Cost(2, 3, 12, 4, 120)]) == Cost(2, 2, 10, 4, 120)


@pytest.mark.parametrize(
    ("log", "told"),
    [
        ("ERROR: older\nERROR: No matching distribution found for x\n", "No matching distribution"),
        ("  fatal: unable to access it\nerror: subprocess-exited-with-error\n", "unable to access"),
        ("Traceback\nValueError: no tagger\n\n", "ValueError: no tagger"),
        ("", "no output"),
    ],
)
def test_why_an_installation_failed(log: str, told: str) -> None:
    assert reason(log).startswith(told)


def test_an_environment_is_made_once_and_found_again(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    made: list[Path] = []

    def make(peer: Peer, folder: Path) -> None:
        made.append(folder)
        folder.mkdir(parents=True)
        told = {"versions": {"x": "1"}, "prepared": "with a tagger"}
        (folder / environments.MADE).write_text(json.dumps(told))

    monkeypatch.setattr(environments, "_make", make)
    peer = Peer("x", "X", "x", "", ("x==1",))
    first, again = environment(peer, tmp_path), environment(peer, tmp_path)
    assert first == again
    assert (first.versions, first.remark) == ({"x": "1"}, "with a tagger")
    assert first.python.is_relative_to(tmp_path)
    environment(Peer("x", "X", "x", "", ("x==2",)), tmp_path)
    assert len(set(made)) == len(made) == 2


def test_ours_runs_in_this_environment(tmp_path: Path) -> None:
    ours = environment(Peer("rules", "rules", "ours", ""), tmp_path)
    assert ours.python == Path(sys.executable)
    assert not list(tmp_path.iterdir())
    assert os.access(ours.python, os.X_OK)
