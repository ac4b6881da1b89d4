"""How long cells take, and which of them fit into a budget, said before the first is run.

A few steps of each kind of cell are measured, and what was measured is kept. Time is counted per
character of text, so that one measurement holds for every fold. A cell that is done corrects the
figure of its kind.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from incognote.base.errors import RunError
from incognote.base.files import write_private
from incognote.workshop.compare.plan import Cell
from incognote.workshop.compare.results import PARTS, CellResult, json_or_empty
from incognote.workshop.compare.subject import Speed, Subject

SPEEDS = "speeds.json"
_UNITS = {"h": 3600.0, "m": 60.0, "s": 1.0}
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
    "longest",
    "stride",
    "min_count",
    "iterations",
    "fix_encoder",
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


def cell_seconds(speed: Speed, cell: Cell, subject: Subject) -> float:
    """A whole cell: epochs with their validation, then validation and test once more."""
    train, validation, test = (subject.characters(part) for part in PARTS)
    each = train * speed.train + validation * speed.find
    passes = subject.passes(cell.options)
    return _START_UP_SECONDS + passes * each + (validation + test) * speed.find


def kind_of(cell: Cell, threads: int) -> str:
    """Cells of one kind take the same time for the same notes."""
    options = cell.options.to_json()
    shape = [options[name] for name in _SHAPE if name in options]
    deciding = [cell.encoder.name, cell.encoder.start, threads, *shape]
    return f"{cell.encoder.name}-{hashlib.sha256(json.dumps(deciding).encode()).hexdigest()[:10]}"


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

    def learn_from(self, cell: Cell, subject: Subject, result: CellResult) -> None:
        """A done cell knows better than a few steps did."""
        speed: Mapping[str, Any] = result.machine
        passes = min(subject.passes(cell.options), result.training["epochs"])
        characters = subject.characters("train") * passes
        tested = subject.characters("test") or subject.characters("validation")
        self.learn(
            cell,
            Speed(
                speed["training"]["seconds"] / max(1, characters),
                speed["prediction"]["seconds"] / max(1, tested),
            ),
        )

    def seconds(self, cell: Cell, subject: Subject, *, epochs_done: int = 0) -> float | None:
        """What is left of a cell; None if its kind could not be measured."""
        speed = self.known.get(kind_of(cell, self.threads))
        if speed is None:
            return None
        remaining = max(0.0, 1 - epochs_done / subject.passes(cell.options))
        return remaining * cell_seconds(speed, cell, subject)
