"""Two processes that share a pretraining run, started as `torchrun` starts them."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch
from places import TESTS
from safetensors.torch import load_file
from tiny_pretraining import quick, run, text_file, tiny_shards, tokenizer_folder

from incognote.base.errors import TrainError
from incognote.workshop.pretrain import train
from incognote.workshop.pretrain.figures import Log
from incognote.workshop.training.processes import Processes

SHARED = """
import json, sys
from pathlib import Path
import torch
torch.set_num_threads(1)
from tiny_pretraining import quick, run
from incognote.workshop.pretrain import train
from incognote.workshop.training.processes import processes
train.draw_losses = lambda *of: None
place, name, settings, last = sys.argv[1:]
def watch(tick):
    if tick.progress.step == int(last):
        sys.exit(3)
with processes("cpu") as workers:
    run(Path(place), name, quick(**json.loads(settings)), workers=workers, resume=last == "0", watch=watch)
threads = [path.read_text() for path in Path("/proc/self/task").glob("*/comm")]
sys.exit(4 if any("gloo" in name for name in threads) else 0)  # they may abort the process
"""
COMMAND = "from incognote.cli import main; main()"


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch) -> Any:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    monkeypatch.setattr(train, "draw_losses", lambda *of: None)
    yield
    torch.set_num_threads(before)


def both(script: str, *arguments: object) -> list[tuple[int, str]]:
    """How each process ended, and what it said."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    started = []
    for rank in range(2):
        told = {"WORLD_SIZE": 2, "RANK": rank, "LOCAL_RANK": rank, "MASTER_PORT": port}
        told |= {"MASTER_ADDR": "127.0.0.1", "INCOGNOTE_ALLOCATOR": "system"}
        env = {**os.environ, **{name: str(value) for name, value in told.items()}}
        command = [sys.executable, "-W", "ignore", "-c", script, *map(str, arguments)]
        started.append(subprocess.Popen(command, env=env, cwd=TESTS, stderr=subprocess.PIPE))
    said = [process.communicate(timeout=600)[1].decode() for process in started]
    return [(process.returncode, text) for process, text in zip(started, said, strict=True)]


def shared(place: Path, name: str, last: int = 0, **settings: Any) -> list[tuple[int, str]]:
    """A run by both, gone on with, or begun and stopped at a step."""
    tiny_shards(place / "shards")
    tokenizer_folder(place / "tokenizer")
    return both(SHARED, place, name, json.dumps(settings), last)


def test_they_have_the_losses_of_one(tmp_path: Path) -> None:
    one = run(tmp_path / "1", "out", quick(dropout=0.0))
    ends = shared(tmp_path / "2", "out", dropout=0.0)
    assert [status for status, _ in ends] == [0, 0], ends
    rows = [Log(tmp_path / count / "out/log.csv").rows() for count in "12"]
    assert len(rows[0]) == 4
    for first, second in zip(*rows, strict=True):
        for column in ("mlm_loss", "sop_loss", "norm"):
            assert float(second[column]) == pytest.approx(float(first[column]), rel=1e-3)
        assert (first["step"], first["pieces"]) == (second["step"], second["pieces"])
    two = json.loads((tmp_path / "2/out/training.json").read_text())
    assert two["held_out"]["mlm_loss"] == pytest.approx(one.training["held_out"]["mlm_loss"], 1e-3)


def test_killed_and_gone_on_with_they_end_the_same(tmp_path: Path) -> None:
    chosen: dict[str, Any] = {"dropout": 0.1, "save_seconds": 0.0}
    assert [status for status, _ in shared(tmp_path, "killed", 7, **chosen)] == [3, 3]
    with pytest.raises(TrainError, match="this run was started by 2 processes, not 1; continue"):
        run(tmp_path, "killed", quick(**chosen), resume=True)
    for name in ("killed", "unbroken"):
        ends = shared(tmp_path, name, **chosen)
        assert [status for status, _ in ends] == [0, 0], ends
    first, second = (
        load_file(tmp_path / name / "model.safetensors") for name in ("killed", "unbroken")
    )
    assert all(first[name].equal(second[name]) for name in second)


def test_one_alone_says_what_is_wrong(tmp_path: Path) -> None:
    text = text_file(tmp_path / "text.jsonl")
    text.write_bytes(b"\x00\x01\x02\xff" * 400)
    told = ("--preset", "albert-base", "--tokenizer", tokenizer_folder(tmp_path / "tokenizer"))
    ends = both(COMMAND, "pretrain", text, "-o", tmp_path / "out", *told, "--steps", 2)
    assert [status for status, _ in ends] == [2, 2], ends
    lines = [line for _, said in ends for line in said.splitlines()]
    assert len(lines) == 1, lines
    assert lines[0].startswith(f"incognote: {text}")


def test_what_the_leader_cannot_do_ends_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse() -> None:
        raise TrainError("no")

    with pytest.raises(TrainError, match="no"):
        Processes(torch.device("cpu")).led(refuse)
    monkeypatch.setattr(Processes, "total", lambda self, *values: [1.0])
    with pytest.raises(SystemExit) as ended:
        Processes(torch.device("cpu"), rank=1, count=2).led(refuse)
    assert ended.value.code == 2
