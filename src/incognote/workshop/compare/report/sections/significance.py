"""Whether the models differ on the test part, or only seem to."""

from __future__ import annotations

from collections.abc import Iterator

from incognote.evaluate import Difference, Figure
from incognote.workshop.compare.report.content import Block, Prose
from incognote.workshop.compare.report.pairs import FIGURES, TENFOLD, Pair, all_pairs
from incognote.workshop.compare.report.scored import Material, figure_of
from incognote.workshop.compare.report.table import (
    DIFFERENCE,
    ESTIMATE,
    MODEL,
    P_VALUE,
    TEXT,
    Column,
    Table,
    is_sure,
)


def significance(material: Material) -> Iterator[Block]:
    """A matrix of the differences in strict F1, and all pairs with all figures."""
    pairs = all_pairs(material)
    if not pairs:
        yield Prose("It takes two models with figures on the test part.")
        return
    how = material.resampling
    yield Prose(
        f"Both models of a pair are resampled with the same notes ({how.resamples * TENFOLD:,} "
        f"times). Number of pairs: {len(pairs)}. The intervals hold together at {how.level:.0%} "
        "(Bonferroni), and p-values, by random exchange note by note, are corrected by Holm's "
        "method, both within each figure. * marks a difference whose interval leaves out 0."
    )
    yield _matrix(material, pairs)
    yield _list(pairs)


def _matrix(material: Material, pairs: list[Pair]) -> Table:
    judged = material.with_part("test")
    name = FIGURES[0][0]
    cells: dict[tuple[str, str], Figure] = {}
    for pair in pairs:
        found = figure_of(pair.differences[name])
        cells[pair.first.model.name, pair.second.model.name] = found
        cells[pair.second.model.name, pair.first.model.name] = _turned(found)
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
    def told(at: tuple[str, Pair]) -> Difference:
        return at[1].differences[at[0]]

    return Table.of(
        "significance",
        "All pairs on the test part",
        [(name, pair) for name, *_ in FIGURES for pair in pairs],
        (
            ("model", MODEL, lambda at: at[1].first.model),
            ("against", MODEL, lambda at: at[1].second.model),
            ("figure", TEXT, lambda at: at[0]),
            ("model's %", ESTIMATE, lambda at: Figure(told(at).second)),
            ("the other's %", ESTIMATE, lambda at: Figure(told(at).first)),
            ("difference, points", DIFFERENCE, lambda at: figure_of(told(at))),
            ("p, corrected", P_VALUE, lambda at: at[1].p[at[0]]),
            (
                "they differ",
                TEXT,
                lambda at: "yes" if is_sure(figure_of(told(at))) else "not shown",
            ),
        ),
    )


def _turned(figure: Figure) -> Figure:
    def minus(value: float | None) -> float | None:
        return None if value is None else 0.0 - value

    return Figure(minus(figure.value), minus(figure.high), minus(figure.low))
