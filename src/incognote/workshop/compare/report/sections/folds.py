"""What an unseen site costs: each source left out of training in turn."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from incognote.base.errors import RunError
from incognote.document import Document
from incognote.evaluate import Difference, Figure
from incognote.evaluate.counts import Path
from incognote.evaluate.report import figures_of
from incognote.evaluate.resampling import differences
from incognote.workshop.compare.report import plots
from incognote.workshop.compare.report.content import Block, Plot, Prose
from incognote.workshop.compare.report.scored import (
    COVERED,
    STRICT,
    Judged,
    Material,
    figure_of,
    measures,
    predicted,
)
from incognote.workshop.compare.report.table import (
    COUNT,
    DIFFERENCE,
    ESTIMATE,
    MODEL,
    TEXT,
    Model,
    Table,
)
from incognote.workshop.compare.results import CellResult, chosen

_F1 = (*STRICT, "f1")


@dataclass(frozen=True)
class Drop:
    """A model on the test notes of one source: trained on its like, and without."""

    model: Model
    source: str
    notes: int
    seen: Mapping[Path, Figure]
    unseen: Mapping[Path, Figure]
    drop: Mapping[Path, Difference]


def folds(material: Material) -> Iterator[Block]:
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
                    (
                        str(model),
                        [(d.source, d.seen[_F1], d.unseen[_F1]) for d in drops if d.model == model],
                    )
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
    sides = [
        measures(gold, [side[note.id] for note in gold], (STRICT, COVERED))
        for side in (seen, without)
    ]
    how = material.resampling
    with_it, without_it = (figures_of(side, len(gold), how) for side in sides)
    drop = differences(sides[1], sides[0], len(gold), how)
    return Drop(each.model, source, len(gold), with_it, without_it, drop)


def _table(drops: list[Drop]) -> Table:
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
            ("drop, points", DIFFERENCE, lambda drop: figure_of(drop.drop[_F1])),
            ("covered recall %, seen", ESTIMATE, lambda drop: drop.seen[COVERED]),
            ("covered recall %, unseen", ESTIMATE, lambda drop: drop.unseen[COVERED]),
            ("drop of recall, points", DIFFERENCE, lambda drop: figure_of(drop.drop[COVERED])),
        ),
    )
