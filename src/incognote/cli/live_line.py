"""The live line of a training run: a bar with figures, and above it the lines that stay."""

from __future__ import annotations

import os

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Column


def leads() -> bool:
    """Whether this process speaks: of those that `torchrun` started, only the first does."""
    return os.environ.get("RANK", "0") == "0"


class LiveLine(Progress):
    """A task's description, bar, times and figures, on a terminal only; `say` speaks everywhere.

    Where a terminal is narrow, the last of the figures are cut.
    """

    def __init__(self) -> None:
        console = Console(stderr=True, highlight=False, soft_wrap=True)
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
