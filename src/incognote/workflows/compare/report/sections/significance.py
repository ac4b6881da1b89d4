"""Whether the models differ on the test part, or only seem to."""

from __future__ import annotations

from incognote.evaluate import Difference, Figure
from incognote.workflows.compare.report.content import Prose, Section
from incognote.workflows.compare.report.pairs import FIGURES, TENFOLD, Pair, all_pairs
from incognote.workflows.compare.report.scored import Material
from incognote.workflows.compare.report.table import (
    DIFFERENCE,
    ESTIMATE,
    MODEL,
    P_VALUE,
    TEXT,
    Column,
    Table,
    is_sure,
)


def significance(material: Material) -> Section:
    """A matrix of the differences in strict F1, and all pairs with all figures."""
    pairs = all_pairs(material)
    if not pairs:
        return Section(
            "Significance", [Prose("It takes two models with figures on the test part.")]
        )
    how = material.resampling
    prose = Prose(
        f"Both models of a pair are resampled with the same notes ({how.resamples * TENFOLD:,} "
        f"times). Number of pairs: {len(pairs)}. The intervals hold together at {how.level:.0%} "
        "(Bonferroni), and p-values, by random exchange note by note, are corrected by Holm's "
        "method, both within each figure. * marks a difference whose interval leaves out 0."
    )
    return Section("Significance", [prose, _matrix(material, pairs), _list(pairs)])


def _matrix(material: Material, pairs: list[Pair]) -> Table:
    judged = material.with_part("test")
    name = FIGURES[0][0]
    cells: dict[tuple[str, str], Figure] = {}
    for pair in pairs:
        found = pair.differences[name]
        cells[pair.first.model.name, pair.second.model.name] = _figure(found)
        cells[pair.second.model.name, pair.first.model.name] = _turned(_figure(found))
    rows = [
        (row.model, *(cells.get((row.model.name, column.model.name)) for column in judged))
        for row in judged
    ]
    heads = (
        Column("model", MODEL),
        *(Column(f"minus {each.model}", DIFFERENCE) for each in judged),
    )
    title = "Difference in strict F1 on the test part, row minus column, in points"
    return Table("significance-matrix", title, heads, rows)


def _list(pairs: list[Pair]) -> Table:
    rows = []
    for name, *_ in FIGURES:
        for pair in pairs:
            found = pair.differences[name]
            figure = _figure(found)
            rows.append(
                (
                    pair.first.model,
                    pair.second.model,
                    name,
                    Figure(found.second),
                    Figure(found.first),
                    figure,
                    pair.p[name],
                    "yes" if is_sure(figure) else "not shown",
                )
            )
    heads = (
        Column("model", MODEL),
        Column("against", MODEL),
        Column("figure", TEXT),
        Column("model's %", ESTIMATE),
        Column("the other's %", ESTIMATE),
        Column("difference, points", DIFFERENCE),
        Column("p, corrected", P_VALUE),
        Column("they differ", TEXT),
    )
    return Table("significance", "All pairs on the test part", heads, rows)


def _figure(difference: Difference) -> Figure:
    return Figure(difference.difference, difference.low, difference.high)


def _turned(figure: Figure) -> Figure:
    def minus(value: float | None) -> float | None:
        return None if value is None else 0.0 - value

    return Figure(minus(figure.value), minus(figure.high), minus(figure.low))
