"""`--speed` and `--workers` from the command line: another variant, never another result by chance."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from commands import Command
from tiny_checkpoints import unsure_model
from toy_corpus import toy


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """With a fast variant that leaves out dates."""
    folder = unsure_model(tmp_path_factory.mktemp("speed"))
    file = folder / "incognote.json"
    told = json.loads(file.read_text())
    told["variants"]["fast"] = {**told["variants"]["careful"], "thresholds": {"DATE": 1.0}}
    file.write_text(json.dumps(told))
    return folder


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    table = tmp_path / "notes.jsonl"
    rows = [json.dumps({"id": note.id, "text": note.text}) for note in toy(30)]
    table.write_text("\n".join(rows) + "\n")
    return table


def test_a_speed_that_the_model_has(incognote: Command, model: Path, notes: Path) -> None:
    found = {
        speed: incognote("find", notes, "--model", model, "--detector", "model", "--speed", speed)
        for speed in ("careful", "fast")
    }
    assert {ran.status for ran in found.values()} == {0}
    assert b'"DATE"' in found["careful"].out
    assert b'"DATE"' not in found["fast"].out


@pytest.mark.parametrize("command", ["find", "deid"])
def test_a_speed_that_it_has_not(
    command: str, incognote: Command, model: Path, notes: Path
) -> None:
    ran = incognote(command, notes, "--model", model, "--speed", "balanced")
    assert ran.status == 2
    text = ran.err if isinstance(ran.err, str) else ran.err.decode()
    assert "no variant 'balanced', but careful, fast" in text
    assert len(text.strip().splitlines()) == 1


def test_workers_change_nothing(
    incognote: Command, model: Path, notes: Path, tmp_path: Path
) -> None:
    written = []
    for number, workers in enumerate([(), ("--workers", "1"), ("--workers", "2")]):
        output = tmp_path / f"clean-{number}.jsonl"
        ran = incognote("deid", notes, "-o", output, "--model", model, *workers)
        assert ran.status == 0
        written.append(output.read_bytes())
    assert len(set(written)) == 1


def test_a_promise_is_for_one_speed(
    incognote: Command, model: Path, notes: Path, tmp_path: Path
) -> None:
    gold = tmp_path / "gold.jsonl"
    with gold.open("w") as stream:
        for note in toy(60, sentences=1):
            spans = [{"start": s.start, "end": s.end, "type": s.type} for s in note.spans]
            stream.write(json.dumps({"id": note.id, "text": note.text, "spans": spans}) + "\n")
    site, use = tmp_path / "site.json", ("--model", model, "--detector", "model")
    ran = incognote("calibrate", gold, "-o", site, *use, "--speed", "fast", "--risk", 0.06)
    assert ran.status == 0, ran.err
    promised = ("--calibration", site, "--min-recall", 0.94)
    assert incognote("find", notes, *use, *promised, "--speed", "fast").status == 0
    for other in ((), ("--speed", "careful")):
        ran = incognote("find", notes, *use, *promised, *other)
        assert ran.status == 2
        assert "made with other variants of the model (fast)" in str(ran.err)
