"""Two processes learn what one does."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from places import TESTS
from safetensors.torch import load_file
from toy_corpus import quick, tiny_start, toy

from incognote.workshop.finetune.train import train

SCRIPT = """
import sys
from pathlib import Path
import torch
torch.set_num_threads(1)
from workshop.finetune.test_processes import learn
learn(Path(sys.argv[1]))
"""


def learn(folder: Path) -> None:
    notes = toy(15)
    options = quick(
        epochs=2, dropout=0.0, attention_dropout=0.0, crf=True, shape=True, accumulate=2
    )
    train(tiny_start, notes[:11], notes[11:], options, folder)


def run(folder: Path, count: int) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    started = []
    for rank in range(count):
        told = {"WORLD_SIZE": count, "RANK": rank, "LOCAL_RANK": rank, "MASTER_PORT": port}
        env = {**os.environ, "MASTER_ADDR": "127.0.0.1", **{k: str(v) for k, v in told.items()}}
        started.append(
            subprocess.Popen(
                [sys.executable, "-W", "ignore", "-c", SCRIPT, str(folder)],
                env=env,
                cwd=TESTS,
                stderr=subprocess.PIPE,
            )
        )
    for process in started:
        _, said = process.communicate(timeout=600)
        assert process.returncode == 0, said.decode()


def test_two_processes_have_the_losses_of_one(tmp_path: Path) -> None:
    learn(tmp_path / "1")
    run(tmp_path / "2", 2)
    curves = [
        [json.loads(line) for line in (tmp_path / count / "curve.jsonl").read_text().splitlines()]
        for count in "12"
    ]
    for one, two in zip(*curves, strict=True):
        assert two["loss"] == pytest.approx(one["loss"], rel=1e-5)
        assert (two["f1"], two["steps"]) == (one["f1"], one["steps"])
    first, second = (load_file(tmp_path / count / "model.safetensors") for count in "12")
    assert all(torch.allclose(first[name], second[name], atol=1e-4) for name in first)
    told = json.loads((tmp_path / "2/training.json").read_text())
    assert told["speed"]["processes"] == 2
