"""`incognote bench` from the command line: a table for people, JSON for programs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from commands import Command
from tiny_checkpoints import unsure_model
from toy_corpus import toy

from incognote.workshop.bench import run
from incognote.workshop.bench.subject import Subject


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return unsure_model(tmp_path_factory.mktemp("bench"))


@pytest.fixture
def notes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Without peers, which take seconds to load, and with one whole command only."""

    def away(subject: Subject) -> str | None:
        return None if subject.name == "incognote" else "not installed"

    monkeypatch.setattr(run, "why_not", away)
    monkeypatch.setattr(run, "COMMANDS", 1)
    table = tmp_path / "notes.jsonl"
    rows = [json.dumps({"id": note.id, "text": note.text}) for note in toy(4)]
    table.write_text("\n".join(rows) + "\n")
    return table


def test_the_table(incognote: Command, model: Path, notes: Path) -> None:
    ran = incognote("bench", notes, "--model", model, "--seconds", 0.1, "--workers", 1)
    assert ran.status == 0
    lines = ran.out.decode().splitlines()
    assert lines[0].startswith("4 notes of ")
    assert lines[1].split()[:4] == ["notes/s", "1", "workers", "words/s"]
    assert [line.split()[:2] for line in lines[2:4]] == [
        ["incognote", "careful"],
        ["incognote", "rules"],
    ]
    assert "presidio: not installed" in lines


def test_json(incognote: Command, model: Path, notes: Path) -> None:
    ran = incognote("bench", notes, "--model", model, "--seconds", 0.1, "--workers", 1, "--json")
    assert ran.status == 0
    told = json.loads(ran.out)
    assert [row["title"] for row in told["rows"]] == ["incognote careful", "incognote rules"]
    row = told["rows"][0]
    assert row["all_workers"] == row["one_worker"]
    assert row["all_workers_peak_megabytes"] == row["one_worker_peak_megabytes"]
    assert 0 < row["latency_p50_ms"] <= row["latency_p95_ms"]
    assert row["share_of_int8"] > 0
    assert told["machine"]["cores"] >= 1
    assert set(told["skipped"]) == {"transformers, random weights", "presidio"}
