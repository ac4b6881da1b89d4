"""One cell, in a process of its own: train, find in validation and test, say how fast it went."""

from __future__ import annotations

import json
import os
import platform
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from incognote.base.files import write_private
from incognote.document import Document
from incognote.workshop.compare.plan import Cell
from incognote.workshop.compare.results import (
    FAILED,
    MACHINE,
    PREDICTIONS,
    WITH_RULES,
    write_predictions,
    write_validation,
)
from incognote.workshop.fine_tuning import LabelSet, Parts, checked, score_test, train_corpus

if TYPE_CHECKING:
    from incognote.pipeline import Deidentifier
    from incognote.workshop.finetune.checkpoint import Checkpoint
    from incognote.workshop.training.epochs import Tick, Watch

_SECONDS_BETWEEN_REPORTS = 0.2


@dataclass(frozen=True)
class CellProgress:
    """Where a cell is; `loss` is its moving average, `f1` the last epoch's."""

    epoch: int
    epochs: int
    step: int
    steps: int
    loss: float
    f1: float | None


@dataclass(frozen=True, kw_only=True)
class Task:
    """A cell with all that it needs, to be sent to its process."""

    cell: Cell
    parts: Parts
    labels: LabelSet
    threads: int


def run_cell(task: Task, tell: Callable[[CellProgress], None]) -> None:
    """Run a cell to its end, from where it was; machine.json is written last, and says it is done.

    A SIGTERM stops it after the step that it is at, which is kept.
    """
    cell = task.cell
    with _pausing(cell.options.epochs, tell) as watch:
        trained = train_corpus(
            replace(task.parts, test=()),
            cell.encoder.origin,
            cell.folder,
            cell.options,
            labels=task.labels,
            threads=task.threads,
            resume=True,
            watch=watch,
        ).trained
    speed = {"training": _rates(trained.training["speed"]), "prediction": _predict(task)}
    _write(cell.folder / MACHINE, {**_machine(task.threads), **speed})


@contextmanager
def _pausing(epochs: int, tell: Callable[[CellProgress], None]) -> Iterator[Watch]:
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
            tell(_progress(tick, epochs))

    before = signal.signal(signal.SIGTERM, lambda *_: stop.set())
    try:
        yield watch
    except Paused:
        raise SystemExit from None
    finally:
        signal.signal(signal.SIGTERM, before)


def find_in_training(task: Task, tell: Callable[[CellProgress], None]) -> None:
    """The chosen cell's spans in what it was trained on."""
    import torch

    from incognote.workshop.finetune.checkpoint import load_checkpoint

    torch.set_num_threads(task.threads)
    with checked():
        checkpoint = load_checkpoint(task.cell.folder)
    predictions, _ = timed_predictions(checkpoint, task.parts.train)
    write_predictions(task.cell.folder / PREDICTIONS / "train.jsonl", predictions)


def find_with_rules(task: Task, tell: Callable[[CellProgress], None]) -> None:
    """The chosen cell's spans in the test part together with the rules, as `deid` finds them.

    The model is exported in 32 bits for it, and not kept.
    """
    from incognote.pipeline import Deidentifier
    from incognote.workshop.export.run import export

    with checked(), TemporaryDirectory() as place:
        model = Path(place) / "model"
        export([task.cell.folder], model)
        predictions = _detect(Deidentifier(detector="both", model=model), task.parts.test)
    write_predictions(task.cell.folder / PREDICTIONS / WITH_RULES, predictions)


def find_by_rules(path: Path, notes: Sequence[Document]) -> None:
    """What the rules find without any model."""
    from incognote.pipeline import Deidentifier

    write_predictions(path, _detect(Deidentifier(detector="rules"), notes))


def _detect(deidentifier: Deidentifier, notes: Sequence[Document]) -> list[Document]:
    """The notes with what was found, and nothing of what was annotated."""
    bare = [note.with_spans(()) for note in notes]
    return [result.found for result in deidentifier.pipe(bare)]


def write_failed(cell: Cell, reason: str) -> None:
    """Say why a cell has no figures."""
    _write(cell.folder / FAILED, {"reason": reason})


def _predict(task: Task) -> dict[str, Any]:
    """Spans in validation and test, and the test figures; the rates are those of the test part."""
    from incognote.workshop.finetune.checkpoint import load_checkpoint

    folder, parts = task.cell.folder, task.parts
    with checked():
        checkpoint = load_checkpoint(folder)
        predictions, _ = timed_predictions(checkpoint, parts.validation)
        write_predictions(folder / PREDICTIONS / "validation.jsonl", predictions)
        write_validation(folder, parts.validation, predictions)
        predictions, rates = timed_predictions(checkpoint, parts.test)
    write_predictions(folder / PREDICTIONS / "test.jsonl", predictions)
    score_test(folder, parts.test, predictions)
    return rates


def timed_predictions(
    checkpoint: Checkpoint, documents: Sequence[Document]
) -> tuple[list[Document], dict[str, Any]]:
    """The notes with what is found in them, and how fast: a step is a batch, a sample a window."""
    from incognote.workshop.finetune.predict import predict

    counts = {"windows": 0, "batches": 0}

    def count(module: Any, args: Any, kwargs: dict[str, Any]) -> None:
        counts["windows"] += len(kwargs["lengths"])
        counts["batches"] += 1

    hook = checkpoint.tagger.register_forward_pre_hook(count, with_kwargs=True)
    began = time.perf_counter()
    try:
        predictions = predict(checkpoint.tagger, checkpoint.reader, documents)
    finally:
        hook.remove()
    seconds = time.perf_counter() - began
    return predictions, {
        "seconds": round(seconds, 3),
        "samples_per_second": round(counts["windows"] / seconds, 3),
        "steps_per_second": round(counts["batches"] / seconds, 3),
        "notes_per_second": round(len(documents) / seconds, 3),
    }


def _progress(tick: Tick, epochs: int) -> CellProgress:
    run = tick.progress
    last = run.curve[-1] if run.curve else {}
    return CellProgress(run.epoch + 1, epochs, run.steps, tick.steps, run.loss, last.get("f1"))


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
