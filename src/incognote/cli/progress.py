"""How far a run is, on standard error: a bar on a terminal, elsewhere a line now and then.

`progress` is for notes, `LiveLine` for training. `pausing` stops training in good order.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

import typer
from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    ProgressColumn,
    Task,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.table import Column
from rich.text import Text

from incognote.base.messages import duration, quantity

if TYPE_CHECKING:
    from incognote.runs.stream import Advance

Tick = TypeVar("Tick")
SECONDS_BETWEEN_LINES = 60.0
"""How often a run without a terminal says how far it is."""


class Pace:
    """Now and then: true once in so many seconds, not at the very beginning."""

    def __init__(
        self,
        seconds: float = SECONDS_BETWEEN_LINES,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.seconds = seconds
        self.clock = clock
        self.began = self.last = clock()

    def is_due(self) -> bool:
        """Whether it is time again; asking makes it so."""
        if self.clock() - self.last < self.seconds:
            return False
        self.last = self.clock()
        return True

    def elapsed(self) -> float:
        """Seconds since the beginning."""
        return self.clock() - self.began


class _Notes(ProgressColumn):
    def render(self, task: Task) -> Text:
        notes = int(task.fields["notes"])
        rate = notes / task.elapsed if task.elapsed else 0.0
        return Text(f"{quantity(notes, 'note')}  {rate:,.1f}/s")


@contextmanager
def progress(
    console: Console, what: str, size: int, *, pace: Pace | None = None
) -> Iterator[Advance]:
    """A bar over `size` bytes; yields what is to be called as notes are done.

    Where nobody watches, it is a line of its own now and then.
    """
    pace = pace or Pace()
    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f}%"),
        _Notes(),
        TimeRemainingColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )
    with bar:
        task = bar.add_task(what, total=max(size, 1), notes=0)
        done = read = 0

        def advance(notes: int, size_done: int) -> None:
            nonlocal done, read
            done += notes
            read += size_done
            bar.update(task, advance=size_done, notes=done)
            if not console.is_terminal and pace.is_due():
                line = _line(what, done, read / max(size, 1), pace.elapsed())
                console.print(f"incognote: {line}", markup=False, highlight=False, soft_wrap=True)

        yield advance


def _line(what: str, notes: int, share: float, seconds: float) -> str:
    """`de-identifying: 1,200 notes, 40 %, 20.0 notes/s, about 90 s left`."""
    words = [quantity(notes, "note")]
    if share:
        words.append(f"{min(share, 1):.0%}")
    words.append(f"{notes / seconds:,.1f} notes/s" if seconds else "")
    if 0 < share < 1:
        words.append(f"about {duration(seconds / share - seconds)} left")
    return f"{what}: {', '.join(filter(None, words))}"


def leads() -> bool:
    """Whether this process speaks: of those that `torchrun` started, only the first does."""
    return os.environ.get("RANK", "0") == "0"


class LiveLine(Progress):
    """A task's description, bar, times and figures on a terminal; elsewhere a line now and then.

    `say` speaks everywhere. Where a terminal is narrow, the last of the figures are cut. With
    `quiet` nothing is shown.
    """

    def __init__(self, *, quiet: bool = False, pace: Pace | None = None) -> None:
        console = Console(stderr=True, highlight=False, soft_wrap=True, quiet=quiet)
        self.pace = pace or Pace()
        super().__init__(
            TextColumn("{task.description}"),
            BarColumn(bar_width=12),
            TimeElapsedColumn(table_column=Column(no_wrap=True, min_width=7)),
            TimeRemainingColumn(table_column=Column(no_wrap=True, min_width=7)),
            TextColumn("{task.fields[figures]}", table_column=Column(no_wrap=True)),
            console=console,
            transient=True,
            disable=not (console.is_terminal and leads()),
        )

    def say(self, line: str) -> None:
        """A line that stays."""
        if leads():
            self.console.print(f"incognote: {line}", markup=False)

    def show(self, task_id: TaskID, **news: Any) -> None:
        """Update a task; without a terminal, say how it goes when it is time again."""
        self.update(task_id, **news)
        if not self.console.is_terminal and self.pace.is_due():
            task = next(task for task in self.tasks if task.id == task_id)
            share = f" {task.completed / task.total:.0%}" if task.total else ""
            self.say(f"{task.description}{share}, {task.fields['figures']}".rstrip(", "))


@contextmanager
def pausing(
    watch: Callable[[Tick], None], say: Callable[[str], None]
) -> Iterator[Callable[[Tick], None]]:
    """The watcher of a run that SIGINT or SIGTERM stops after a step, with its state saved."""
    from incognote.workshop.training.loop import Paused, pause_on_signal

    try:
        with pause_on_signal(watch) as watched:
            yield watched
    except Paused:
        say("stopped; the state is saved: the same command with --resume goes on from here")
        raise typer.Exit(130) from None
