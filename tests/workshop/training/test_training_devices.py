"""Each process of `torchrun` has a GPU of its own, and patience with the one that tokenises."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
import torch
from torch import distributed

from incognote.base.errors import TrainError
from incognote.workshop.training.processes import processes

GPUS = 4


@pytest.fixture
def done(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, Any]]:
    """What was asked of torch, in order, on a machine that seems to have GPUs."""
    found: list[tuple[str, Any]] = []

    def begin(backend: str, timeout: timedelta) -> None:
        found.append((backend, timeout))

    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: GPUS)
    monkeypatch.setattr(torch.cuda, "set_device", lambda own: found.append(("current", str(own))))
    monkeypatch.setattr(distributed, "init_process_group", begin)
    monkeypatch.setattr(distributed, "destroy_process_group", lambda: None)
    return found


def told(monkeypatch: pytest.MonkeyPatch, count: int, rank: int, local: int) -> None:
    for name, value in {"WORLD_SIZE": count, "RANK": rank, "LOCAL_RANK": local}.items():
        monkeypatch.setenv(name, str(value))


@pytest.mark.parametrize("device", [None, "cuda", "cuda:0"])
def test_each_process_takes_its_gpu_before_it_joins_the_others(
    monkeypatch: pytest.MonkeyPatch, done: list[tuple[str, Any]], device: str | None
) -> None:
    told(monkeypatch, 8, 6, 2)
    with processes(device) as workers:
        assert (workers.device, workers.rank, workers.count) == (torch.device("cuda:2"), 6, 8)
    assert [what for what, _ in done] == ["current", "nccl"]
    assert done[0] == ("current", "cuda:2")


@pytest.mark.parametrize(("device", "backend"), [("cuda", "nccl"), ("cpu", "gloo")])
def test_the_others_wait_for_days(
    monkeypatch: pytest.MonkeyPatch, done: list[tuple[str, Any]], device: str, backend: str
) -> None:
    told(monkeypatch, 2, 1, 1)
    with processes(device):
        pass
    assert done[-1][0] == backend
    assert done[-1][1] >= timedelta(days=7)


@pytest.mark.parametrize(
    ("device", "own"), [(None, "cuda:0"), ("cuda", "cuda:0"), ("cuda:3", "cuda:3")]
)
def test_a_process_alone_takes_the_gpu_that_was_named(
    done: list[tuple[str, Any]], device: str | None, own: str
) -> None:
    with processes(device) as workers:
        assert str(workers.device) == own
    assert done == [("current", own)]


def test_more_processes_than_gpus_are_refused(
    monkeypatch: pytest.MonkeyPatch, done: list[tuple[str, Any]]
) -> None:
    told(monkeypatch, 5, 4, 4)
    with pytest.raises(TrainError, match="no GPU 4 here: torch sees 4"), processes():
        pass
    assert done == []
