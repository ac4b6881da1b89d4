"""Tasks are learned; a killed run ends as an unbroken one; what cannot be done is said."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file
from tiny_tasks import TASKS, examples, quick_options, tiny_task_start

from incognote.base.errors import TrainError
from incognote.workshop.tasks.checkpoint import load_checkpoint
from incognote.workshop.tasks.loop import TaskRun
from incognote.workshop.tasks.metrics import score
from incognote.workshop.tasks.options import TaskOptions
from incognote.workshop.tasks.predict import predictions, value_of
from incognote.workshop.tasks.task import QuestionExample
from incognote.workshop.tasks.train import train
from incognote.workshop.training.epochs import Tick


@pytest.fixture(autouse=True)
def _one_thread() -> None:
    torch.set_num_threads(1)


class Killed(BaseException):
    """As sudden as a kill, for the code that runs."""


def killer(step: int) -> Callable[[Tick], None]:
    def watch(tick: Tick) -> None:
        if tick.progress.steps == step:
            raise Killed

    return watch


@pytest.mark.parametrize(
    ("name", "epochs", "least"),
    [
        ("sentence", 6, 0.9),
        ("pair", 3, None),
        ("number", 8, 0.5),
        ("choice", 3, None),
        ("span", 6, 0.4),
        ("nullable", 3, None),
    ],
)
def test_every_kind_of_task_is_learned_and_its_checkpoint_says_the_same(
    name: str, epochs: int, least: float | None, tmp_path: Path
) -> None:
    task, validation = TASKS[name], examples(name, 18, first=60)
    options = quick_options(epochs=epochs, keep="last")
    finished = train(
        lambda: tiny_task_start(task),
        task,
        examples(name, 60),
        validation,
        options,
        tmp_path / "out",
    )
    curve = (tmp_path / "out" / "curve.jsonl").read_text().splitlines()
    losses = [json.loads(line)["loss"] for line in curve]
    assert losses[-1] < losses[0]
    checkpoint = load_checkpoint(tmp_path / "out")
    assert checkpoint.trained.task == task
    said = [value_of(each) for each in predictions(checkpoint.trained, validation)]
    figures = score(task, validation, said)
    recorded = finished.training["validation"]
    assert figures == {name: recorded[name] for name in figures}
    if least is not None:
        assert figures[task.metrics[0]] > least
    assert finished.training["threshold"] == recorded.get("threshold", 0.0)


@pytest.mark.parametrize("name", ["pair", "span"])
def test_a_killed_run_ends_bit_for_bit_as_an_unbroken_one(name: str, tmp_path: Path) -> None:
    task, training, validation = TASKS[name], examples(name, 40), examples(name, 8, first=40)
    options = quick_options(save_seconds=0.0, average=0.9, accumulate=2)

    def run(
        folder: Path, step: int = 0, *, resume: bool = False, options: TaskOptions = options
    ) -> None:
        train(
            lambda: tiny_task_start(task),
            task,
            training,
            validation,
            options,
            folder,
            resume=resume,
            watch=killer(step),
        )

    run(tmp_path / "unbroken")
    for step in (2, 3, 5):
        with pytest.raises(Killed):
            run(tmp_path / "killed", step, resume=True)
    run(tmp_path / "killed", resume=True)
    one, other = (
        load_file(tmp_path / folder / "model.safetensors") for folder in ("unbroken", "killed")
    )
    assert one.keys() == other.keys()
    assert all(torch.equal(one[key], other[key]) for key in one)
    with pytest.raises(TrainError, match="finished run with another lr"):
        run(tmp_path / "killed", resume=True, options=replace(options, lr=1.0))


def test_steps_end_a_run_within_an_epoch(tmp_path: Path) -> None:
    task = TASKS["sentence"]
    finished = train(
        lambda: tiny_task_start(task),
        task,
        examples("sentence", 40),
        (),
        quick_options(steps=7),
        tmp_path / "out",
    )
    assert finished.training["speed"]["steps"] == 7
    assert finished.training["epochs"] == 2  # five steps each


def test_a_batch_costs_the_same_whatever_is_beside_an_item(tmp_path: Path) -> None:
    """Sequences are packed, so that none sees another."""
    task = TASKS["span"]
    run = TaskRun(tiny_task_start(task), task, examples("span", 12), (), quick_options(), tmp_path)
    run.module.eval()
    with torch.no_grad():
        whole = float(run._loss(run.items))
        alone = sum(float(run._loss([item])) for item in run.items)
    assert whole == pytest.approx(alone, rel=1e-5)


def test_what_cannot_be_learned_is_said(tmp_path: Path) -> None:
    task = TASKS["span"]
    unknown = QuestionExample("1", "in where", "in Oslo", known=False)
    for training, options, words in (
        ([unknown], quick_options(), "training example 1 has no label or answer"),
        ([], quick_options(), "the training part has no examples"),
        (examples("span", 2), quick_options(longest=41), "--max-length 41 is too long"),
        (examples("span", 2), quick_options(stride=24), "--stride must be less than"),
    ):
        with pytest.raises(TrainError, match=words):
            TaskRun(tiny_task_start(task), task, training, (), options, tmp_path)
