"""Progress of a run: notes, notes per second, time left. Silent when nobody watches."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, Task, TextColumn, TimeRemainingColumn
from rich.text import Text

from incognote.workflows.run.deid import Advance


class _Notes(ProgressColumn):
    def render(self, task: Task) -> Text:
        notes = int(task.fields["notes"])
        rate = notes / task.elapsed if task.elapsed else 0.0
        return Text(f"{notes:,} notes  {rate:,.1f}/s")


@contextmanager
def progress(console: Console, what: str, size: int) -> Iterator[Advance]:
    """A bar over `size` bytes; yields what is to be called as notes are done."""
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
        done = 0

        def advance(notes: int, size: int) -> None:
            nonlocal done
            done += notes
            bar.update(task, advance=size, notes=done)

        yield advance
