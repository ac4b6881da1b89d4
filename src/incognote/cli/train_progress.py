"""How a training run goes: loss, rate, speed, best F1, time left."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

if TYPE_CHECKING:
    from incognote.finetune.loop import Tick


@contextmanager
def training_progress() -> Iterator[tuple[Callable[[Tick], None], Callable[[str], None]]]:
    """A live line on a terminal, and a line for each epoch everywhere; what to call with news."""
    console = Console(stderr=True, highlight=False, soft_wrap=True)
    leads = os.environ.get("RANK", "0") == "0"
    bar = Progress(
        TextColumn("epoch {task.fields[epoch]}"),
        BarColumn(bar_width=20),
        TextColumn("{task.fields[figures]}"),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        console=console,
        transient=True,
        disable=not (console.is_terminal and leads),
    )
    told = 0

    def say(line: str) -> None:
        if leads:
            bar.console.print(f"incognote: {line}", markup=False)

    def watch(tick: Tick) -> None:
        nonlocal told
        run = tick.progress
        while told < len(run.curve):
            say(_epoch(run.curve[told]))
            told += 1
        best = f"  best F1 {100 * run.best:.2f}" if run.best_epoch else ""
        rate = run.rates()["tokens_per_second"]
        figures = f"loss {run.loss:.4f}  lr {tick.lr:.1e}  {rate:,.0f} tokens/s{best}"
        bar.update(
            task, completed=run.steps, total=tick.steps, epoch=run.epoch + 1, figures=figures
        )

    with bar:
        task = bar.add_task("training", total=None, epoch=1, figures="")
        yield watch, say


def _epoch(row: dict[str, float]) -> str:
    line = f"epoch {row['epoch']}: loss {row['loss']:.4f}"
    if "f1" in row:
        line += f", F1 {100 * row['f1']:.2f}"
    return f"{line}, {row['tokens_per_second']:,.0f} tokens/s, {row['seconds'] / 60:.1f} min"
