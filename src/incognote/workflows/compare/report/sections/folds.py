"""What an unseen site costs: each source left out of training in turn."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from incognote.document import Document
from incognote.evaluate import Difference, Figure, Marks
from incognote.evaluate.blocks import block_measures
from incognote.evaluate.comparison import differences
from incognote.evaluate.counts import Measure, Path
from incognote.evaluate.pairing import pair
from incognote.evaluate.report import figures_of
from incognote.workflows.compare.report import plots
from incognote.workflows.compare.report.content import Block, Plot, Prose, Section
from incognote.workflows.compare.report.scored import COVERED, STRICT, Judged, Material, predicted
from incognote.workflows.compare.report.table import (
    COUNT,
    DIFFERENCE,
    ESTIMATE,
    MODEL,
    TEXT,
    Column,
    Model,
    Table,
)
from incognote.workflows.compare.results import CellResult, chosen
from incognote.workflows.run.inputs import RunError

_BLOCKS = ("release", "meddocan")
_F1 = (*STRICT, "f1")


@dataclass(frozen=True)
class Drop:
    """A model on the test notes of one source: trained on its like, and without."""

    model: Model
    source: str
    notes: int
    seen: Figure
    unseen: Figure
    drop: Figure
    seen_covered: Figure
    unseen_covered: Figure
    covered_drop: Figure


def folds(material: Material) -> Section:
    """A row for each model and source whose cells are done."""
    return Section("Unseen sources", list(_blocks(material)))


def _blocks(material: Material) -> Iterator[Block]:
    yield Prose(
        "Each source was left out of training and validation in turn, and the cell chosen anew "
        "on the validation notes of the others. Seen and unseen are of the same notes, those of "
        "the source in the test part: by the model of all sources, and by the one that never met "
        "this source. The drop is seen minus unseen, resampled in pairs."
    )
    drops = list(_drops(material))
    wanted = len(material.folds) * len(material.comparison.encoders)
    if len(drops) < wanted:
        yield Prose(f"{len(drops)} of {wanted} rows so far: the other cells are not done.")
    if not drops:
        return
    if material.draws:
        yield Plot(
            "unseen-sources",
            "Strict F1 on each source: seen in training (filled) and not (hollow)",
            "A panel for each model, a row for each source; as in the table below.",
            plots.drops(
                [
                    (str(model), [(d.source, d.seen, d.unseen) for d in drops if d.model == model])
                    for model in dict.fromkeys(drop.model for drop in drops)
                ][: plots.MOST]
            ),
        )
    yield _table(drops)


def _drops(material: Material) -> Iterator[Drop]:
    for each in material.with_part("test"):
        for source in material.folds:
            cell = chosen(material.comparison, source).get(each.model.name)
            if cell is not None and cell.predictions("test").is_file():
                yield _drop(material, each, cell, source)


def _drop(material: Material, each: Judged, cell: CellResult, source: str) -> Drop:
    """Of the source's notes, those of the test part: the model of all sources learned the rest."""
    without = {note.id: note for note in predicted(cell, "test")}
    gold: list[Document] = [note for note in material.parts.test if note.id in without]
    if not gold:
        raise RunError(f"{cell.predictions('test')}: has no note of the test part")
    seen = {note.id: note for note in predicted(each.cell, "test")}
    sides = [_measures(gold, side) for side in (seen, without)]
    how = material.resampling
    with_it, without_it = (figures_of(side, len(gold), how) for side in sides)
    both = differences(sides[1], sides[0], len(gold), how)
    return Drop(
        model=each.model,
        source=source,
        notes=len(gold),
        seen=with_it[_F1],
        unseen=without_it[_F1],
        drop=_figure(both[_F1]),
        seen_covered=with_it[COVERED],
        unseen_covered=without_it[COVERED],
        covered_drop=_figure(both[COVERED]),
    )


def _measures(gold: list[Document], found: Mapping[str, Document | Marks]) -> dict[Path, Measure]:
    paired = pair(gold, [found[note.id] for note in gold])
    every = block_measures(paired.pairs, _BLOCKS)
    return {path: measure for path, measure in every.items() if path in (STRICT, COVERED)}


def _figure(difference: Difference) -> Figure:
    return Figure(difference.difference, difference.low, difference.high)


def _table(drops: list[Drop]) -> Table:
    heads = (
        Column("model", MODEL),
        Column("source", TEXT),
        Column("notes", COUNT),
        Column("strict F1 %, seen", ESTIMATE),
        Column("strict F1 %, unseen", ESTIMATE),
        Column("drop, points", DIFFERENCE),
        Column("covered recall %, seen", ESTIMATE),
        Column("covered recall %, unseen", ESTIMATE),
        Column("drop of recall, points", DIFFERENCE),
    )
    rows = [
        (
            drop.model,
            drop.source,
            drop.notes,
            drop.seen,
            drop.unseen,
            drop.drop,
            drop.seen_covered,
            drop.unseen_covered,
            drop.covered_drop,
        )
        for drop in drops
    ]
    return Table("unseen-sources", "Leave one source out", heads, rows)
