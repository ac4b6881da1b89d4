"""Which device this process works on, and the processes that share one run (`torchrun`)."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from importlib import import_module
from typing import TypeVar

import torch
from torch import distributed
from torch.nn import Parameter

from incognote.base.errors import TrainError

T = TypeVar("T")
_FAILED = 2
PATIENCE = timedelta(days=14)
"""How long processes wait for each other: one of them tokenises all text, the others wait."""


@dataclass(frozen=True)
class Processes:
    """This process among all; each takes every `count`-th item of what is to be done."""

    device: torch.device
    rank: int = 0
    count: int = 1

    @property
    def leads(self) -> bool:
        """Whether this one writes files and speaks."""
        return self.rank == 0

    def led(self, work: Callable[[], None]) -> None:
        """Let the leader do something while the others wait.

        If it fails all end, and the leader alone says why.
        """
        failed: Exception | None = None
        if self.leads:
            try:
                work()
            except Exception as error:
                failed = error
        if self.total(float(failed is not None))[0]:
            raise failed or SystemExit(_FAILED)  # now that the others know

    def share(self, items: Sequence[T]) -> Sequence[T]:
        """This process' part."""
        return items[self.rank :: self.count]

    def total(self, *values: float) -> list[float]:
        """Each value summed over all processes, in double precision."""
        if self.count == 1:
            return list(values)
        summed = torch.tensor(values, dtype=torch.float64, device=self.device)
        distributed.all_reduce(summed)
        return [float(value) for value in summed.tolist()]

    def together(self, items: Sequence[T]) -> list[T]:
        """All processes' shares, in the order of what was shared out."""
        if self.count == 1:
            return list(items)
        parts: list[Sequence[T]] = [()] * self.count
        distributed.all_gather_object(parts, items)
        whole: list[T] = []
        for place in range(sum(map(len, parts))):
            whole.append(parts[place % self.count][place // self.count])
        return whole

    def sum_gradients(self, parameters: Iterable[Parameter]) -> None:
        """Make every process' gradients the sum of all; none stays none if it is none everywhere."""
        if self.count == 1:
            return
        params = list(parameters)
        there = torch.tensor([p.grad is not None for p in params], device=self.device).float()
        grads = [torch.zeros_like(p) if p.grad is None else p.grad for p in params]
        flat = torch.cat([there, *(grad.flatten() for grad in grads)])
        distributed.all_reduce(flat)
        place = len(params)
        for number, parameter in enumerate(params):
            part = flat[place : place + parameter.numel()].view_as(parameter)
            parameter.grad = part.clone() if flat[number] else None
            place += parameter.numel()


@contextmanager
def processes(device: str | None = None) -> Iterator[Processes]:
    """The processes that `torchrun` started, or this one alone; a GPU each where there are any."""
    count, rank = int(os.environ.get("WORLD_SIZE", "1")), int(os.environ.get("RANK", "0"))
    try:
        chosen = torch.device(device or ("cuda" if torch.cuda.is_available() else "cpu"))
        if chosen.type != "cuda":
            torch.zeros(1, device=chosen)
    except (RuntimeError, AssertionError):
        raise TrainError(f"no device {device!r} here; write cpu, cuda or cuda:0") from None
    if chosen.type == "cuda":
        chosen = _own_gpu(chosen, alone=count == 1)
    if count == 1:
        yield Processes(chosen)
        return
    # Imported later, as by optimizers, its functions would have the group as their default and keep
    # it: threads of it would outlive the run, and now and then abort the process at its end.
    import_module("torch.distributed.nn")
    backend = "nccl" if chosen.type == "cuda" else "gloo"
    distributed.init_process_group(backend, timeout=PATIENCE)
    try:
        yield Processes(chosen, rank, count)
    finally:
        distributed.destroy_process_group()


def _own_gpu(device: torch.device, *, alone: bool) -> torch.device:
    """The GPU of this process on its machine, made the current one: NCCL sends objects from there.

    A number that the user named counts only for a process that is alone.
    """
    number = int(os.environ.get("LOCAL_RANK", "0"))
    if alone and device.index is not None:
        number = device.index
    if number >= torch.cuda.device_count():
        raise TrainError(
            f"there is no GPU {number} here: torch sees {torch.cuda.device_count()}; start one "
            "process for each, or say --device cpu"
        )
    own = torch.device("cuda", number)
    torch.cuda.set_device(own)
    return own
