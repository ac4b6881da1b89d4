"""The work of `incognote compare`: plan, estimate, run the cells that are not done, keep the best."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from incognote.align.word_tokenizer import WORDS
from incognote.base.errors import RunError
from incognote.base.lock import output_lock
from incognote.workshop.compare.cell import (
    CellProgress,
    measure_cell,
    run_cell,
    write_failed,
)
from incognote.workshop.compare.estimate import Budget, Estimate, Speeds, fit
from incognote.workshop.compare.grid import Grid
from incognote.workshop.compare.plan import Cell, Plan, make_plan
from incognote.workshop.compare.pool import run_tasks
from incognote.workshop.compare.results import (
    BEST,
    FAILED,
    MACHINE,
    TRAINING,
    WEIGHTS,
    CellResult,
    Comparison,
    Select,
    best_cells,
    best_of,
    load_comparison,
    settings_of,
)
from incognote.workshop.compare.subject import CellWork, Subject
from incognote.workshop.finetune.options import AUTO
from incognote.workshop.training.run_folder import LAST

# What `train` leaves beside its figures; a cell that was not chosen does without.
_WEIGHTS = (WEIGHTS, "incognote.safetensors", "tokenizer.json", "tokenizer_config.json", WORDS)


class View(Protocol):
    """What shows the progress of a comparison."""

    def say(self, line: str) -> None:
        """Show a sentence."""

    def planned(self, comparison: Comparison, estimate: Estimate) -> None:
        """Before the first cell."""

    def began(self, cell: Cell) -> None:
        """A cell runs."""

    def moved(self, cell: Cell, progress: CellProgress) -> None:
        """After each step of it."""

    def ended(self, cell: Cell, result: CellResult) -> None:
        """A cell is done, or failed."""


@dataclass(frozen=True, kw_only=True)
class Settings:
    """How a comparison is run; nothing here changes what comes out, but `threads` the last bits.

    with_rules: the chosen cells also find together with the rules.
    """

    workers: int = 1
    threads: int = 1
    budget: Budget = Budget()  # noqa: RUF009 - frozen
    retry_failed: bool = False
    keep_weights: bool = False
    with_rules: bool = False


def compare(
    folder: Path,
    subject: Subject,
    grid: Grid,
    settings: Settings,
    view: View,
    *,
    select: Select | None = None,
    command: Sequence[str] = (),
    seed: int = 0,
) -> Comparison:
    """Run the grid's cells that are not done; leave the report and the best weights of each encoder.

    `select`: of notes, the F1 on validation that chooses; by default the grid's, or the strict one.
    """
    sizes = {options.batch_size for cells in grid.cells.values() for options in cells}
    if settings.workers > 1 and AUTO in sizes:
        raise RunError("batch_size auto takes the memory that is free: give --workers 1")
    with output_lock(folder, "compare", folder=True):
        plan = make_plan(
            folder,
            grid,
            subject,
            select=select or grid.select or "strict",
            command=command,
            seed=seed,
            threads=settings.threads,
            say=view.say,
        )
        comparison = load_comparison(folder)
        waiting = _waiting(comparison, plan, retry_failed=settings.retry_failed)
        run = _Run(folder, subject, plan, settings, view)
        try:
            run.cells(run.estimate(comparison, waiting))
        finally:
            comparison = load_comparison(folder)
            for cell in publish_best(comparison):
                view.say(
                    f"{cell.encoder}: {cell.id} is its best now, but has no weights any more, for "
                    f"another was; remove {cell.folder} and run the same command again"
                )
        run.afterwards(comparison)
        view.say("writing the report")
        subject.write_report(folder, comparison)
        return comparison


def _waiting(comparison: Comparison, plan: Plan, *, retry_failed: bool) -> list[Cell]:
    """The cells to be run: those that were begun first, then in turn."""
    states = {cell.id: cell for cell in comparison.cells}
    to_run = ("unfinished", "failed") if retry_failed else ("unfinished",)
    waiting = [cell for cell in plan.cells if states[cell.id].state in to_run]
    return sorted(waiting, key=lambda cell: not cell.folder.is_dir())


class _Run:
    """The cells of a plan, run with what they need."""

    def __init__(
        self, folder: Path, subject: Subject, plan: Plan, settings: Settings, view: View
    ) -> None:
        self.folder, self.plan, self.settings, self.view = folder, plan, settings, view
        self.subject = subject
        self.subjects = {fold: subject.fold(fold) for fold in {cell.fold for cell in plan.cells}}
        self.speeds = Speeds(folder, settings.threads)

    def work(self, cell: Cell) -> CellWork:
        """A cell with what its process needs."""
        subject = self.subjects[cell.fold]
        return CellWork(cell=cell, subject=subject, threads=self.settings.threads)

    def estimate(self, comparison: Comparison, waiting: Sequence[Cell]) -> Estimate:
        """What fits; kinds of cells that were never timed are timed now."""
        unknown = self.speeds.unknown(waiting)
        if unknown:
            self.view.say(f"timing a few steps of each kind of cell ({len(unknown)})")
        works = map(self.work, unknown)
        for event in run_tasks(measure_cell, works, 1, self.settings.threads):
            if event.told is not None:
                self.speeds.learn(event.task.cell, event.told)
            elif event.reason:
                self.view.say(f"{event.task.cell}: cannot be measured: {event.reason}")
        epochs = {cell.id: len(cell.curve) for cell in comparison.cells}
        seconds = {
            cell.id: self.speeds.seconds(
                cell, self.subjects[cell.fold], epochs_done=epochs.get(cell.id, 0)
            )
            for cell in waiting
        }
        estimate = fit(waiting, seconds, self.settings.budget, self.settings.workers)
        self.view.planned(comparison, estimate)
        return estimate

    def cells(self, estimate: Estimate) -> None:
        """Run those that fit; one that fails does not stop the others."""
        settings = self.settings
        events = run_tasks(
            run_cell,
            self._in_time(estimate.fits),
            settings.workers,
            settings.threads,
            stopping=lambda: self.view.say("stopping; the cells that run keep where they are"),
        )
        for event in events:
            cell = event.task.cell
            if event.ended:
                self._ended(cell, event.reason)
            elif event.told is None:
                self.view.began(cell)
            else:
                self.view.moved(cell, event.told)

    def afterwards(self, comparison: Comparison) -> None:
        """What is left to do of chosen cells; what cannot be done is said, and left out."""
        settings = self.settings
        every = self.subject.afterwards(
            comparison, with_rules=settings.with_rules, say=self.view.say
        )
        for each in every:
            works = [self.work(cell) for cell in self.plan.cells if cell.id in each.cells]
            for event in run_tasks(each.work, works, settings.workers, settings.threads):
                if event.reason:
                    self.view.say(f"{event.task.cell}: {each.failure}: {event.reason}")

    def _in_time(self, cells: Sequence[Cell]) -> Iterator[CellWork]:
        """Each cell when its turn comes, as long as the budget is not used up."""
        began, budget = time.monotonic(), self.settings.budget.seconds
        for cell in cells:
            if budget is not None and time.monotonic() - began >= budget:
                self.view.say("the budget is used up; the rest is left for later")
                return
            (cell.folder / FAILED).unlink(missing_ok=True)
            yield self.work(cell)

    def _ended(self, cell: Cell, reason: str | None) -> None:
        if reason is not None:
            write_failed(cell, reason)
        comparison = load_comparison(self.folder)
        result = next(each for each in comparison.cells if each.id == cell.id)
        if result.state == "done":
            self.speeds.learn_from(cell, self.subjects[cell.fold], result)
        if not self.settings.keep_weights:
            drop_weights(comparison)
        self.view.ended(cell, result)


def drop_weights(comparison: Comparison) -> None:
    """Drop the weights of done cells that are not the best of their encoder.

    Of a task the best seed of each setting may still become it, while cells of the encoder wait.
    """
    best = {cell.id for cell in best_cells(comparison).values()}
    for facts in comparison.encoders if comparison.task is not None else ():
        if any(cell.state == "unfinished" for cell in comparison.of(facts.name)):
            best |= {best_of(cells).id for cells in settings_of(comparison, facts.name)}
    for cell in comparison.cells:
        if cell.state == "done" and cell.id not in best:
            for name in _WEIGHTS:
                (cell.folder / name).unlink(missing_ok=True)
            shutil.rmtree(cell.folder / LAST, ignore_errors=True)


def publish_best(comparison: Comparison) -> list[CellResult]:
    """`best/ENCODER` for each encoder that has a chosen cell: links, or copies where none can be.

    Gives the cells that have become the best when their weights were gone; what was there stays.
    """
    lost = []
    for name, cell in best_cells(comparison).items():
        target = comparison.folder / BEST / name
        if _holds(target, cell):
            continue
        if (cell.folder / WEIGHTS).is_file():
            _publish(cell, target)
        else:
            lost.append(cell)
    return lost


def _holds(target: Path, cell: CellResult) -> bool:
    """Whether the folder has this cell's files."""
    mine, theirs = cell.folder / TRAINING, target / TRAINING
    return theirs.is_file() and theirs.read_bytes() == mine.read_bytes()


def _publish(cell: CellResult, target: Path) -> None:
    """All files in a new folder first, then that folder in the place of the old one."""
    new, old = (target.with_name(f".{target.name}.{which}") for which in ("new", "old"))
    for folder in (new, old):
        shutil.rmtree(folder, ignore_errors=True)
    new.mkdir(parents=True)
    for path in sorted(cell.folder.iterdir()):
        if path.is_file() and path.name not in (MACHINE, FAILED):
            try:
                os.link(path, new / path.name)
            except OSError:
                shutil.copy2(path, new / path.name)
    if target.is_dir():
        target.rename(old)
    new.rename(target)
    shutil.rmtree(old, ignore_errors=True)
