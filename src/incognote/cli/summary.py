"""What a run says at its end, on standard error."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rich.console import Console
from rich.table import Table

from incognote.workflows.run.audit import Audit
from incognote.workflows.run.tally import Failure

MOST_FAILURES = 20


def show_failures(
    console: Console, failures: Sequence[Failure], name: Callable[[int], str]
) -> None:
    """A line for each note that was not written; the audit has them all."""
    for failure in failures[:MOST_FAILURES]:
        place = f", {failure.place}" if failure.place else ""
        console.print(
            f"incognote: {name(failure.input)}{place}: {failure.reason}",
            style="red",
            markup=False,
            highlight=False,
            soft_wrap=True,
        )
    if len(failures) > MOST_FAILURES:
        console.print(f"incognote: and {len(failures) - MOST_FAILURES:,} more, all in the audit")


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
            f"{tagged:,} identifiers have no surrogate and became tags: see the audit.",
            highlight=False,
        )
    rate = tally.notes / audit.seconds if audit.seconds else 0.0
    coverage = tally.seen / tally.characters if tally.characters else 1.0
    failed = f", {tally.failed:,} failed and not written" if tally.failed else ""
    console.print(
        f"{tally.notes:,} notes de-identified{failed}: {sum(tally.findings.values()):,} identifiers "
        f"replaced, {coverage:.0%} of {tally.characters:,} characters read, "
        f"{audit.seconds:.1f} s ({rate:,.1f} notes/s).",
        highlight=False,
        soft_wrap=True,
    )
