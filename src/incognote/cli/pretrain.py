"""`incognote pretrain`: an encoder from plain text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from logging import DEBUG
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.progress import TaskID

from incognote.base.messages import log
from incognote.base.options import Choices
from incognote.cli.from_dataclass import Only
from incognote.cli.options import OUTPUT, Messages
from incognote.cli.progress import LiveLine, leads, pausing
from incognote.cli.training_options import (
    Device,
    Overwrite,
    Resume,
    Threads,
    keep_memory,
    need_torch,
)
from incognote.workshop.pretrain.examples import ExampleSettings
from incognote.workshop.pretrain.masking import Masking
from incognote.workshop.pretrain.settings import Settings
from incognote.workshop.pretraining import Beginning, TextOptions

if TYPE_CHECKING:
    from incognote.workshop.pretrain.corpus.prepare import Step as TextStep
    from incognote.workshop.pretrain.loop import Tick


def pretrain(
    texts: Annotated[
        list[Path],
        typer.Argument(
            metavar="TEXT…",
            help="Files or folders of text (.txt, .jsonl, .csv, …, also .gz, .bz2, .xz, .zst), or one "
            "folder that --shards wrote.",
        ),
    ],
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            metavar="ENCODER",
            help="Folder for the encoder. `incognote train` loads it, and so does `transformers`, "
            "except for ELMo.",
            rich_help_panel=OUTPUT,
            show_default=False,
        ),
    ],
    beginning: Beginning,
    settings: Choices[Settings],
    examples: Annotated[Choices[ExampleSettings], Only("inputs", "short")],
    masking: Choices[Masking],
    text: TextOptions,
    messages: Messages,
    threads: Threads = None,
    device: Device = None,
    resume: Resume = False,
    overwrite: Overwrite = False,
) -> int:
    """Pretrain an encoder on plain text, and write it as a Hugging Face folder.

    - `incognote pretrain text/ -o encoder/ --preset albert-base --tokenizer tok/` as the paper did it
    - `incognote pretrain notes.jsonl.gz -o adapted/ --from minilm --hours 1` in an hour of a CPU
    - `torchrun --nproc-per-node 2 -m incognote pretrain …` on several devices

    A run that was stopped continues with --resume and ends with the same weights. ENCODER also gets
    training.json (data, losses, held-out figures), log.csv, held_out.csv and, with matplotlib,
    losses.png. On Linux the command restarts itself once, with memory settings that make training
    much faster (INCOGNOTE_ALLOCATOR=system keeps the system's).
    """
    keep_memory()
    need_torch()
    from incognote.workshop.pretraining import choose_settings, pretrain_text

    values = {**settings.values, "example_options": _example_options(examples, masking)}
    whole = choose_settings(beginning, values)
    with (
        messages.logging(),
        pretraining_progress(quiet=messages.quiet) as view,
        pausing(view.step, view.line.say) as watched,
    ):
        result = pretrain_text(
            texts,
            output,
            beginning,
            whole,
            text=text,
            threads=threads,
            device=device,
            resume=resume,
            overwrite=overwrite,
            watch=watched,
            say=view.line.say,
            tokenised=view.tokenised,
        )
    _show(result.training, output, quiet=messages.quiet)
    return 0


def _example_options(
    examples: Choices[ExampleSettings], masking: Choices[Masking]
) -> dict[str, Any]:
    """As `Settings` has them: changes of the examples' defaults, and of their masks' below."""
    masks = dict(masking.values)
    if masks.get("copies") == 0:
        masks["copies"] = None
    return {**examples.values, **({"masking": masks} if masks else {})}


class View:
    """A live line on a terminal, lines elsewhere, and one for each evaluation."""

    def __init__(self, *, quiet: bool = False) -> None:
        self.line = LiveLine(quiet=quiet)
        self._task: TaskID | None = None
        self._stage = ""
        self._rows_said: int | None = None

    def tokenised(self, step: TextStep) -> None:
        """How far the text is on its way to shards."""
        self._show(step.stage, step.done, step.total, f"{step.documents:,} documents")

    def step(self, tick: Tick) -> None:
        """What a step cost, and how long it still takes."""
        run = tick.progress
        if self._rows_said is None:
            # Of a run that goes on, the evaluations before were told before.
            self._rows_said = sum(row["step"] < run.step for row in run.curve)
        for row in run.curve[self._rows_said :]:
            self.line.say(
                f"step {row['step']:,} of {run.steps:,}: {_line(row)}, {_time_left(tick)} left"
            )
            log("pretrain", "evaluation", **row)
        self._rows_said = len(run.curve)
        losses = "  ".join(f"{part} {loss:.3f}" for part, loss in run.averages.items())
        figures = f"{losses}  {run.pieces_per_second:,.0f} tokens/s  lr {tick.lr:.1e}"
        self._show("pretraining", run.step, run.steps, f"step {run.step:,}  {figures}")
        log("pretrain", "step", DEBUG, step=run.step, steps=run.steps, lr=tick.lr, **run.averages)

    def _show(self, stage: str, done: int, total: int, figures: str) -> None:
        if stage != self._stage or self._task is None:
            if self._task is not None:
                self.line.remove_task(self._task)
            self._stage, self._task = stage, self.line.add_task(stage, figures="")
        self.line.show(self._task, completed=done, total=total, figures=figures)


@contextmanager
def pretraining_progress(*, quiet: bool = False) -> Iterator[View]:
    """The view, while it is wanted."""
    view = View(quiet=quiet)
    with view.line:
        yield view


def _show(training: Mapping[str, Any], output: Path, *, quiet: bool = False) -> None:
    """The held-out figures on standard output; only the process that leads speaks."""
    from incognote.cli import show

    if not leads():
        return
    held = training["held_out"]
    rows = [
        [
            part,
            f"{held[f'{part}_loss']:.3f}",
            f"{held[f'{part}_perplexity']:,.2f}" if f"{part}_perplexity" in held else "",
            f"{100 * held[f'{part}_accuracy']:.2f}",
            f"{100 * held[f'{part}_accuracy_low']:.2f}–{100 * held[f'{part}_accuracy_high']:.2f}",
            f"{held[f'{part}_terms']:,}",
        ]
        for part in _parts(held)
    ]
    if rows:
        columns = ["held out", "loss", "perplexity", "accuracy, %", "95 % interval", "answers"]
        show.table(columns, rows)
    if quiet:
        return
    show.say(
        f"incognote: {output} after {training['steps']:,} steps "
        f"({training['pieces_per_second']:,.0f} tokens/s, {training['seconds'] / 60:,.1f} minutes)"
    )


def _parts(row: Mapping[str, float]) -> list[str]:
    return [name.removesuffix("_loss") for name in row if name.endswith("_loss")]


def _line(row: Mapping[str, float]) -> str:
    figures = []
    for part in _parts(row):
        perplexity = row.get(f"{part}_perplexity")
        more = "" if perplexity is None else f", perplexity {perplexity:,.1f}"
        if (base := row.get(f"{part}_base")) is not None:
            more = f" ({100 * base:.1f} % by always saying the same)"
        figures.append(f"{part} {100 * row[f'{part}_accuracy']:.1f} %{more}")
    return "held-out " + "; ".join(figures)


def _time_left(tick: Tick) -> str:
    run = tick.progress
    seconds = run.seconds / max(1, run.step) * (run.steps - run.step)
    return f"{seconds / 3600:.1f} h" if seconds >= 3600 else f"{seconds / 60:.0f} min"
