"""Tiny comparisons, in this process: cells of a second, without the start of a process for each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from tiny_checkpoints import every_frame
from toy_corpus import toy

from incognote.base.errors import RunError
from incognote.workshop.compare import run
from incognote.workshop.compare.cell import CellProgress
from incognote.workshop.compare.data import Data
from incognote.workshop.compare.estimate import Estimate
from incognote.workshop.compare.grid import read_grid
from incognote.workshop.compare.notes import Notes
from incognote.workshop.compare.plan import Cell
from incognote.workshop.compare.pool import Event
from incognote.workshop.compare.results import CellResult, Comparison
from incognote.workshop.compare.run import Settings, compare
from incognote.workshop.fine_tuning import Parts

SIZES = "{layers=2, hidden_size=32, heads=2, feed_forward_size=64, positions=64}"
DEFAULTS = """
[defaults]
window = 24
overlap = 8
batch_tokens = 128
epochs = 2
save_seconds = 1e9
"""
BERT = f"""
[encoders.bert]
start = "bert-base-uncased"
tokenizer = "tokenizer"
sizes = {SIZES}
"""
ALBERT = f"""
[encoders.albert]
start = "albert-base-v2"
tokenizer = "tokenizer"
sizes = {SIZES}
"""
TWO_RATES = "lr = [3e-3, 1e-3]"
NOTES = toy(14)
DATA = Data(Parts(train=NOTES[:8], validation=NOTES[8:10], test=NOTES[10:]))


class Seen:
    """A view that remembers; `stop` is called with every step that is told."""

    def __init__(
        self, stop: Callable[[Cell, CellProgress], None] = lambda cell, moved: None
    ) -> None:
        self.stop = stop
        self.lines: list[str] = []
        self.run: list[str] = []
        self.estimates: list[Estimate] = []
        self.ends: dict[str, CellResult] = {}

    def say(self, line: str) -> None:
        self.lines.append(line)

    def planned(self, comparison: Comparison, estimate: Estimate) -> None:
        self.estimates.append(estimate)

    def began(self, cell: Cell) -> None:
        self.run.append(cell.id)

    def moved(self, cell: Cell, moved: CellProgress) -> None:
        self.stop(cell, moved)

    def ended(self, cell: Cell, result: CellResult) -> None:
        self.ends[cell.id] = result


def inline(
    work: Any, tasks: Iterable[Any], workers: int, threads: int, **more: Any
) -> Iterator[Event[Any]]:
    """As `run_tasks`, without processes."""
    for task in tasks:
        yield Event(task)
        told: list[Any] = []
        try:
            work(task, told.append)
        except RunError as error:
            yield Event(task, ended=True, reason=str(error))
            continue
        yield from (Event(task, told=each) for each in told)
        yield Event(task, ended=True)


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Run everything in this process, and write no report."""
    monkeypatch.setattr(run, "run_tasks", inline)
    monkeypatch.setattr("incognote.workshop.compare.report.write_report", lambda *_: None)


def write_grid(folder: Path, *parts: str) -> Path:
    """A grid file, with a tokenizer beside it."""
    place = folder / "tokenizer"
    place.mkdir(parents=True, exist_ok=True)
    every_frame().save(str(place / "tokenizer.json"))
    path = folder / "grid.toml"
    path.write_text("\n".join(parts), encoding="utf-8")
    return path


def compared(
    folder: Path,
    *grid: str,
    data: Data = DATA,
    view: Seen | None = None,
    encoders: Sequence[str] = (),
    seed: int = 0,
    labels: Any = "own",
    select: Any = None,
    **settings: Any,
) -> Comparison:
    """Write a grid file beside the folder, and compare."""
    path = write_grid(folder.parent, *grid)
    return compare(
        folder,
        Notes(data, labels),
        read_grid(str(path), encoders, seed=seed, random=True),
        Settings(**settings),
        view or Seen(),
        select=select,
        command=["incognote", "compare"],
        seed=seed,
    )
