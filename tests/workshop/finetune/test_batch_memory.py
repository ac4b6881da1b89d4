"""The largest batch that fits: counted from what a step keeps, kept with the run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch
from toy_corpus import quick, tiny_start, toy

from incognote.base.errors import TrainError
from incognote.workshop.finetune import examples, loop
from incognote.workshop.finetune.checkpoint import load_checkpoint
from incognote.workshop.finetune.examples import windows_that_fit
from incognote.workshop.finetune.loop import Run
from incognote.workshop.finetune.train import train
from incognote.workshop.training.epochs import Tick
from incognote.workshop.training.loop import Paused

AUTO = {"batch_tokens": None, "batch_size": "auto"}
CPU = torch.device("cpu")


@pytest.fixture
def run(tmp_path: Path) -> Run:
    return Run(tiny_start(), toy(12), [], quick(batch_tokens=128), tmp_path)


def fitting(run: Run, free: int) -> int:
    parameters = run.tagger.parameters()
    return windows_that_fit(
        lambda batch: run._backward(batch, run._weight(batch)),
        run.examples,
        parameters,
        CPU,
        free=free,
    )


def test_more_memory_holds_more_windows_and_never_more_than_there_are(run: Run) -> None:
    sizes = [fitting(run, megabytes * 1_000_000) for megabytes in (2, 4, 6, 8, 1000)]
    assert 1 <= sizes[0] < sizes[1] < sizes[2] < sizes[3] <= sizes[4] == len(run.examples)
    steps = [sizes[1] - sizes[0], sizes[2] - sizes[1]]
    assert abs(steps[0] - steps[1]) <= 1  # each window takes the same
    assert all(parameter.grad is None for parameter in run.tagger.parameters())


def test_what_is_counted_is_what_autograd_keeps(run: Run) -> None:
    """A batch of twice the windows keeps twice as much, but for what is kept once."""
    longest = max(run.examples, key=lambda example: example.length)

    def needed(count: int) -> int:
        batch = [longest] * count
        return examples._needed(lambda some: run._backward(some, 1.0), batch, CPU)

    one, two, eight = needed(1), needed(2), needed(8)
    assert eight - two == pytest.approx(6 * (two - one), rel=0.02)
    pieces = run.tagger.model.config.layers * longest.length
    assert two - one > pieces * 4 * (run.tagger.model.config.feed_forward_size * 2)


def test_too_little_memory_for_one_window_is_said(run: Run) -> None:
    with pytest.raises(TrainError, match="too little for one window"):
        fitting(run, 100_000)


def test_a_container_may_leave_less_than_the_machine_has(tmp_path: Path) -> None:
    for name, text in (
        ("memory.max", "1000\n"),
        ("memory.current", "700\n"),
        ("memory.stat", "anon 500\ninactive_file 200\n"),
    ):
        (tmp_path / name).write_text(text)
    assert examples._container_memory(tmp_path) == [500]
    (tmp_path / "memory.max").write_text("max\n")
    assert examples._container_memory(tmp_path) == []
    assert examples.free_memory(CPU) > 0


def test_auto_takes_the_largest_and_says_which(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loop, "free_memory", lambda device: 4_000_000)
    train(tiny_start, toy(12), [], quick(**AUTO, epochs=1), tmp_path / "out")
    told = json.loads((tmp_path / "out/training.json").read_text())
    assert told["options"]["batch_size"] == "auto"
    assert 1 < told["batch_size"] < told["data"]["windows"]
    assert told["speed"]["steps"] == -(-told["data"]["windows"] // told["batch_size"])


def test_a_run_goes_on_with_the_batches_it_began_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever memory is free by then; the weights are those of an unbroken run."""

    def stop(tick: Tick) -> None:
        if tick.progress.steps == 3:
            raise Paused

    options = quick(**AUTO, epochs=2)
    for folder, watch, free in (
        ("whole", lambda tick: None, 3_000_000),
        ("broken", stop, 3_000_000),
        ("broken", lambda tick: None, 9_000_000),
    ):
        monkeypatch.setattr(loop, "free_memory", lambda device, free=free: free)
        try:
            train(tiny_start, toy(12), [], options, tmp_path / folder, resume=True, watch=watch)
        except Paused:
            continue
    whole, broken = (load_checkpoint(tmp_path / name) for name in ("whole", "broken"))
    assert whole.training["batch_size"] == broken.training["batch_size"]
    for name, value in whole.tagger.state_dict().items():
        assert torch.equal(value, broken.tagger.state_dict()[name]), name
