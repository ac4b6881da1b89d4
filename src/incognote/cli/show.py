"""How commands print: results, tables and JSON to standard output, sentences to standard error."""

from __future__ import annotations

import csv as csv_module
import io
import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table

from incognote.base.messages import quantity
from incognote.corpus.convert import WriteResult
from incognote.corpus.source import Failure

MOST_FAILURES = 50
_PIPED_WIDTH = 200


def say(message: str, style: str | None = None) -> None:
    """A sentence on standard error."""
    Console(stderr=True).print(message, style=style, markup=False, highlight=False, soft_wrap=True)


def failures(found: Sequence[Failure]) -> int:
    """A line for each thing that failed; the exit status that follows."""
    for failure in found[:MOST_FAILURES]:
        say(f"incognote: {failure}", "red")
    if len(found) > MOST_FAILURES:
        say(f"incognote: and {len(found) - MOST_FAILURES:,} more", "red")
    return 1 if found else 0


def refusal(found: Sequence[Failure]) -> int:
    """The same, where nothing was written because of them."""
    failures(found)
    say("incognote: nothing was written")
    return 1


def as_json(value: Any) -> None:
    """A value on standard output."""
    line(json.dumps(value, ensure_ascii=False, indent=2))


def line(text: str) -> None:
    """A line on standard output, in UTF-8 whatever the terminal thinks."""
    sys.stdout.buffer.write(f"{text}\n".encode("utf-8", "surrogateescape"))
    sys.stdout.buffer.flush()


def table(
    header: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    rule_after: int = 0,
    least_width: int = 0,
) -> None:
    """A table on standard output; words to the left, numbers to the right.

    With a `least_width` no figure is cut for a narrow terminal: its lines run over instead.
    """
    console = Console()
    console.width = max(console.width if console.is_terminal else _PIPED_WIDTH, least_width)
    shown = Table(box=None, pad_edge=False, header_style="bold")
    for index, name in enumerate(header):
        shown.add_column(name, justify="right" if index else "left", no_wrap=True)
    for count, row in enumerate(rows, 1):
        shown.add_row(*row)
        if count == rule_after:
            shown.add_row()
    console.print(shown, highlight=False)


def csv(header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """A table as CSV, its numbers without separators of thousands."""
    buffer = io.StringIO()
    writer = csv_module.writer(buffer, lineterminator="\n")
    writer.writerow(header)
    for name, *cells in rows:
        writer.writerow([name, *(cell.replace(",", "") for cell in cells)])
    line(buffer.getvalue().rstrip("\n"))


def markdown(header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """A table as Markdown."""
    aligned = ["---", *("---:" for _ in header[1:])]
    for row in (header, aligned, *rows):
        line(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |")


def counted(counts: Mapping[str, int]) -> str:
    """`DATE 3, AGE 1`, the most first."""
    order = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return ", ".join(f"{name} {count:,}" for name, count in order)


def written(result: WriteResult, where: object, format: str) -> None:
    """What was written, and what of the input is not in it."""
    say(f"{quantity(result.notes, 'note')} with {quantity(result.spans, 'span')}: {where}")
    if result.dropped_spans:
        say(
            f"dropped: {quantity(result.dropped_spans.total(), 'span')} ({counted(result.dropped_spans)})"
        )
    if result.lost_details:
        say(f"{format} has no place for the spans' {', '.join(sorted(result.lost_details))}")
    if result.lost_patients:
        say(
            f"{format} has no place for the patient, which {quantity(result.lost_patients, 'note')} had"
        )
    if result.needs_format:
        say(f"to read it, say --format {format}: name and content do not show the format")
