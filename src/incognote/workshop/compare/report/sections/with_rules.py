"""Each model together with the rules, as `deid` uses it, beside either of them alone."""

from __future__ import annotations

from collections.abc import Iterator

from incognote.evaluate import Figure, Report
from incognote.evaluate.counts import Path
from incognote.workshop.compare.report.content import Block, Prose
from incognote.workshop.compare.report.scored import (
    COVERED,
    LEAKED,
    OVER_REDACTION,
    STRICT,
    WORDS,
    Material,
)
from incognote.workshop.compare.report.table import ESTIMATE, MODEL, TEXT, Column, Model, Table

FIGURES: tuple[tuple[str, Path], ...] = (
    ("words P %", (*WORDS, "precision")),
    ("words R %", (*WORDS, "recall")),
    ("words F1 %", (*WORDS, "f1")),
    ("PHI or not, words F1 %", ("study", "binary", "f1")),
    ("strict F1 %", (*STRICT, "f1")),
    ("covered recall %", COVERED),
    ("leaked notes %", LEAKED),
    ("over-redaction %", OVER_REDACTION),
)


def with_rules(material: Material) -> Iterator[Block]:
    """Nothing where no rules were wanted."""
    if not any(each.with_rules for each in material.judged):
        return
    yield Prose(
        "The chosen cells on the test part: alone, and together with the rules as incognote deid "
        "uses a model (exported in 32 bits, both detectors). The rules name i2b2's types; where the "
        "notes are marked in another scheme, only the columns that ask for no type are meaningful: "
        "PHI or not, covered recall, leaked notes and over-redaction."
    )
    rows: list[tuple[Model | None, str, Report]] = []
    for each in material.with_part("test"):
        rows.append((each.model, "model", each.reports["test"]))
        if each.with_rules is not None:
            rows.append((each.model, "model and rules", each.with_rules))
    if material.rules is not None:
        rows.append((None, "rules", material.rules))
    heads = (
        Column("model", MODEL),
        Column("found by", TEXT),
        *(Column(name, ESTIMATE) for name, _ in FIGURES),
    )
    title = "Models with rules and without, on the test part"
    yield Table(
        "with-rules",
        title,
        heads,
        [
            (model, by, *(_figure(report, path) for _, path in FIGURES))
            for model, by, report in rows
        ],
    )


def _figure(report: Report, path: Path) -> Figure | None:
    return report.figures.get(path)
