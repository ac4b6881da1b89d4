"""Progress of a run: notes, notes per second, time left; a bar on a terminal, lines elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, Task, TextColumn, TimeRemainingColumn
from rich.text import Text

from incognote.base.messages import duration, quantity
from incognote.cli.live_line import Pace
from incognote.runs.stream import Advance


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
