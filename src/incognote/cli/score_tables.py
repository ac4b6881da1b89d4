"""The figures of `score` as tables: for a release first, then as others define them."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from typing import TypeAlias

from rich.console import Console
from rich.table import Table

from incognote.base.messages import quantity
from incognote.corpus.scoring import Scores, System
from incognote.evaluate import Difference, Figure, Report
from incognote.evaluate.counts import Path
from incognote.evaluate.report import RELEASE, percent

PIPED_WIDTH = 200
"""Wide enough that no table is cut when the output goes to a file."""

Rows: TypeAlias = Sequence[tuple[str, Path]]

SUBSETS = (
    ("all", "all types"),
    ("hipaa_as_coded", "HIPAA as coded"),
    ("hipaa_as_documented", "HIPAA as documented (IDNUM too)"),
)
EQUALITIES = ("strict", "relaxed", "binary", "token", "binary_token")
STUDY: Rows = (("all types", ("study", "overall")), ("binary", ("study", "binary")))
MEDDOCAN: Rows = (
    ("NER, strict", ("meddocan", "ner")),
    ("sensitive spans, strict", ("meddocan", "spans")),
    ("sensitive spans, merged", ("meddocan", "merged")),
)


def show_scores(scores: Scores) -> None:
    """Print all tables to standard output."""
    console = Console(
        width=None if sys.stdout.isatty() else PIPED_WIDTH, highlight=False, markup=False
    )
    for table in (*_head(scores), *_tables(scores.systems), *_comparisons(scores)):
        console.print(table)
        console.print()


def _head(scores: Scores) -> Iterable[str]:
    first = scores.systems[0].report
    how = first.resampling
    predictions = ", ".join(f"{s.report.predicted_spans:,} in {s.name}" for s in scores.systems)
    intervals = (
        f" Intervals: {how.level:.0%}, {how.resamples:,} resamples of the notes."
        if how.resamples
        else ""
    )
    yield (
        f"{quantity(first.notes, 'note')}, {quantity(first.gold_spans, 'gold span')}, predicted {predictions}. "
        f"All figures in per cent.{intervals}"
    )


def _tables(systems: Sequence[System]) -> Iterable[Table]:
    figures = systems[0].report.figures
    if len(systems) == 1:
        yield _count_table("Release", RELEASE, systems[0].report)
        yield _release_by_type(systems[0].report)
        yield from _detectors(systems)
    else:
        yield _side_by_side("Release", RELEASE, systems)
        yield _side_by_side(
            "Covered recall by type", _types(systems, "release", "covered_recall_by_type"), systems
        )
        yield from _detectors(systems)
    for subset, name in SUBSETS:
        yield _agreements(f"i2b2 2014 track 1, {name}", _i2b2(subset), systems)
    by_type = [(name, path[:-1]) for name, path in _types(systems, "study", "by_type")]
    yield _agreements("The 2022 study, words", (*STUDY, *by_type), systems)
    yield _plain("The 2022 study, all words", (("accuracy", ("study", "accuracy")),), systems)
    if ("meddocan", "leak") in figures:
        yield _agreements("MEDDOCAN", MEDDOCAN, systems)
        leak = (("missed spans per sentence × 100", ("meddocan", "leak")),)
        yield _plain("MEDDOCAN, leak", leak, systems)


def _i2b2(subset: str) -> Rows:
    return [
        (f"{equality.replace('_', ' ')}, {mean}", ("i2b2", subset, equality, mean))
        for equality in EQUALITIES
        for mean in ("micro", "macro")
    ]


def _types(systems: Sequence[System], *above: str) -> Rows:
    """The types below a path, by how often they are annotated; of a group, its F1."""
    counts: dict[Path, float] = {}
    for system in systems:
        for rest, figure in system.report.under(*above).items():
            path = (*above, rest[0], "f1") if len(rest) > 1 else (*above, rest[0])
            if rest[1:] in ((), ("recall",)):
                counts[path] = max(counts.get(path, 0.0), figure.whole or 0.0)
    order = sorted(counts, key=lambda path: (-counts[path], path))
    return [(path[len(above)], path) for path in order]


def _count_table(title: str, rows: Rows, report: Report) -> Table:
    table = _table(title, "", "%", "interval", "count")
    for name, path in rows:
        figure = report.figures[path]
        count = "" if figure.whole is None else f"{figure.part:,.0f} of {figure.whole:,.0f}"
        table.add_row(name, percent(figure.value), _interval(figure), count)
    return table


def _release_by_type(report: Report) -> Table:
    table = _table(
        "Release by type", "type", "gold", "covered recall", "interval", "overlap P", "R", "F1"
    )
    nothing = Figure(None)
    overlap = _types_of(report)
    for name in overlap:
        covered = report.figures.get(("release", "covered_recall_by_type", name), nothing)
        group = ("release", "overlap_by_type", name)
        agreement = [report.figures[*group, part] for part in ("precision", "recall", "f1")]
        table.add_row(
            name,
            f"{agreement[1].whole:,.0f}",
            percent(covered.value),
            _interval(covered),
            *(percent(figure.value) for figure in agreement),
        )
    return table


def _types_of(report: Report) -> list[str]:
    figures = report.under("release", "overlap_by_type")
    counts = {
        path[0]: figure.whole or 0.0 for path, figure in figures.items() if path[1] == "recall"
    }
    return sorted(counts, key=lambda name: (-counts[name], name))


def _detectors(systems: Sequence[System]) -> Iterable[Table]:
    """By detector, where a system names more than one."""
    for system in systems:
        below = system.report.under("release", "by_detector")
        names = sorted(
            {path[0] for path in below},
            key=lambda name: (-(below[name, "alone"].value or 0), name),
        )
        if len(names) < 2:
            continue
        whose = "" if len(systems) == 1 else f": {system.name}"
        heads = ("spans", "precision", "covers alone", "only it covers", "over-redaction")
        table = _table(f"By detector{whose}", "detector", *heads)
        for name in names:
            parts = [below[name, part] for part in ("precision", "alone", "only", "over_redaction")]
            values = (percent(figure.value) for figure in parts)
            table.add_row(name, f"{parts[0].whole:,.0f}", *values)
        yield table


def _agreements(title: str, rows: Rows, systems: Sequence[System]) -> Table:
    """Precision, recall and F1 of one system; of several, the F1 of each."""
    if len(systems) > 1:
        return _side_by_side(
            f"{title}: F1", [(name, (*path, "f1")) for name, path in rows], systems
        )
    table = _table(title, "", "P", "R", "F1", "interval of F1")
    for name, path in rows:
        parts = [systems[0].report.figures[*path, part] for part in ("precision", "recall", "f1")]
        table.add_row(name, *(percent(figure.value) for figure in parts), _interval(parts[2]))
    return table


def _plain(title: str, rows: Rows, systems: Sequence[System]) -> Table:
    if len(systems) > 1:
        return _side_by_side(title, rows, systems)
    return _count_table(title, rows, systems[0].report)


def _side_by_side(title: str, rows: Rows, systems: Sequence[System]) -> Table:
    table = _table(title, "", *(head for system in systems for head in (system.name, "interval")))
    nothing = Figure(None)
    for name, path in rows:
        figures = [system.report.figures.get(path, nothing) for system in systems]
        table.add_row(name, *(cell for f in figures for cell in (percent(f.value), _interval(f))))
    return table


COMPARED: Rows = (
    *RELEASE,
    ("i2b2 strict micro F1", ("i2b2", "all", "strict", "micro", "f1")),
    ("i2b2 HIPAA token micro F1", ("i2b2", "hipaa_as_coded", "token", "micro", "f1")),
    ("study F1", ("study", "overall", "f1")),
    ("study binary F1", ("study", "binary", "f1")),
    ("MEDDOCAN NER F1", ("meddocan", "ner", "f1")),
)


def _comparisons(scores: Scores) -> Iterable[Table]:
    """Each further system against the first."""
    first = scores.systems[0].name
    for system, differences in zip(scores.systems[1:], scores.differences, strict=True):
        table = _table(f"{system.name} against {first}, paired", "", "difference", "interval", "p")
        for name, path in COMPARED:
            if path in differences:
                table.add_row(name, *_difference(differences[path]))
        yield table


def _difference(difference: Difference) -> tuple[str, str, str]:
    signed = "–" if difference.difference is None else f"{100 * difference.difference:+.2f}"
    p = "" if difference.p is None else f"{difference.p:.4f}"
    if difference.low is None or difference.high is None:
        return signed, "", p
    return signed, f"{100 * difference.low:+.2f} to {100 * difference.high:+.2f}", p


def _table(title: str, first: str, *rest: str) -> Table:
    table = Table(title=title, title_justify="left", title_style="bold", box=None, pad_edge=False)
    table.add_column(first, no_wrap=True)
    for head in rest:
        table.add_column(head, justify="right")
    return table


def _interval(figure: Figure) -> str:
    return "" if figure.low is None else f"{percent(figure.low)}–{percent(figure.high)}"
