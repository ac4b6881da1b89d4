"""Table 5: how well the chosen cells do on each part."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from incognote.evaluate import Figure
from incognote.evaluate.counts import Path
from incognote.workshop.compare.report import plots
from incognote.workshop.compare.report.content import Block, Plot, Prose
from incognote.workshop.compare.report.scored import (
    ACCURACY,
    COVERED,
    LEAKED,
    OVER_REDACTION,
    PARTS,
    STRICT,
    WORDS,
    Material,
)
from incognote.workshop.compare.report.table import ESTIMATE, MODEL, PERCENT, TEXT, Column, Table

AGREEMENT: Sequence[tuple[str, Path]] = (
    ("strict P %", (*STRICT, "precision")),
    ("strict R %", (*STRICT, "recall")),
    ("strict F1 %", (*STRICT, "f1")),
    ("words P %", (*WORDS, "precision")),
    ("words R %", (*WORDS, "recall")),
    ("words F1 %", (*WORDS, "f1")),
    ("words accuracy %", ACCURACY),
)
WORD_FIGURES: Sequence[Path] = [path for _, path in AGREEMENT[3:]]
RELEASE: Sequence[tuple[str, Path]] = (
    ("covered recall %", COVERED),
    ("leaked notes %", LEAKED),
    ("over-redaction %", OVER_REDACTION),
)


def scores(material: Material) -> Iterator[Block]:
    """Agreement with the annotators, then what matters for a release."""
    how = material.resampling
    yield Prose(
        "Strict: a span is right when its type, start and end are. Words: as the 2022 study "
        "counts, one type for each word; accuracy is over all words, those outside of spans "
        f"among them. In brackets the {how.level:.0%} interval by bootstrap over notes "
        f"({how.resamples:,} resamples)."
    )
    yield _performance(material)
    title = "Table 5, with intervals, and the strict figures of entities"
    yield _table(material, "scores", title, AGREEMENT)
    yield Prose(
        "Covered: every letter and digit of a gold span is hidden, whatever the type. A leaked "
        "note has a span that is not. Over-redaction: what was hidden of the text outside of "
        "gold. Of the last two, less is better."
    )
    yield _table(material, "release", "Table 5, continued: the figures of a release", RELEASE)
    drawn = material.drawn()
    if material.draws and drawn:
        yield Plot(
            "scores",
            f"Test figures with their intervals{material.left_out()}",
            "A panel for each figure, a dot with its interval for each model; as in table 5.",
            plots.dots(
                [
                    (
                        label.removesuffix(" %"),
                        {str(j.model): j.figure("test", *path) for j in drawn},
                    )
                    for label, path in (AGREEMENT[2], AGREEMENT[5], RELEASE[0])
                ]
            ),
        )


def _performance(material: Material) -> Table:
    """In the study's form: a row for each model, and its word figures on each part."""
    columns = [
        (f"{part} {name} %", part, path)
        for part in PARTS
        for name, path in zip(("precision", "recall", "F1", "accuracy"), WORD_FIGURES, strict=True)
    ]
    rows = [
        (each.model, *(_value(each.figure(part, *path)) for _, part, path in columns))
        for each in material.judged
    ]
    heads = (Column("model", MODEL), *(Column(head, PERCENT) for head, *_ in columns))
    title = (
        "Table 5: precision, recall, F1 and accuracy over words of the best cell of each encoder, "
        "the best on validation first"
    )
    return Table("performance", title, heads, rows)


def _value(figure: Figure | None) -> float | None:
    return None if figure is None else figure.value


def _table(material: Material, name: str, title: str, columns: Sequence[tuple[str, Path]]) -> Table:
    rows = [
        (each.model, part, *(each.figure(part, *path) for _, path in columns))
        for part in PARTS
        for each in material.judged
        if part in each.reports
    ]
    heads = (
        Column("model", MODEL),
        Column("part", TEXT),
        *(Column(head, ESTIMATE) for head, _ in columns),
    )
    return Table(name, title, heads, rows)
