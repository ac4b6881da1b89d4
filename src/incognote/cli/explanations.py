"""Explanations as `find --explain` writes them: JSON lines, or a table for people."""

from __future__ import annotations

import io
import sys
from collections.abc import Generator, Iterator, Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from incognote.runs.audit import Failure
from incognote.runs.explain import ExplainOptions, Row, explain_files, explain_for_people
from incognote.runs.inputs import Input
from incognote.runs.settings import Settings
from incognote.runs.stream import Advance, Event

_PIPED_WIDTH = 160
_STYLES = {"dropped": "yellow", "left": "dim"}


def explanations(
    inputs: Sequence[Input],
    settings: Settings,
    options: ExplainOptions,
    for_people: bool,
    *,
    advance: Advance,
    live: Generator[Event] | None,
) -> Iterator[str | Failure]:
    """What is written for each note, and the failures among them."""
    if not for_people:
        yield from explain_files(inputs, settings, options, advance=advance, live=live)
        return
    for each in explain_for_people(inputs, settings, options, advance=advance, live=live):
        yield each if isinstance(each, Failure) else as_table(*each, options.with_text)


def as_table(id: str, rows: Sequence[Row], with_text: bool) -> str:
    """A table of one note, in colour where standard output is a terminal."""
    terminal = sys.stdout.isatty()
    page = io.StringIO()
    console = Console(
        file=page,
        force_terminal=terminal,
        width=None if terminal else _PIPED_WIDTH,
        highlight=False,
    )
    console.print(Text(id, style="bold"), soft_wrap=True)
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("place", no_wrap=True)
    if with_text:
        table.add_column("text", overflow="fold")
    table.add_column("what", no_wrap=True)
    table.add_column("why", overflow="fold")
    for place, what, why, text in rows:
        style = _STYLES.get(what, "")
        cells = [place, text, what, why] if with_text else [place, what, why]
        table.add_row(*(Text(cell, style=style) for cell in cells))
    console.print(table if rows else "nothing was found, and nothing left")
    console.print()
    return page.getvalue()
