"""A killed run ends as an unbroken one, bit for bit."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from places import TESTS
from safetensors.torch import load_file, save_file
from toy_corpus import quick, tiny_start, toy

from incognote.base.errors import TrainError
from incognote.workshop.encoders import tensor_files
from incognote.workshop.finetune.train import train
from incognote.workshop.training.epochs import Tick
from incognote.workshop.training.loop import Paused, pause_on_signal

TRAINING, VALIDATION = toy(20), toy(24)[20:]


class Killed(BaseException):
    """As sudden as a kill, for the code that runs."""


def options(**changes: Any) -> Any:
    """With dropout, a CRF, shapes and an average; everything that has a state."""
    chosen = {"save_seconds": 0.0, "crf": True, "shape": True, "average": 0.9, "epochs": 3}
    return quick(**{**chosen, **changes})


def killer(step: int) -> Callable[[Tick], None]:
    def watch(tick: Tick) -> None:
        if tick.progress.steps == step:
            raise Killed

    return watch


def weights(folder: Path) -> dict[str, torch.Tensor]:
    return {
        **load_file(folder / "model.safetensors"),
        **load_file(folder / "incognote.safetensors"),
    }


def same(one: dict[str, torch.Tensor], other: dict[str, torch.Tensor]) -> bool:
    return one.keys() == other.keys() and all(torch.equal(one[k], other[k]) for k in one)


@pytest.fixture(scope="module")
def unbroken(tmp_path_factory: pytest.TempPathFactory) -> Path:
    torch.set_num_threads(1)
    folder = tmp_path_factory.mktemp("unbroken") / "out"
    train(tiny_start, TRAINING, VALIDATION, options(), folder)
    return folder


def test_five_kills_within_epochs_change_nothing(unbroken: Path, tmp_path: Path) -> None:
    steps = load_steps(unbroken)
    moments = sorted(random.Random(5).sample(range(2, steps), 5))
    folder = tmp_path / "out"
    for moment in moments:
        with pytest.raises(Killed):
            train(
                tiny_start,
                TRAINING,
                VALIDATION,
                options(),
                folder,
                resume=True,
                watch=killer(moment),
            )
        torch.manual_seed(moment)  # whatever was drawn in between
    train(tiny_start, TRAINING, VALIDATION, options(), folder, resume=True)
    assert same(weights(folder), weights(unbroken))
    kept = ("precision", "recall", "f1", "loss", "epoch")
    assert [[r.get(k) for k in kept] for r in curve(folder)] == [
        [r.get(k) for k in kept] for r in curve(unbroken)
    ]


def test_sigterm_saves_where_the_run_is(unbroken: Path, tmp_path: Path) -> None:
    rare = options(save_seconds=10_000.0)
    lines: list[str] = []

    def terminated(tick: Tick) -> None:
        if tick.progress.steps == 5:
            os.kill(os.getpid(), signal.SIGTERM)

    with pytest.raises(Paused), pause_on_signal(terminated) as watch:
        train(tiny_start, TRAINING, VALIDATION, rare, tmp_path / "out", watch=watch)
    again: dict[str, Any] = {"resume": True, "say": lines.append}
    train(tiny_start, TRAINING, VALIDATION, rare, tmp_path / "out", **again)
    assert lines == [f"continuing at step 5 of {load_steps(unbroken)}"]
    assert same(weights(tmp_path / "out"), weights(unbroken))
    train(tiny_start, TRAINING, VALIDATION, rare, tmp_path / "out", **again)
    assert lines[1:] == ["the run is finished: nothing is left to do"]


def test_a_run_that_cannot_go_on_says_that_it_begins_anew(tmp_path: Path) -> None:
    lines: list[str] = []
    few = options(epochs=1)
    train(tiny_start, TRAINING, [], few, tmp_path / "out", resume=True, say=lines.append)
    assert lines == ["no unfinished run is here: starting from the beginning"]


def test_a_state_of_long_ago_is_enough(unbroken: Path, tmp_path: Path) -> None:
    """Only epochs are saved: the steps since are run again."""
    folder = tmp_path / "out"
    with pytest.raises(Killed):
        train(
            tiny_start,
            TRAINING,
            VALIDATION,
            options(save_seconds=1e9),
            folder,
            watch=killer(load_steps(unbroken) - 1),
        )
    train(tiny_start, TRAINING, VALIDATION, options(save_seconds=1e9), folder, resume=True)
    assert same(weights(folder), weights(unbroken))


def test_killed_while_saving(
    unbroken: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "out"
    written = save_file
    count = 0

    def torn(tensors: Any, path: Path, metadata: Any) -> None:
        nonlocal count
        count += 1
        if count == 4:
            path.write_bytes(b"half a fi")
            raise Killed
        written(tensors, path, metadata=metadata)

    monkeypatch.setattr(tensor_files, "save_file", torn)
    with pytest.raises(Killed):
        train(tiny_start, TRAINING, VALIDATION, options(), folder)
    train(tiny_start, TRAINING, VALIDATION, options(), folder, resume=True)
    assert same(weights(folder), weights(unbroken))


KILLED_BY_THE_SYSTEM = """
import os, signal, sys
from pathlib import Path
import torch
torch.set_num_threads(1)
from toy_corpus import tiny_start, toy
from workshop.finetune.test_resuming import TRAINING, VALIDATION, options
from incognote.workshop.finetune.train import train

def watch(tick):
    if tick.progress.steps == 13:
        os.kill(os.getpid(), signal.SIGKILL)

train(tiny_start, TRAINING, VALIDATION, options(), Path(sys.argv[1]), watch=watch)
"""


def test_killed_by_the_system(unbroken: Path, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    ran = subprocess.run(
        [sys.executable, "-c", KILLED_BY_THE_SYSTEM, str(folder)], cwd=TESTS, check=False
    )
    assert ran.returncode == -signal.SIGKILL
    assert not (folder / "training.json").exists()
    train(tiny_start, TRAINING, VALIDATION, options(), folder, resume=True)
    assert same(weights(folder), weights(unbroken))


def test_a_run_goes_on_only_as_it_was(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    with pytest.raises(Killed):
        train(tiny_start, TRAINING, [], options(), folder, watch=killer(3))
    with pytest.raises(TrainError, match="--resume"):
        train(tiny_start, TRAINING, [], options(), folder)
    with pytest.raises(TrainError, match="another lr, seed"):
        train(tiny_start, TRAINING, [], options(lr=1e-3, seed=4), folder, resume=True)
    with pytest.raises(TrainError, match="other notes"):
        train(tiny_start, TRAINING[:9], [], options(), folder, resume=True)
    train(tiny_start, TRAINING, [], options(epochs=1), folder, overwrite=True)


def test_a_finished_run_is_not_run_again(unbroken: Path) -> None:
    never = killer(1)
    again = train(tiny_start, TRAINING, VALIDATION, options(), unbroken, resume=True, watch=never)
    assert again.training["epochs"] == 3
    with pytest.raises(TrainError, match="not empty"):
        train(tiny_start, TRAINING, VALIDATION, options(), unbroken)


@pytest.mark.parametrize(
    ("training", "validation", "changes", "said"),
    [
        (TRAINING[:9], VALIDATION, {}, "another corpus or tokenizer"),
        (TRAINING, VALIDATION[:2], {}, "another validation part"),
        (TRAINING, VALIDATION, {"lr": 1e-3, "crf": False}, "another crf, lr|another lr, crf"),
    ],
)
def test_a_finished_run_is_taken_only_for_itself(
    unbroken: Path, training: Any, validation: Any, changes: dict[str, Any], said: str
) -> None:
    with pytest.raises(TrainError, match=f"a finished run with ({said})"):
        train(tiny_start, training, validation, options(**changes), unbroken, resume=True)


def test_an_unfinished_run_keeps_its_validation_part(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    with pytest.raises(Killed):
        train(tiny_start, TRAINING, VALIDATION, options(), folder, watch=killer(3))
    with pytest.raises(TrainError, match="another validation part"):
        train(tiny_start, TRAINING, VALIDATION[:2], options(), folder, resume=True)


def test_what_an_encoder_left_is_not_gone_on_with(tmp_path: Path) -> None:
    (tmp_path / "training.json").write_text('{"schema": 1, "objective": "mlm"}')
    with pytest.raises(TrainError, match="holds an encoder"):
        train(tiny_start, TRAINING, VALIDATION, options(), tmp_path, resume=True)


def test_a_mistake_leaves_the_old_checkpoint_alone(unbroken: Path, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    shutil.copytree(unbroken, folder)

    def mistaken() -> Any:
        raise TrainError("no such encoder")

    with pytest.raises(TrainError, match="no such encoder"):
        train(mistaken, TRAINING, VALIDATION, options(), folder, overwrite=True)
    assert (folder / "training.json").read_bytes() == (unbroken / "training.json").read_bytes()
    (folder / "test.json").write_text("{}")
    (folder / "last").mkdir(exist_ok=True)
    train(tiny_start, TRAINING, [], options(epochs=1), folder, overwrite=True)
    assert not (folder / "test.json").exists()
    assert not (folder / "last").exists()


def curve(folder: Path) -> list[dict[str, float]]:
    import json

    return [json.loads(line) for line in (folder / "curve.jsonl").read_text().splitlines()]


def load_steps(folder: Path) -> int:
    return int(curve(folder)[-1]["steps"])
