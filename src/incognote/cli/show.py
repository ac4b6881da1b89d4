"""How commands print: results, tables and JSON to standard output, sentences to standard error.

What a run of `deid`, `find` or `reidentify` says at its end is below.
"""

from __future__ import annotations

import csv as csv_module
import io
import json
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from incognote.base.messages import quantity
from incognote.replace.operators import KEPT, NEVER

if TYPE_CHECKING:
    from incognote.corpus.convert import WriteResult
    from incognote.corpus.source import Failure
    from incognote.runs.audit import Audit
    from incognote.runs.audit import Failure as RunFailure

MOST_FAILURES = 50
MOST_RUN_FAILURES = 20
"""Of a run fewer are shown: its audit has them all."""
_PIPED_WIDTH = 200


def say(message: str, style: str | None = None) -> None:
    """A sentence on standard error."""
    Console(stderr=True).print(message, style=style, markup=False, highlight=False, soft_wrap=True)


def failures(items: Sequence[Failure]) -> int:
    """A line for each thing that failed; the exit status that follows."""
    for failure in items[:MOST_FAILURES]:
        say(f"incognote: {failure}", "red")
    if len(items) > MOST_FAILURES:
        say(f"incognote: and {len(items) - MOST_FAILURES:,} more", "red")
    return 1 if items else 0


def refusal(items: Sequence[Failure]) -> int:
    """The same, where nothing was written because of them."""
    failures(items)
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
    grid = Table(box=None, pad_edge=False, header_style="bold")
    for index, name in enumerate(header):
        grid.add_column(name, justify="right" if index else "left", no_wrap=True)
    for count, row in enumerate(rows, 1):
        grid.add_row(*row)
        if count == rule_after:
            grid.add_row()
    console.print(grid, highlight=False)


def lines(header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """A table of words on standard output, in plain columns; the last may be as long as it likes."""
    everything = [header, *rows]
    widths = [max(map(len, column)) for column in zip(*everything, strict=True)]
    for row in everything:
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        line("  ".join(cells).rstrip())


def table_of_words(header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """A table of words on standard output, all to the left; long ones run over."""
    console = Console()
    console.width = console.width if console.is_terminal else _PIPED_WIDTH
    grid = Table(*header, box=None, pad_edge=False, header_style="bold")
    for row in rows:
        grid.add_row(*map(escape, row))
    console.print(grid, highlight=False)


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


def count_list(counts: Mapping[str, int]) -> str:
    """`DATE 3, AGE 1`, the most first."""
    order = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return ", ".join(f"{name} {count:,}" for name, count in order)


def write_result(result: WriteResult, where: object, format: str) -> None:
    """What was written, and what of the input is not in it."""
    say(f"{quantity(result.notes, 'note')} with {quantity(result.spans, 'span')}: {where}")
    if result.dropped_spans:
        say(
            f"dropped: {quantity(result.dropped_spans.total(), 'span')} ({count_list(result.dropped_spans)})"
        )
    if result.lost_details:
        say(f"{format} has no place for the spans' {', '.join(sorted(result.lost_details))}")
    if result.lost_patients:
        say(
            f"{format} has no place for the patient, which {quantity(result.lost_patients, 'note')} had"
        )
    if result.needs_format:
        say(f"to read it, say --format {format}: name and content do not show the format")


def show_failures(
    console: Console, failures: Sequence[RunFailure], name: Callable[[int], str]
) -> None:
    """A line for each note that was not written; the audit has them all."""
    for failure in failures[:MOST_RUN_FAILURES]:
        place = f", {failure.place}" if failure.place else ""
        console.print(
            f"incognote: {name(failure.input)}{place}: {failure.reason}",
            style="red",
            markup=False,
            highlight=False,
            soft_wrap=True,
        )
    if len(failures) > MOST_RUN_FAILURES:
        console.print(
            f"incognote: and {len(failures) - MOST_RUN_FAILURES:,} more, all in the audit"
        )


def show_findings(console: Console, audit: Audit) -> None:
    """Counts by type, and one line for the whole."""
    tally = audit.tally
    if tally.findings:
        table = Table(box=None, pad_edge=False)
        table.add_column("type")
        table.add_column("found", justify="right")
        for type, count in tally.by_type().most_common():
            table.add_row(type, f"{count:,}")
        console.print(table)
    tagged = sum(count for (_, remark), count in tally.remarks.items() if remark == "tagged")
    if tagged:
        console.print(
            f"{quantity(tagged, 'identifier')} that could not be replaced otherwise became "
            f"{'a tag' if tagged == 1 else 'tags'}: see the audit.",
            highlight=False,
        )
    never = sum(count for (_, remark), count in tally.remarks.items() if remark == NEVER)
    if never:
        console.print(
            f"{quantity(never, 'finding')} left as the site file's never entries say: see the audit.",
            highlight=False,
        )
    console.print(in_one_line(audit), highlight=False, soft_wrap=True)


def in_one_line(audit: Audit) -> str:
    """How many notes, what became of their identifiers, how much of them was read, and how fast."""
    tally = audit.tally
    findings = sum(tally.findings.values())
    unchanged = sum(count for (_, remark), count in tally.remarks.items() if remark == KEPT)
    if not tally.written:
        return f"No note was written; {tally.failed:,} failed."
    failed = f", {tally.failed:,} failed and not written" if tally.failed else ""
    what = (
        f"found, {findings - unchanged:,} replaced and {unchanged:,} kept"
        if unchanged
        else "replaced"
    )
    whose = f" of {quantity(audit.patients, 'patient')}" if audit.patients else ""
    read = ""
    if tally.characters:
        share = tally.seen / tally.characters
        read = f", {share:.0%} of {quantity(tally.characters, 'character')} read"
    rate = tally.notes / audit.seconds if audit.seconds else 0.0
    values = f"{quantity(tally.values, 'value')} of columns" if tally.values else ""
    if values and not tally.notes:
        return (
            f"{values}{whose} de-identified{failed}: {quantity(findings, 'identifier')} {what}, "
            f"{audit.seconds:.1f} s."
        )
    columns = f" and {values}" if values else ""
    return (
        f"{quantity(tally.notes, 'note')}{columns}{whose} de-identified{failed}: "
        f"{quantity(findings, 'identifier')} {what}{read}, {audit.seconds:.1f} s ({rate:,.1f} notes/s)."
    )


def patients_missing(audit: Audit) -> str | None:
    """What to heed where a patient was to be named and some notes have none."""
    settings, tally = audit.settings, audit.tally
    missing = tally.notes - tally.notes_with_patient
    if not (missing and settings.uses_surrogates and settings.names_patients):
        return None
    return (
        f"notes whose patient the option does not tell: {missing:,} of {tally.notes:,}; each is its "
        "own patient, with other surrogates and another shift of dates"
    )
