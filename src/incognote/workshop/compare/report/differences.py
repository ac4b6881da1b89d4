"""Whether the models differ on the test part or only seem to, and what an unseen source costs.

Every model is compared with every other on the same notes, with an eye on how many pairs there are:
notes are drawn once for both sides of a pair. With m pairs the interval of each is at the level
1 - 0.05/m (Bonferroni), so that all of them hold together at 95 %; p-values are Holm's.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from incognote.base.errors import RunError
from incognote.document import Document
from incognote.evaluate import Difference, Figure, Resampling
from incognote.evaluate.counts import Path
from incognote.evaluate.report import figures_of
from incognote.evaluate.resampling import differences
from incognote.workshop.compare.report import plots
from incognote.workshop.compare.report.content import (
    COUNT,
    DIFFERENCE,
    ESTIMATE,
    MODEL,
    P_VALUE,
    TEXT,
    Block,
    Column,
    Model,
    Plot,
    Prose,
    Table,
    is_sure,
)
from incognote.workshop.compare.report.material import (
    COVERED,
    STRICT,
    WORDS,
    BestCell,
    NotesMaterial,
    measures_at,
    predictions,
)
from incognote.workshop.compare.results import CellResult, best_cells

FIGURES: tuple[tuple[str, Path, Path], ...] = (
    ("strict F1", STRICT, (*STRICT, "f1")),
    ("words F1", WORDS, (*WORDS, "f1")),
    ("covered recall", COVERED, COVERED),
)
"""What is compared: its name, its measure, and the figure of that."""
TENFOLD = 10
"""The ends of a wider interval are rarer among the resamples, so there are more of them."""
_F1 = (*STRICT, "f1")


def significance(material: NotesMaterial) -> Iterator[Block]:
    """A matrix of the differences in strict F1, and all pairs with all figures."""
    pairs = all_pairs(material)
    if not pairs:
        yield Prose("It takes two models with figures on the test part.")
        return
    resampling = material.resampling
    yield Prose(
        f"Both models of a pair are resampled with the same notes ({resampling.resamples * TENFOLD:,} "
        f"times). Number of pairs: {len(pairs)}. The intervals hold together at "
        f"{resampling.level:.0%} "
        "(Bonferroni), and p-values, by random exchange note by note, are corrected by Holm's "
        "method, both within each figure. * marks a difference whose interval leaves out 0."
    )
    yield _matrix(material, pairs)
    yield _pair_table(pairs)


def _matrix(material: NotesMaterial, pairs: list[ModelPair]) -> Table:
    best = material.with_part("test")
    name = FIGURES[0][0]
    cells: dict[tuple[str, str], Figure] = {}
    for pair in pairs:
        difference = _figure(pair.differences[name])
        cells[pair.first.model.name, pair.second.model.name] = difference
        cells[pair.second.model.name, pair.first.model.name] = _negative(difference)
    rows = [
        (row.model, *(cells.get((row.model.name, column.model.name)) for column in best))
        for row in best
    ]
    heads = (
        Column("model", MODEL),
        *(Column(f"minus {each.model}", DIFFERENCE) for each in best),
    )
    title = "Difference in strict F1 on the test part, row minus column, in points"
    return Table("significance-matrix", title, heads, rows)


def _pair_table(pairs: list[ModelPair]) -> Table:
    def difference(row: tuple[str, ModelPair]) -> Difference:
        name, pair = row
        return pair.differences[name]

    return Table.of(
        "significance",
        "All pairs on the test part",
        [(name, pair) for name, *_ in FIGURES for pair in pairs],
        (
            ("model", MODEL, lambda row: row[1].first.model),
            ("against", MODEL, lambda row: row[1].second.model),
            ("figure", TEXT, lambda row: row[0]),
            ("model's %", ESTIMATE, lambda row: Figure(difference(row).second)),
            ("the other's %", ESTIMATE, lambda row: Figure(difference(row).first)),
            ("difference, points", DIFFERENCE, lambda row: _figure(difference(row))),
            ("p, corrected", P_VALUE, lambda row: row[1].p[row[0]]),
            (
                "they differ",
                TEXT,
                lambda row: "yes" if is_sure(_figure(difference(row))) else "not shown",
            ),
        ),
    )


def _negative(figure: Figure) -> Figure:
    def minus(value: float | None) -> float | None:
        return None if value is None else 0.0 - value

    return Figure(minus(figure.value), minus(figure.high), minus(figure.low))


@dataclass(frozen=True)
class ModelPair:
    """`first` minus `second` in each figure; p-values by figure, corrected for all pairs."""

    first: BestCell
    second: BestCell
    differences: dict[str, Difference]
    p: dict[str, float | None]


def all_pairs(material: NotesMaterial) -> list[ModelPair]:
    """Every model against every other, on the test part."""
    best = material.with_part("test")
    couples = list(combinations(best, 2))
    if not couples:
        return []
    resampling = corrected_resampling(material.resampling, len(couples))
    notes, paths = material.parts.test, [path for _, path, _ in FIGURES]
    measures = {
        each.model.name: measures_at(notes, predictions(each.cell, "test"), paths) for each in best
    }
    of_couples = []
    for first, second in couples:
        sides = measures[second.model.name], measures[first.model.name]
        every = differences(*sides, len(notes), resampling)
        of_couples.append({name: every[figure] for name, _, figure in FIGURES})
    adjusted = {name: holm([each[name].p for each in of_couples]) for name, *_ in FIGURES}
    return [
        ModelPair(first, second, each, {name: adjusted[name][place] for name in each})
        for place, ((first, second), each) in enumerate(zip(couples, of_couples, strict=True))
    ]


def corrected_resampling(resampling: Resampling, pairs: int) -> Resampling:
    """The resampling of each of several pairs."""
    level = 1 - (1 - resampling.level) / pairs
    return Resampling(resampling.resamples * TENFOLD, resampling.seed, level)


def holm(values: Sequence[float | None]) -> list[float | None]:
    """Holm's correction; what is undefined stays so and does not count."""
    known = sorted((p, place) for place, p in enumerate(values) if p is not None)
    adjusted: list[float | None] = [None] * len(values)
    highest = 0.0
    for rank, (p, place) in enumerate(known):
        highest = max(highest, min(1.0, (len(known) - rank) * p))
        adjusted[place] = highest
    return adjusted


@dataclass(frozen=True)
class Drop:
    """A model on the test notes of one source: trained on its like, and without."""

    model: Model
    source: str
    notes: int
    seen: Mapping[Path, Figure]
    unseen: Mapping[Path, Figure]
    drop: Mapping[Path, Difference]


def unseen_sources(material: NotesMaterial) -> Iterator[Block]:
    """A row for each model and source whose cells are done."""
    if not material.folds:
        return
    yield Prose(
        "Each source was left out of training and validation in turn, and the cell chosen anew "
        "on the validation notes of the others. Seen and unseen are of the same notes, those of "
        "the source in the test part: by the model of all sources, and by the one that never met "
        "this source. The drop is seen minus unseen, resampled in pairs."
    )
    drops = list(_drops(material))
    planned = len(material.folds) * len(material.comparison.encoders)
    if len(drops) < planned:
        yield Prose(f"{len(drops)} of {planned} rows so far: the other cells are not done.")
    if not drops:
        return
    if material.has_plots:
        yield Plot(
            "unseen-sources",
            "Strict F1 on each source: seen in training (filled) and not (hollow)",
            "A panel for each model, a row for each source; as in the table below.",
            plots.drops(
                [
                    (
                        str(model),
                        [(d.source, d.seen[_F1], d.unseen[_F1]) for d in drops if d.model == model],
                    )
                    for model in dict.fromkeys(drop.model for drop in drops)
                ][: plots.MOST]
            ),
        )
    yield _drop_table(drops)


def _drops(material: NotesMaterial) -> Iterator[Drop]:
    for each in material.with_part("test"):
        for source in material.folds:
            cell = best_cells(material.comparison, source).get(each.model.name)
            if cell is not None and cell.predictions("test").is_file():
                yield _drop(material, each, cell, source)


def _drop(material: NotesMaterial, each: BestCell, cell: CellResult, source: str) -> Drop:
    """Of the source's notes, those of the test part: the model of all sources learned the rest."""
    without = {note.id: note for note in predictions(cell, "test")}
    gold: list[Document] = [note for note in material.parts.test if note.id in without]
    if not gold:
        raise RunError(f"{cell.predictions('test')}: has no note of the test part")
    seen = {note.id: note for note in predictions(each.cell, "test")}
    sides = [
        measures_at(gold, [side[note.id] for note in gold], (STRICT, COVERED))
        for side in (seen, without)
    ]
    resampling = material.resampling
    with_it, without_it = (figures_of(side, len(gold), resampling) for side in sides)
    drop = differences(sides[1], sides[0], len(gold), resampling)
    return Drop(each.model, source, len(gold), with_it, without_it, drop)


def _drop_table(drops: list[Drop]) -> Table:
    return Table.of(
        "unseen-sources",
        "Leave one source out",
        drops,
        (
            ("model", MODEL, lambda drop: drop.model),
            ("source", TEXT, lambda drop: drop.source),
            ("notes", COUNT, lambda drop: drop.notes),
            ("strict F1 %, seen", ESTIMATE, lambda drop: drop.seen[_F1]),
            ("strict F1 %, unseen", ESTIMATE, lambda drop: drop.unseen[_F1]),
            ("drop, points", DIFFERENCE, lambda drop: _figure(drop.drop[_F1])),
            ("covered recall %, seen", ESTIMATE, lambda drop: drop.seen[COVERED]),
            ("covered recall %, unseen", ESTIMATE, lambda drop: drop.unseen[COVERED]),
            ("drop of recall, points", DIFFERENCE, lambda drop: _figure(drop.drop[COVERED])),
        ),
    )


def _figure(difference: Difference) -> Figure:
    """A difference with its interval, as tables show it."""
    return Figure(difference.difference, difference.low, difference.high)
