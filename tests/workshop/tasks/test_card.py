"""A trained task has a card: data, settings, figures, terms, and no place of a file."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from tiny_tasks import TASKS, examples, quick_options, tiny_task_start

from incognote.workshop.export.task import export_task
from incognote.workshop.tasks.card import CARD, OWN, RESEARCH, TERMS, terms, write_card
from incognote.workshop.tasks.task import GLUE
from incognote.workshop.tasks.task import TASKS as KNOWN
from incognote.workshop.tasks.train import train
from incognote.workshop.training.run_folder import FinishedRun


def trained(folder: Path, *, validated: bool = True, name: str = "pair") -> FinishedRun:
    """One epoch of a tiny task, from an encoder whose folder has a patient's name."""
    torch.set_num_threads(1)
    task = TASKS[name]
    return train(
        lambda: replace(tiny_task_start(task), name="/home/jane.doe/encoder"),
        task,
        examples(name, 12),
        examples(name, 6, first=20) if validated else [],
        quick_options(epochs=1, seed=7),
        folder,
    )


def test_a_card_says_data_settings_and_figures_and_no_place(tmp_path: Path) -> None:
    finished = trained(tmp_path / "out")
    told = (tmp_path / "out" / CARD).read_text()
    assert "12 examples" in told
    assert "seed 7" in told
    assert finished.training["data"]["fingerprint"] in told
    accuracy = finished.training["validation"]["accuracy"]
    assert f"| validation (6 examples) | {100 * accuracy:.2f} |" in told
    assert OWN in told
    assert "jane.doe" not in told
    assert str(tmp_path) not in told


def test_what_was_not_measured_is_not_claimed(tmp_path: Path) -> None:
    finished = trained(tmp_path / "out", validated=False)
    assert "has not been measured" in (tmp_path / "out" / CARD).read_text()
    write_card(tmp_path / "out", finished.training, {"accuracy": 0.75})
    assert "| test | 75.00 |" in (tmp_path / "out" / CARD).read_text()


def test_an_exported_task_keeps_its_card(tmp_path: Path) -> None:
    pytest.importorskip("onnx")
    finished = trained(tmp_path / "out")
    export_task(tmp_path / "out", tmp_path / "model")
    assert (tmp_path / "model" / CARD).read_text() == (tmp_path / "out" / CARD).read_text()
    card = json.loads((tmp_path / "model" / "task.json").read_text())["card"]
    assert card["fingerprint"] == finished.training["data"]["fingerprint"]
    assert (card["examples"], card["seed"], card["data_terms"]) == (12, 7, OWN)


def test_every_published_task_has_its_terms() -> None:
    published = [name for name in KNOWN if name not in ("sentence", "pair", "choice", "span")]
    assert sorted(TERMS) == sorted(published)
    assert all(RESEARCH in terms(name) for name in GLUE if name != "qnli")
    assert RESEARCH in terms("race")
