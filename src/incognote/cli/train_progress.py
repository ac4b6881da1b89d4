"""How a training run goes: loss, rate, speed, best F1, time left."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from logging import DEBUG
from typing import TYPE_CHECKING

from incognote.base.messages import log
from incognote.cli.live_line import LiveLine

if TYPE_CHECKING:
    from incognote.workshop.finetune.loop import Progress, Tick


@contextmanager
def training_progress(
    *, quiet: bool = False
) -> Iterator[tuple[Callable[[Tick], None], Callable[[str], None]]]:
    """A live line on a terminal, lines elsewhere, and one for each epoch; what to call with news."""
    line = LiveLine(quiet=quiet)
    told = 0
    run: Progress | None = None

    def say_epochs() -> None:
        nonlocal told
        for row in run.curve[told:] if run else ():
            line.say(_epoch(row))
            log("train", "epoch", **row)
            told += 1

    def watch(tick: Tick) -> None:
        nonlocal run
        run = tick.progress
        say_epochs()
        best = f"  best F1 {100 * run.best:.2f} %" if run.best_epoch else ""
        rate = run.rates()["tokens_per_second"]
        figures = f"loss {run.loss:.4f}  lr {tick.lr:.1e}  {rate:,.0f} tokens/s{best}"
        epoch = f"epoch {run.epoch + 1}"
        line.show(task, description=epoch, completed=run.steps, total=tick.steps, figures=figures)
        log("train", "step", DEBUG, step=run.steps, steps=tick.steps, loss=run.loss, lr=tick.lr)

    with line:
        task = line.add_task("epoch 1", total=None, figures="")
        yield watch, line.say
        say_epochs()  # the last, after which there is no step


def _epoch(row: dict[str, float]) -> str:
    line = f"epoch {row['epoch']}: loss {row['loss']:.4f}"
    if "f1" in row:
        line += f", strict F1 {100 * row['f1']:.2f} %"
    return f"{line}, {row['tokens_per_second']:,.0f} tokens/s, {row['seconds'] / 60:.1f} min"
