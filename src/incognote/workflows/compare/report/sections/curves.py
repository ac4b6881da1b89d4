"""Learning curves: loss and validation F1 after each epoch of each cell."""

from __future__ import annotations

from collections.abc import Iterator

from incognote.workflows.compare.report import plots
from incognote.workflows.compare.report.content import Block, Plot, Prose, Section
from incognote.workflows.compare.report.scored import Material
from incognote.workflows.compare.report.table import (
    COUNT,
    LOSS,
    MODEL,
    NUMBER,
    PERCENT,
    TEXT,
    Column,
    Table,
)

COLUMNS = (
    Column("model", MODEL),
    Column("cell", TEXT),
    Column("left out", TEXT),
    Column("epoch", COUNT),
    Column("steps", COUNT),
    Column("loss", LOSS),
    Column("precision %", PERCENT),
    Column("recall %", PERCENT),
    Column("F1 %", PERCENT),
    Column("seconds", NUMBER),
)


def curves(material: Material) -> Section:
    """A panel for each encoder, and all curves as a file."""
    return Section("Learning curves", list(_blocks(material)))


def _blocks(material: Material) -> Iterator[Block]:
    if not any(cell.curve for cell in material.comparison.cells):
        yield Prose("No epoch is done yet.")
        return
    best = {each.cell.id for each in material.judged}
    drawn = [
        plots.Curves(
            str(model),
            [(cell.curve, cell.id in best) for cell in material.comparison.of(name) if cell.curve],
        )
        for name, model in material.models.items()
    ]
    drawn = [each for each in drawn if each.cells]
    if material.draws and drawn:
        more = f"; the first {plots.MOST} encoders" if len(drawn) > plots.MOST else ""
        yield Plot(
            "learning-curves",
            f"Training loss and strict F1 on validation after each epoch, chosen cells bold{more}",
            "A panel for each encoder with a line for each cell; the CSV file has every point.",
            plots.learning_curves(drawn[: plots.MOST]),
        )
    rows = [
        (
            material.models[cell.encoder],
            cell.id,
            cell.fold or "",
            int(row["epoch"]),
            int(row["steps"]),
            row["loss"],
            row.get("precision"),
            row.get("recall"),
            row.get("f1"),
            row.get("seconds"),
        )
        for cell in material.comparison.cells
        for row in cell.curve
    ]
    title = "Every epoch of every cell"
    yield Table("learning-curves", title, COLUMNS, rows, listed=False)
