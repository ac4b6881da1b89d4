"""How a training run goes: loss, rate, speed, best F1, time left."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from incognote.cli.live_line import LiveLine

if TYPE_CHECKING:
    from incognote.finetune.loop import Tick


@contextmanager
def training_progress() -> Iterator[tuple[Callable[[Tick], None], Callable[[str], None]]]:
    """A live line on a terminal, and a line for each epoch everywhere; what to call with news."""
    line = LiveLine()
    told = 0

    def watch(tick: Tick) -> None:
        nonlocal told
        run = tick.progress
        while told < len(run.curve):
            line.say(_epoch(run.curve[told]))
            told += 1
        best = f"  best F1 {100 * run.best:.2f}" if run.best_epoch else ""
        rate = run.rates()["tokens_per_second"]
        figures = f"loss {run.loss:.4f}  lr {tick.lr:.1e}  {rate:,.0f} tokens/s{best}"
        epoch = f"epoch {run.epoch + 1}"
        line.update(task, description=epoch, completed=run.steps, total=tick.steps, figures=figures)

    with line:
        task = line.add_task("epoch 1", total=None, figures="")
        yield watch, line.say


def _epoch(row: dict[str, float]) -> str:
    line = f"epoch {row['epoch']}: loss {row['loss']:.4f}"
    if "f1" in row:
        line += f", F1 {100 * row['f1']:.2f}"
    return f"{line}, {row['tokens_per_second']:,.0f} tokens/s, {row['seconds'] / 60:.1f} min"
