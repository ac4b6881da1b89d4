"""What a run says at its end, on standard error."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rich.console import Console
from rich.table import Table

from incognote.base.messages import quantity
from incognote.replace.operators import KEPT
from incognote.runs.audit import Audit, Failure

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
            f"{quantity(tagged, 'identifier')} without a surrogate became "
            f"{'a tag' if tagged == 1 else 'tags'}: see the audit.",
            highlight=False,
        )
    console.print(in_one_line(audit), highlight=False, soft_wrap=True)


def in_one_line(audit: Audit) -> str:
    """How many notes, what became of their identifiers, how much of them was read, and how fast."""
    tally = audit.tally
    found = sum(tally.findings.values())
    kept = sum(count for (_, remark), count in tally.remarks.items() if remark == KEPT)
    if not tally.notes:
        return f"No note was written; {tally.failed:,} failed."
    failed = f", {tally.failed:,} failed and not written" if tally.failed else ""
    what = f"found, {found - kept:,} replaced and {kept:,} kept" if kept else "replaced"
    whose = f" of {quantity(audit.patients, 'patient')}" if audit.patients else ""
    read = ""
    if tally.characters:
        share = tally.seen / tally.characters
        read = f", {share:.0%} of {quantity(tally.characters, 'character')} read"
    rate = tally.notes / audit.seconds if audit.seconds else 0.0
    return (
        f"{quantity(tally.notes, 'note')}{whose} de-identified{failed}: "
        f"{quantity(found, 'identifier')} {what}{read}, {audit.seconds:.1f} s ({rate:,.1f} notes/s)."
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
