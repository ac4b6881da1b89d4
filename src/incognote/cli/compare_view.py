"""What `incognote compare` shows while it runs."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from logging import DEBUG
from typing import TYPE_CHECKING

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table

from incognote.base.messages import duration, log
from incognote.cli.progress import Pace

if TYPE_CHECKING:
    from incognote.workshop.compare.cell import CellProgress
    from incognote.workshop.compare.estimate import Estimate
    from incognote.workshop.compare.plan import Cell
    from incognote.workshop.compare.results import CellResult, Comparison


class CompareView:
    """Told by the run; shows what is done, what runs, the best so far, and the time left."""

    def __init__(self, console: Console, pace: Pace | None = None) -> None:
        self.console = console
        self.pace = pace or Pace()
        self.running: dict[str, tuple[float, CellProgress | None]] = {}
        self.encoder: dict[str, str] = {}
        self.epochs: dict[str, int] = {}
        self.best: dict[str, CellResult] = {}
        self.figure = self.chosen_by = ""
        self.seconds: dict[str, float] = {}
        self.waiting: list[str] = []
        self.done = self.failed = 0
        self.workers = 1

    def say(self, line: str) -> None:
        """A sentence."""
        self.console.print(f"incognote: {line}", markup=False, highlight=False, soft_wrap=True)

    def planned(self, comparison: Comparison, estimate: Estimate) -> None:
        """What there is to do, and how long it will take."""
        from incognote.workshop.compare.results import best_cells

        self.best = best_cells(comparison)
        self.chosen_by = comparison.chosen_by
        self.figure = "F1" if comparison.task is None else self.chosen_by
        states = [cell.state for cell in comparison.cells]
        self.done, self.failed = states.count("done"), states.count("failed")
        self.workers = estimate.workers
        self.waiting = [cell.id for cell in estimate.fits]
        self.seconds = {id: needed or 0.0 for id, needed in estimate.seconds.items()}
        self.say(
            f"{len(states)} cells: {self.done} done, {self.failed} failed, "
            f"{len(estimate.fits)} to run now"
            + (f", {len(estimate.later)} left for later" if estimate.later else "")
        )
        for cells, word in ((estimate.fits, "now"), (estimate.later, "later")):
            for cell in cells:
                needed = estimate.seconds[cell.id]
                time_ = "not measured" if needed is None else f"about {duration(needed)}"
                self.say(f"  {word}: {cell.id}{_fold(cell)}, {time_}")
        if estimate.fits:
            self.say(f"about {duration(estimate.total)} in all")

    def began(self, cell: Cell) -> None:
        """A cell runs."""
        self.waiting.remove(cell.id)
        self.running[cell.id] = (time.monotonic(), None)
        self.encoder[cell.id] = cell.encoder.name
        self.say(f"{cell.id}: begun{_fold(cell)}")

    def moved(self, cell: Cell, moved: CellProgress) -> None:
        """A step was taken; every epoch is a line."""
        began, before = self.running[cell.id]
        self.running[cell.id] = (began, moved)
        if before is not None and moved.epoch > before.epoch:
            score = "" if moved.score is None else f", {self.figure} {100 * moved.score:.2f}"
            self.say(
                f"{cell.id}: epoch {before.epoch} of {moved.epochs}{score}, loss {moved.loss:.4f}"
            )

        if not self.console.is_terminal and self.pace.is_due():
            self.say(
                f"{cell.id}: step {moved.step:,} of {moved.steps:,}, loss {moved.loss:.4f}; "
                f"{self.done} cells done, {len(self.waiting)} waiting, about {duration(self.seconds_left())} left"
            )
        log("compare", "step", DEBUG, cell=cell.id, step=moved.step, steps=moved.steps)

    def ended(self, cell: Cell, result: CellResult) -> None:
        """A cell is done, or failed."""
        began, _ = self.running.pop(cell.id)
        took = duration(time.monotonic() - began)
        log(
            "compare",
            "cell ended",
            cell=cell.id,
            state=result.state,
            figure=result.validation_score,
        )
        if result.state == "failed":
            self.failed += 1
            self.say(f"{cell.id}: failed: {result.reason}")
            return
        self.done += 1
        rival = self.best.get(cell.encoder.name)
        better = cell.fold is None and (
            rival is None or (result.validation_score or 0) > (rival.validation_score or 0)
        )
        if better:
            self.best[cell.encoder.name] = result
        figure = f"{self.chosen_by} {100 * (result.validation_score or 0):.2f}"
        best = f"; the best of {cell.encoder.name} so far" if better else ""
        self.say(f"{cell.id}: done in {took}, validation {figure}{best}")

    def __rich__(self) -> RenderableType:
        """The live part, below the lines."""
        runs = Table(box=None, pad_edge=False)
        for column in ("running", "epoch", "", "loss", self.figure):
            runs.add_column(column)
        for id, (_, moved) in self.running.items():
            if moved is None:
                runs.add_row(id, "starting")
            else:
                score = "" if moved.score is None else f"{100 * moved.score:.2f}"
                bar = ProgressBar(total=moved.steps, completed=moved.step, width=20)
                epoch = f"{min(moved.epoch, moved.epochs)} of {moved.epochs}"
                runs.add_row(id, epoch, bar, f"{moved.loss:.4f}", score)
        best = Table(box=None, pad_edge=False)
        for column in ("best so far", "cell", f"validation {self.chosen_by}"):
            best.add_column(column)
        for name, cell in self.best.items():
            best.add_row(name, cell.id, f"{100 * (cell.validation_score or 0):.2f}")
        state = (
            f"{self.done} done, {len(self.running)} running, {len(self.waiting)} waiting, "
            f"{self.failed} failed; {duration(self.seconds_left())} left"
        )
        return Group(*([runs] if self.running else []), *([best] if self.best else []), state)

    def seconds_left(self) -> float:
        """Seconds until all is done, if the estimates hold."""
        whole = sum(self.seconds.get(id, 0.0) for id in self.waiting)
        for id, (began, moved) in self.running.items():
            needed = self.seconds.get(id, 0.0)
            if moved is not None and moved.step:
                whole += needed * (1 - moved.step / moved.steps)
            else:
                whole += max(0.0, needed - (time.monotonic() - began))
        return whole / self.workers


@contextmanager
def compare_view(*, quiet: bool = False) -> Iterator[CompareView]:
    """A live view on a terminal; lines everywhere."""
    console = Console(stderr=True, quiet=quiet)
    view = CompareView(console)
    if not console.is_terminal:
        yield view
        return
    with Live(view, console=console, refresh_per_second=2, transient=True):
        yield view


def _fold(cell: Cell) -> str:
    return f", without {cell.fold}" if cell.fold else ""
