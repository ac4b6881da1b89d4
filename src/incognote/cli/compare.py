"""`incognote compare`: a grid of runs for each encoder, and which encoder does best."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from logging import DEBUG
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table

from incognote.base.messages import duration, log
from incognote.base.options import Choices, PathText
from incognote.cli.from_dataclass import Only
from incognote.cli.options import OUTPUT, Corpora, FormatOption, Messages, PatientFields
from incognote.cli.progress import Pace
from incognote.cli.training_options import (
    DATA,
    MACHINE,
    Labels,
    Split,
    Threads,
    Validation,
    keep_memory,
    need_torch,
)
from incognote.workshop.finetune.options import Options
from incognote.workshop.starting_points import Origin

if TYPE_CHECKING:
    from incognote.workshop.compare.cell import CellProgress
    from incognote.workshop.compare.estimate import Estimate
    from incognote.workshop.compare.plan import Cell
    from incognote.workshop.compare.results import CellResult, Comparison

GRID = "Grid"


def compare(
    corpora: Corpora,
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            metavar="REPORT",
            help="Folder for the report, the figures of every cell of the grid and the best "
            "checkpoints.",
            rich_help_panel=OUTPUT,
            show_default=False,
        ),
    ],
    grid: Annotated[
        str,
        typer.Option(
            metavar="study|study-best|FILE",
            help="What to run: the 255 cells of the 2022 study, its six best, or those of a TOML "
            "file (docs/compare.md).",
            rich_help_panel=GRID,
            show_default=False,
        ),
        PathText(or_name=True),
    ],
    *,
    encoders: Annotated[
        str | None,
        typer.Option(
            metavar="NAME_OR_DIR,…",
            help="Which encoders of the grid to run; or others, with the grid's defaults: "
            "folders of checkpoints, 'minilm', 'clinical-albert', 'default', or presets, which "
            "need --random and --tokenizer. By default all of the grid.",
            rich_help_panel=GRID,
            show_default=False,
        ),
        PathText(or_name=True, several=True),
    ] = None,
    from_hub: Annotated[
        str | None,
        typer.Option(
            metavar="NAME,…",
            help="Download these encoders from the Hugging Face Hub and compare them too, each "
            "named by the last part of its name there. No other option uses the network.",
            rich_help_panel=GRID,
        ),
    ] = None,
    origin: Annotated[Choices[Origin], Only("random", "encoder_only", "tokenizer")],
    select: Annotated[
        Literal["strict", "words"] | None,
        typer.Option(
            help="Which F1 on the validation notes chooses the best cell: strict (type, start "
            "and end of an entity are right) or words (as the 2022 study counts). By default "
            "words for --grid study, else strict.",
            rich_help_panel=GRID,
            show_default=False,
        ),
    ] = None,
    with_rules: Annotated[
        bool,
        typer.Option(
            "--with-rules",
            help="Also test the best cell of each encoder together with the rules, as `incognote "
            "deid` uses it.",
            rich_help_panel=GRID,
        ),
    ] = False,
    budget: Annotated[
        str | None,
        typer.Option(
            metavar="2h|6",
            help="Run only as many cells as fit into a time (2h, 90m), or this many (6); the "
            "same command continues.",
            rich_help_panel=GRID,
        ),
    ] = None,
    retry_failed: Annotated[
        bool,
        typer.Option("--retry-failed", help="Run failed cells again.", rich_help_panel=GRID),
    ] = False,
    validation: Validation = None,
    test: Annotated[
        Path | None,
        typer.Option(metavar="CORPUS", help="Notes to test on.", rich_help_panel=DATA),
    ] = None,
    split: Split = None,
    leave_out: Annotated[
        bool,
        typer.Option(
            "--leave-one-source-out",
            help="Also train without each source in turn, and test on it. Each CORPUS is a "
            "source, or each subfolder if there is one CORPUS. With --patient-field, the "
            "source's patients are left out of training too.",
            rich_help_panel=DATA,
        ),
    ] = False,
    source_field: Annotated[
        str | None,
        typer.Option(
            metavar="FIELD", help="Field that names a note's source.", rich_help_panel=DATA
        ),
    ] = None,
    labels: Labels = None,
    learning: Annotated[Choices[Options], Only("seed")],
    workers: Annotated[
        int,
        typer.Option(
            min=1, max=1024, help="Number of cells that run at once.", rich_help_panel=MACHINE
        ),
    ] = 1,
    threads: Threads = None,
    keep_weights: Annotated[
        bool,
        typer.Option(
            "--keep-weights",
            help="Keep the weights of all cells, not only of the best.",
            rich_help_panel=OUTPUT,
        ),
    ] = False,
    format: FormatOption = None,
    fields: PatientFields,
    messages: Messages,
) -> int:
    """Compare encoders on annotated notes: a grid of runs for each, the best chosen on validation.

    - `incognote compare notes/ -o report/ --grid study --encoders bert-base-uncased/,roberta-base/`
    - `incognote compare train/ --validation dev/ --test test/ -o report/ --grid grid.toml --budget 2h`
    - `incognote compare site-a/ site-b/ -o report/ --grid grid.toml --leave-one-source-out`

    A cell of the grid is one encoder with one set of hyper-parameters. The same command continues a
    stopped comparison: finished cells are not run again, and an interrupted one gives the same
    result. A changed grid adds cells.
    """
    keep_memory()
    need_torch()
    if with_rules:
        from incognote.cli.errors import installed

        with installed("--with-rules needs"):
            import onnx  # noqa: F401
    from incognote.cli import show
    from incognote.corpus.source import RefusedError, Source
    from incognote.onnx.sessions import cores
    from incognote.workshop.compare.data import read_data
    from incognote.workshop.compare.estimate import Budget
    from incognote.workshop.compare.grid import read_grid
    from incognote.workshop.compare.notes import Notes
    from incognote.workshop.compare.run import Settings
    from incognote.workshop.compare.run import compare as run
    from incognote.workshop.starting_points import fetched

    settings = Settings(
        workers=workers,
        threads=threads or max(1, cores() // workers),
        budget=Budget.parse(budget),
        retry_failed=retry_failed,
        keep_weights=keep_weights,
        with_rules=with_rules,
    )
    seed = learning.values["seed"]
    local, remote = (
        [name for name in (text or "").split(",") if name] for text in (encoders, from_hub)
    )
    cells = read_grid(
        grid,
        [*local, *remote],
        seed=seed,
        fetched={name: fetched(name) for name in remote},
        **origin.values,
    )

    def source(path: Path | None) -> Source | None:
        return None if path is None else Source(path, format, fields)

    apart = validation is not None or test is not None
    try:
        data = read_data(
            [Source(path, format, fields) for path in corpora],
            validation=source(validation),
            test=source(test),
            split=split or (None if apart else cells.split),
            seed=seed,
            leave_out=leave_out,
            source_field=source_field,
        )
    except RefusedError as error:
        return show.refusal(error.failures)
    label_set: Any = labels or cells.labels
    with messages.logging(), compare_view(quiet=messages.quiet) as view:
        try:
            comparison = run(
                output,
                Notes(data, label_set),
                cells,
                settings,
                view,
                select=select,
                command=["incognote", *sys.argv[1:]],
                seed=seed,
            )
        except KeyboardInterrupt:
            view.say("stopped; the same command continues from here")
            raise
    return _show(comparison)


def _show(comparison: Any) -> int:
    """The chosen cells on standard output; status 1 if a cell failed."""
    from incognote.cli import show
    from incognote.workshop.compare.results import SELECTED, best_cells
    from incognote.workshop.encoders.tensor_files import read_json
    from incognote.workshop.training.run_folder import TEST

    rows = []
    random = {facts.name for facts in comparison.encoders if facts.random}
    for name, cell in best_cells(comparison).items():
        test = read_json(cell.folder / TEST)["strict"]
        varied = ", ".join(f"{key} {value}" for key, value in cell.varied.items())
        figures = (cell.validation_score, *(test[key] for key in ("precision", "recall", "f1")))
        title = f"{name} (random weights)" if name in random else name
        rows.append([title, *(f"{100 * (figure or 0):.2f}" for figure in figures), varied])
    if rows:
        show.table(_heads(SELECTED[comparison.select]), rows)
    states = [cell.state for cell in comparison.cells]
    if remaining := states.count("unfinished"):
        show.say(f"incognote: {remaining} of {len(states)} cells to do; the same command continues")
    if failed := states.count("failed"):
        show.say(
            f"incognote: {failed} of {len(states)} cells failed; --retry-failed runs them again"
        )
    return 1 if failed else 0


def _heads(selected: str) -> list[str]:
    tested = [f"test strict {figure} %" for figure in ("P", "R", "F1")]
    return ["", f"validation {selected} %", *tested, "chosen"]


class CompareView:
    """Told by the run; shows what is done, what runs, the best so far, and the time left."""

    def __init__(self, console: Console, pace: Pace | None = None) -> None:
        self.console = console
        self.pace = pace or Pace()
        self.running: dict[str, tuple[float, CellProgress | None]] = {}
        self.encoder: dict[str, str] = {}
        self.epochs: dict[str, int] = {}
        self.best: dict[str, CellResult] = {}
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
            f1 = "" if moved.score is None else f", F1 {100 * moved.score:.2f}"
            self.say(
                f"{cell.id}: epoch {before.epoch} of {moved.epochs}{f1}, loss {moved.loss:.4f}"
            )

        if not self.console.is_terminal and self.pace.is_due():
            self.say(
                f"{cell.id}: step {moved.step:,} of {moved.steps:,}, loss {moved.loss:.4f}; "
                f"{self.done} cells done, {len(self.waiting)} waiting, about {duration(self.seconds_left())} left"
            )
        log("compare", "step", DEBUG, cell=cell.id, step=moved.step, steps=moved.steps)

    def ended(self, cell: Cell, result: CellResult) -> None:
        """A cell is done, or failed."""
        from incognote.workshop.compare.results import SELECTED

        began, _ = self.running.pop(cell.id)
        took = duration(time.monotonic() - began)
        log("compare", "cell ended", cell=cell.id, state=result.state, f1=result.validation_score)
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
        figure = f"{SELECTED[result.select]} {100 * (result.validation_score or 0):.2f}"
        best = f"; the best of {cell.encoder.name} so far" if better else ""
        self.say(f"{cell.id}: done in {took}, validation {figure}{best}")

    def __rich__(self) -> RenderableType:
        """The live part, below the lines."""
        runs = Table(box=None, pad_edge=False)
        for column in ("running", "epoch", "", "loss", "F1"):
            runs.add_column(column)
        for id, (_, moved) in self.running.items():
            if moved is None:
                runs.add_row(id, "starting")
            else:
                f1 = "" if moved.score is None else f"{100 * moved.score:.2f}"
                bar = ProgressBar(total=moved.steps, completed=moved.step, width=20)
                epoch = f"{min(moved.epoch, moved.epochs)} of {moved.epochs}"
                runs.add_row(id, epoch, bar, f"{moved.loss:.4f}", f1)
        best = Table(box=None, pad_edge=False)
        for column in ("best so far", "cell", "validation F1"):
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
