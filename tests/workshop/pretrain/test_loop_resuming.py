"""A killed pretraining run ends as an unbroken one, bit for bit."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from places import TESTS
from safetensors.torch import load_file
from tiny_pretraining import SIZES, TOKENIZER, run, tiny_tokenizer
from tiny_pretraining import quick as plain

from incognote.base.errors import TrainError
from incognote.workshop.pretrain import train
from incognote.workshop.pretrain.figures import Log
from incognote.workshop.pretrain.loop import Run, Tick
from incognote.workshop.pretrain.objectives import Objective
from incognote.workshop.pretrain.settings import Settings
from incognote.workshop.pretrain.start import Start, from_preset

TIMES = ("seconds", "pieces_per_second")


def quick(**changes: Any) -> Settings:
    """Saved after every step."""
    return plain(**{"save_seconds": 0.0, **changes})


class Killed(BaseException):
    """As sudden as a kill, for the code that runs."""


def killer(step: int) -> Callable[[Tick], None]:
    def watch(tick: Tick) -> None:
        if tick.progress.step == step:
            raise Killed

    return watch


def same(one: Path, other: Path) -> bool:
    first, second = (load_file(folder / "model.safetensors") for folder in (one, other))
    return first.keys() == second.keys() and all(first[key].equal(second[key]) for key in first)


def told(folder: Path, name: str) -> list[dict[str, str]]:
    return [
        {key: value for key, value in row.items() if key not in TIMES}
        for row in Log(folder / name).rows()
    ]


@pytest.fixture(scope="module", autouse=True)
def _one_thread() -> Any:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(autouse=True)
def _no_plots(monkeypatch: pytest.MonkeyPatch) -> None:
    """They take longer than these runs."""
    monkeypatch.setattr(train, "draw_losses", lambda *of: None)


# 9 is where the longer sequences begin; 10 comes right after an evaluation, 11 within a log row.
@pytest.mark.parametrize("step", [1, 9, 10, 11])
def test_killed_at_a_step(tmp_path: Path, step: int) -> None:
    run(tmp_path, "unbroken", quick(dropout=0.1))
    with pytest.raises(Killed):
        run(tmp_path, "killed", quick(dropout=0.1), watch=killer(step))
    run(tmp_path, "killed", quick(dropout=0.1), resume=True)
    assert same(tmp_path / "killed", tmp_path / "unbroken")
    for name in ("log.csv", "held_out.csv"):
        assert told(tmp_path / "killed", name) == told(tmp_path / "unbroken", name)


def test_killed_before_anything_was_saved(tmp_path: Path) -> None:
    run(tmp_path, "unbroken", plain())
    with pytest.raises(Killed):
        run(tmp_path, "killed", plain(), watch=killer(7))
    assert told(tmp_path / "killed", "held_out.csv")
    run(tmp_path, "killed", plain(), resume=True)
    for name in ("log.csv", "held_out.csv"):
        assert told(tmp_path / "killed", name) == told(tmp_path / "unbroken", name)


def test_killed_after_the_last_evaluation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def killed(*of: Any) -> None:
        raise Killed

    with monkeypatch.context() as patched:
        patched.setattr(train, "write_training", killed)
        with pytest.raises(Killed):
            run(tmp_path, "killed", quick(steps=6))
    run(tmp_path, "killed", quick(steps=6), resume=True)
    assert [row["step"] for row in told(tmp_path / "killed", "held_out.csv")] == ["5", "6"]


@pytest.mark.parametrize("optimizer", ["lamb", "adam", "adagrad", "stable-adamw"])
def test_every_optimizer_goes_on(tmp_path: Path, optimizer: str) -> None:
    chosen = quick(optimizer=optimizer, steps=6)
    run(tmp_path, "unbroken", chosen)
    with pytest.raises(Killed):
        run(tmp_path, "killed", chosen, watch=killer(4))
    run(tmp_path, "killed", chosen, resume=True)
    assert same(tmp_path / "killed", tmp_path / "unbroken")


ELMO = {"cell_size": 12, "projection_size": 6, "highways": 1, "filters": [[1, 8], [2, 8]]}
XLNET = {name: size for name, size in SIZES.items() if name not in ("embedding_size", "positions")}
DISTILBERT = {name: size for name, size in SIZES.items() if name != "embedding_size"}
MODERNBERT = {**DISTILBERT, "layers": 3, "window": 8}
OTHERS: dict[str, tuple[str, str, dict[str, Any], dict[str, Any]]] = {
    "electra": ("electra", "electra-small-discriminator", SIZES, {}),
    "distilbert": ("mlm", "distilbert-base-uncased", DISTILBERT, {}),
    "modernbert": ("mlm", "modernbert-base", MODERNBERT, {}),
    "deberta": ("mlm", "deberta-v3-small", {**DISTILBERT, "buckets": 8}, {}),
    "xlnet": ("xlnet", "xlnet-base-cased", XLNET, {"memory": 8}),
    "elmo": ("elmo", "elmo-small", ELMO, {"samples": 20}),
}


@pytest.mark.parametrize("name", OTHERS)
def test_every_objective_and_family_goes_on(tmp_path: Path, name: str) -> None:
    objective_name, preset, sizes, options = OTHERS[name]
    tokenizer = tiny_tokenizer(family="xlnet" if name == "xlnet" else "albert")

    def begin(objective: Objective) -> Start:
        return from_preset(preset, objective, tokenizer, sizes, 0)

    chosen = quick(
        objective=objective_name,
        objective_options=options,
        optimizer="stable-adamw" if name == "modernbert" else "adamw",
        steps=6,
        dropout=0.1,
    )
    how: dict[str, Any] = {"begin": begin, "tokenizer": tokenizer}
    run(tmp_path, "unbroken", chosen, **how)
    with pytest.raises(Killed):
        run(tmp_path, "killed", chosen, watch=killer(4), **how)
    run(tmp_path, "killed", chosen, resume=True, **how)
    assert same(tmp_path / "killed", tmp_path / "unbroken")
    assert told(tmp_path / "killed", "log.csv") == told(tmp_path / "unbroken", "log.csv")


KILLED_BY_THE_SYSTEM = """
import os, signal, sys
from pathlib import Path
import torch
torch.set_num_threads(1)
from workshop.pretrain.test_loop_resuming import quick
from tiny_pretraining import run

def watch(tick):
    if tick.progress.step == 8:
        os.kill(os.getpid(), signal.SIGKILL)

run(Path(sys.argv[1]), "killed", quick(), watch=watch)
"""


def test_killed_by_the_system(tmp_path: Path) -> None:
    run(tmp_path, "unbroken", quick())
    ran = subprocess.run(
        [sys.executable, "-c", KILLED_BY_THE_SYSTEM, str(tmp_path)], cwd=TESTS, check=False
    )
    assert ran.returncode == -signal.SIGKILL
    assert not (tmp_path / "killed/training.json").exists()
    run(tmp_path, "killed", quick(), resume=True)
    assert same(tmp_path / "killed", tmp_path / "unbroken")


def test_a_run_goes_on_only_as_it_was(tmp_path: Path) -> None:
    with pytest.raises(Killed):
        run(tmp_path, "out", quick(), watch=killer(3))
    with pytest.raises(TrainError, match="--resume"):
        run(tmp_path, "out", quick())
    with pytest.raises(TrainError, match="another lr, seed"):
        run(tmp_path, "out", quick(lr=1e-3, seed=4), resume=True)


def test_a_run_does_not_go_on_with_other_layers(tmp_path: Path) -> None:
    def deeper(objective: Objective) -> Start:
        # Layers that share their weights have the same tensors, however many they are.
        return from_preset("albert-base-v2", objective, TOKENIZER, SIZES | {"layers": 3}, 0)

    with pytest.raises(Killed):
        run(tmp_path, "out", quick(), watch=killer(3))
    with pytest.raises(TrainError, match="other layers or sizes"):
        run(tmp_path, "out", quick(), resume=True, begin=deeper)


def test_hours_become_steps_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    measure, said = train._step_seconds, 1.0

    def measured(of: Run, length: int) -> float:
        assert measure(of, length) > 0
        return said

    monkeypatch.setattr(train, "_LEAST_SECONDS", 0.0)
    monkeypatch.setattr(train, "_step_seconds", measured)
    chosen = quick(steps=None, hours=8.2 / 3600)
    with pytest.raises(Killed):
        run(tmp_path, "out", chosen, watch=killer(2))
    said = 0.1  # measured again, it would come to more
    ended = run(tmp_path, "out", chosen, resume=True)
    assert ended.training["steps"] == 6
    run(tmp_path, "counted", quick(steps=6))
    assert same(tmp_path / "out", tmp_path / "counted")
