"""One cell, in a process of its own: train, test, say how fast it went."""

from __future__ import annotations

import json
import math
import os
import platform
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from incognote.base.files import write_private
from incognote.workshop.compare.plan import Cell
from incognote.workshop.compare.results import FAILED, MACHINE
from incognote.workshop.compare.subject import CellWork, Speed

if TYPE_CHECKING:
    from incognote.workshop.training.epochs import Tick, Watch

_SECONDS_BETWEEN_REPORTS = 0.2


@dataclass(frozen=True)
class CellProgress:
    """Where a cell is; `loss` is its moving average, `score` the last epoch's on validation."""

    epoch: int
    epochs: int
    step: int
    steps: int
    loss: float
    score: float | None


def run_cell(work: CellWork, tell: Callable[[CellProgress], None]) -> None:
    """Run a cell to its end, from where it was; machine.json is written last, and says it is done.

    A SIGTERM stops it after the step that it is at, which is kept.
    """
    cell = work.cell
    epochs = math.ceil(work.subject.passes(cell.options))
    with _pausing(epochs, work.subject.metric, tell) as watch:
        speed = work.subject.run(cell, work.threads, watch)
    rates = {"training": _rates(speed["training"]), "prediction": speed["prediction"]}
    _write(cell.folder / MACHINE, {**_machine(work.threads), **rates})


def measure_cell(work: CellWork, tell: Callable[[Speed], None]) -> None:
    """Time some steps in a process of its own, as a cell runs, and tell the speed."""
    tell(work.subject.measure(work.cell, work.threads))


@contextmanager
def _pausing(epochs: int, metric: str, tell: Callable[[CellProgress], None]) -> Iterator[Watch]:
    """What a run calls after each step: it tells of some steps, and stops the run if asked to."""
    from incognote.workshop.training.loop import Paused

    stop = threading.Event()
    last = 0.0

    def watch(tick: Tick) -> None:
        nonlocal last
        if stop.is_set():
            raise Paused
        if time.monotonic() - last >= _SECONDS_BETWEEN_REPORTS or tick.progress.steps == tick.steps:
            last = time.monotonic()
            tell(_progress(tick, epochs, metric))

    before = signal.signal(signal.SIGTERM, lambda *_: stop.set())
    try:
        yield watch
    except Paused:
        raise SystemExit from None
    finally:
        signal.signal(signal.SIGTERM, before)


def write_failed(cell: Cell, reason: str) -> None:
    """Say why a cell has no figures."""
    _write(cell.folder / FAILED, {"reason": reason})


def _progress(tick: Tick, epochs: int, metric: str) -> CellProgress:
    run = tick.progress
    last = run.curve[-1] if run.curve else {}
    return CellProgress(run.epoch + 1, epochs, run.steps, tick.steps, run.loss, last.get(metric))


def _rates(speed: Mapping[str, Any]) -> dict[str, Any]:
    names = ("seconds", "samples_per_second", "steps_per_second", "tokens_per_second")
    return {name: speed[name] for name in names}


def _machine(threads: int) -> dict[str, Any]:
    import torch

    return {
        "cores": os.cpu_count(),
        "threads": threads,
        "torch": torch.__version__,
        "python": platform.python_version(),
        "kernel": torch.backends.cpu.get_cpu_capability(),
        "machine": platform.machine(),
    }


def _write(path: Path, content: Mapping[str, Any]) -> None:
    write_private(path, (json.dumps(content, indent=2) + "\n").encode())
