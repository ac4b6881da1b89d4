"""Learning curves: loss and validation F1 after each epoch of each cell."""

from __future__ import annotations

from collections.abc import Iterator

from incognote.workshop.compare.report import plots
from incognote.workshop.compare.report.content import Block, Plot, Prose
from incognote.workshop.compare.report.scored import Material
from incognote.workshop.compare.report.table import (
    COUNT,
    LOSS,
    MODEL,
    NUMBER,
    PERCENT,
    TEXT,
    Table,
)


def curves(material: Material) -> Iterator[Block]:
    """A panel for each encoder, and all curves as a file."""
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
    models = material.models
    yield Table.of(
        "learning-curves",
        "Every epoch of every cell",
        [(cell, row) for cell in material.comparison.cells for row in cell.curve],
        (
            ("model", MODEL, lambda at: models[at[0].encoder]),
            ("cell", TEXT, lambda at: at[0].id),
            ("left out", TEXT, lambda at: at[0].fold or ""),
            ("epoch", COUNT, lambda at: int(at[1]["epoch"])),
            ("steps", COUNT, lambda at: int(at[1]["steps"])),
            ("loss", LOSS, lambda at: at[1]["loss"]),
            ("precision %", PERCENT, lambda at: at[1].get("precision")),
            ("recall %", PERCENT, lambda at: at[1].get("recall")),
            ("F1 %", PERCENT, lambda at: at[1].get("f1")),
            ("seconds", NUMBER, lambda at: at[1].get("seconds")),
        ),
        listed=False,
    )
