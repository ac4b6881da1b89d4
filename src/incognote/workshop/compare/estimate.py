"""How long cells take, and which of them fit into a budget, said before the first is run.

A few steps of each kind of cell are measured, and what was measured is kept. Time is counted per
character of notes, so that one measurement holds for every fold. A cell that is done corrects the
figure of its kind.
"""

from __future__ import annotations

import hashlib
import json
import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from incognote.base.errors import RunError
from incognote.base.files import write_private
from incognote.document import Document
from incognote.workshop.compare.cell import Task
from incognote.workshop.compare.plan import Cell
from incognote.workshop.compare.results import CellResult, json_or_empty
from incognote.workshop.fine_tuning import Parts, checked, choose_labels

if TYPE_CHECKING:
    from incognote.workshop.training.epochs import Tick

SPEEDS = "speeds.json"
_UNITS = {"h": 3600.0, "m": 60.0, "s": 1.0}
# Characters of notes that are enough for a few steps of any size, and to time prediction on.
_TRAINING_SAMPLE, _PREDICTION_SAMPLE = 400_000, 30_000
_MOST_SECONDS, _MOST_STEPS = 3.0, 8
_START_UP_SECONDS = 5.0
# Options that change how long a step takes.
_SHAPE = (
    "batch_tokens",
    "batch_size",
    "accumulate",
    "window",
    "overlap",
    "crf",
    "shape",
    "precision",
    "attention_dropout",
)


@dataclass(frozen=True)
class Budget:
    """Seconds or a number of cells; with neither there is no bound."""

    seconds: float | None = None
    cells: int | None = None

    @classmethod
    def parse(cls, text: str | None) -> Budget:
        """`2h`, `90m`, or `6` for a number of cells."""
        if text is None:
            return cls()
        number, unit = text.strip()[:-1], text.strip()[-1:]
        try:
            if unit in _UNITS and 0 < float(number) < math.inf:
                return cls(seconds=float(number) * _UNITS[unit])
            if int(text) > 0:
                return cls(cells=int(text))
        except ValueError:
            pass
        raise RunError(f"--budget {text}: write hours such as 2h or 90m, or a number of cells")


@dataclass(frozen=True)
class Estimate:
    """The cells that fit in their order, those left for later, and the seconds of each.

    A cell of which nothing could be measured has no seconds, and fits only a budget of cells.
    total: until the last of those that fit is done.
    """

    fits: Sequence[Cell]
    later: Sequence[Cell]
    seconds: Mapping[str, float | None]
    workers: int
    total: float


def fit(
    cells: Sequence[Cell], seconds: Mapping[str, float | None], budget: Budget, workers: int
) -> Estimate:
    """Take the cells in order, each if it ends in time on the worker that is free first."""
    ends = [0.0] * workers
    fits: list[Cell] = []
    later: list[Cell] = []
    for cell in cells:
        place = ends.index(min(ends))
        needed = seconds[cell.id]
        over = budget.seconds is not None and (
            needed is None or ends[place] + needed > budget.seconds
        )
        if over or (budget.cells is not None and len(fits) >= budget.cells):
            later.append(cell)
        else:
            fits.append(cell)
            ends[place] += needed or 0.0
    return Estimate(fits, later, seconds, workers, max(ends))


@dataclass(frozen=True)
class Speed:
    """Seconds per character: to train on once, and to find in."""

    train: float
    find: float

    def seconds(self, cell: Cell, parts: Parts) -> float:
        """A whole cell: epochs with their validation, then validation and test once more."""
        sizes = [_characters(part) for part in (parts.train, parts.validation, parts.test)]
        each = sizes[0] * self.train + sizes[1] * self.find
        return _START_UP_SECONDS + cell.options.epochs * each + (sizes[1] + sizes[2]) * self.find


class _Enough(BaseException):
    """Enough steps were taken."""


def kind_of(cell: Cell, threads: int) -> str:
    """Cells of one kind take the same time for the same notes."""
    options = cell.options.to_json()
    deciding = [cell.encoder.name, cell.encoder.start, threads, *(options[name] for name in _SHAPE)]
    return f"{cell.encoder.name}-{hashlib.sha256(json.dumps(deciding).encode()).hexdigest()[:10]}"


def measure(task: Task, tell: Callable[[Speed], None]) -> None:
    """Time some steps and some notes in a process of its own, as a cell runs, and tell the speed."""
    import torch

    from incognote.workshop.finetune.loop import Run
    from incognote.workshop.finetune.predict import predict

    torch.set_num_threads(task.threads)
    cell, notes = task.cell, _sample(task.parts.train, _TRAINING_SAMPLE)
    ticks = []

    def watch(tick: Tick) -> None:
        ticks.append((tick.progress.seconds, tick.progress.tokens))
        seconds = ticks[-1][0] - ticks[0][0]
        if len(ticks) > _MOST_STEPS or (len(ticks) > 1 and seconds > _MOST_SECONDS):
            raise _Enough

    labels = choose_labels(task.parts, task.labels)
    with checked(), TemporaryDirectory() as place:
        start = cell.encoder.origin.start(labels)
        run = Run(start, notes, (), cell.options, Path(place), watch=watch)
        with suppress(_Enough):
            run.train()
        sample = _sample(task.parts.validation, _PREDICTION_SAMPLE)
        began = time.perf_counter()
        predict(run.tagger, run.reader, sample)
        prediction_seconds = time.perf_counter() - began
    # The first step also warms up, unless it is the only one.
    seconds, tokens = ticks[-1]
    if len(ticks) > 1:
        seconds, tokens = seconds - ticks[0][0], tokens - ticks[0][1]
    all_tokens = sum(example.length for example in run.examples)
    per_character = seconds / tokens * all_tokens / max(1, _characters(notes))
    tell(Speed(per_character, prediction_seconds / max(1, _characters(sample))))


class Speeds:
    """What is known of each kind, kept in the comparison's folder."""

    def __init__(self, folder: Path, threads: int) -> None:
        self.path, self.threads = folder / SPEEDS, threads
        self.known = {kind: Speed(**speed) for kind, speed in json_or_empty(self.path).items()}

    def unknown(self, cells: Iterable[Cell]) -> list[Cell]:
        """One cell of each kind that is still to be measured."""
        kinds = {kind_of(cell, self.threads): cell for cell in reversed(list(cells))}
        return [cell for kind, cell in reversed(kinds.items()) if kind not in self.known]

    def learn(self, cell: Cell, speed: Speed) -> None:
        """Keep the speed of a cell's kind."""
        self.known[kind_of(cell, self.threads)] = speed
        speeds = {kind: vars(each) for kind, each in self.known.items()}
        write_private(self.path, (json.dumps(speeds, indent=2) + "\n").encode())

    def learn_from(self, cell: Cell, parts: Parts, result: CellResult) -> None:
        """A done cell knows better than a few steps did."""
        speed: Mapping[str, Any] = result.machine
        characters = _characters(parts.train) * result.training["epochs"]
        self.learn(
            cell,
            Speed(
                speed["training"]["seconds"] / max(1, characters),
                speed["prediction"]["seconds"] / max(1, _characters(parts.test)),
            ),
        )

    def seconds(self, cell: Cell, parts: Parts, *, epochs_done: int = 0) -> float | None:
        """What is left of a cell; None if its kind could not be measured."""
        speed = self.known.get(kind_of(cell, self.threads))
        if speed is None:
            return None
        remaining = 1 - epochs_done / cell.options.epochs
        return remaining * speed.seconds(cell, parts)


def _sample(notes: Sequence[Document], most: int) -> list[Document]:
    """Notes from all over the part, up to so many characters, at least one."""
    step = max(1, _characters(notes) // most)
    return list(notes[::step]) or list(notes[:1])


def _characters(notes: Sequence[Document]) -> int:
    return sum(len(note.text) for note in notes)
