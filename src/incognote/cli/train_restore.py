"""`incognote train-restore`: a model that restores case and punctuation."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from logging import DEBUG
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from incognote.base.messages import log
from incognote.base.options import Choices
from incognote.cli.options import OUTPUT, Messages
from incognote.cli.progress import LiveLine, pausing
from incognote.cli.training_options import (
    Device,
    Overwrite,
    Resume,
    Threads,
    keep_memory,
    need_torch,
)
from incognote.workshop.restore.train import Restoring
from incognote.workshop.sequence_to_sequence.options import LearningOptions

if TYPE_CHECKING:
    from incognote.workshop.sequence_to_sequence.learning import Tick


def train_restore(
    texts: Annotated[
        list[Path],
        typer.Argument(
            metavar="TEXT…",
            help="Files or folders of well-written notes: plain text, JSONL, JSON, CSV, TSV, tar; also "
            ".gz, .xz, .zst.",
        ),
    ],
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            metavar="MODEL",
            help="Folder for the model, which `incognote restore --model` takes.",
            rich_help_panel=OUTPUT,
            show_default=False,
        ),
    ],
    model: Restoring,
    learning: Choices[LearningOptions],
    messages: Messages,
    held_out: Annotated[
        list[Path] | None,
        typer.Option(
            "--held-out",
            metavar="TEXT",
            help="Well-written notes to measure on, and never to learn from; may be repeated.",
            rich_help_panel="Evaluation",
        ),
    ] = None,
    threads: Threads = None,
    device: Device = None,
    resume: Resume = False,
    overwrite: Overwrite = False,
) -> int:
    """Learn to restore case and punctuation from notes that have both.

    - `incognote train-restore notes.jsonl -o restorer/ --held-out others.jsonl --steps 3000`
    - `incognote restore dictated.txt --model restorer/`

    The network is the Transformer of 2017, its schedule and label smoothing too. A run that was stopped
    continues with --resume and ends with the same weights. On Linux the command restarts itself
    once, with memory settings that make training much faster (INCOGNOTE_ALLOCATOR=system keeps the
    system's).
    """
    keep_memory()
    need_torch()
    from incognote.workshop.restore.train import learning_options, train_restorer

    options = learning_options(model, learning.values)
    with (
        messages.logging(),
        _progress(quiet=messages.quiet) as (watch, say),
        pausing(watch, say) as watched,
    ):
        result = train_restorer(
            texts,
            output,
            model,
            options,
            held_out=held_out or [],
            threads=threads,
            device=device,
            resume=resume,
            overwrite=overwrite,
            watch=watched,
            say=say,
        )
    _show(result.training, output, quiet=messages.quiet)
    return 0


@contextmanager
def _progress(*, quiet: bool) -> Iterator[tuple[Callable[[Tick], None], Callable[[str], None]]]:
    """A live line on a terminal, lines elsewhere, and one for each evaluation."""
    line = LiveLine(quiet=quiet)
    rows_said: int | None = None
    with line:
        task = line.add_task("training", total=None, figures="")

        def watch(tick: Tick) -> None:
            nonlocal rows_said
            run = tick.progress
            if rows_said is None:
                rows_said = sum(row["step"] < run.step for row in run.curve)
            for row in run.curve[rows_said:]:
                line.say(
                    f"step {row['step']:,.0f}: held-out loss {row['loss']:.3f}, "
                    f"{100 * row['accuracy']:.1f} % of tokens right"
                )
                log("train-restore", "evaluation", **row)
            rows_said = len(run.curve)
            rate = run.tokens / run.seconds if run.seconds else 0.0
            figures = f"loss {run.loss:.3f}  {rate:,.0f} tokens/s  lr {tick.lr:.1e}"
            line.show(task, completed=run.step, total=tick.steps, figures=figures)
            log("train-restore", "step", DEBUG, step=run.step, steps=tick.steps, loss=run.loss)

        yield watch, line.say


def _show(training: Mapping[str, Any], output: Path, *, quiet: bool) -> None:
    """The held-out figures on standard output."""
    from incognote.cli import show
    from incognote.workshop.restore.score import table

    if training["held_out"]:
        show.table(*table(training["held_out"]))
    if not quiet:
        show.say(
            f"incognote: {output} after {training['steps']:,} steps "
            f"({training['seconds'] / 60:,.1f} minutes)"
        )
