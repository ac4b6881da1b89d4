"""All cells, the best first, with those that failed or are missing."""

from __future__ import annotations

from typing import Any

from incognote.workflows.compare.report.content import Block, Points, Prose, Section
from incognote.workflows.compare.report.scored import Material
from incognote.workflows.compare.report.sections.grid import option_text, varied_options
from incognote.workflows.compare.report.table import (
    COUNT,
    MODEL,
    NUMBER,
    PERCENT,
    TEXT,
    Column,
    Table,
)
from incognote.workflows.compare.results import CellResult, chosen

_ORDER = ("done", "failed", "unfinished")


def cells(material: Material) -> Section:
    """One row for each cell that was planned."""
    comparison = material.comparison
    varied = varied_options(comparison)
    folds = [None, *material.folds]
    best = {cell.id for fold in folds for cell in chosen(comparison, fold).values()}
    heads = (
        Column("model", MODEL),
        Column("state", TEXT),
        Column("F1 %", PERCENT),
        Column("P %", PERCENT),
        Column("R %", PERCENT),
        *((Column("left out", TEXT),) if material.folds else ()),
        *(Column(option, TEXT) for option in varied),
        Column("epoch taken", COUNT),
        Column("epochs run", COUNT),
        Column("minutes", NUMBER),
        Column("cell", TEXT),
    )
    rows = [
        (
            material.models[cell.encoder],
            _state(cell, chosen=cell.id in best),
            *(cell.validation.get(name) for name in ("f1", "precision", "recall")),
            *((cell.fold or "",) if material.folds else ()),
            *(option_text(cell.options.get(option)) for option in varied),
            *_run(cell),
            cell.id,
        )
        for cell in sorted(comparison.cells, key=lambda cell: (folds.index(cell.fold), _rank(cell)))
    ]
    title = "All cells by their strict F1 on the validation part"
    blocks: list[Block] = [Table("cells", title, heads, rows)]
    if failed := [f"{cell.id}: {cell.reason}" for cell in comparison.cells if cell.reason]:
        blocks += [Prose("Why cells failed:"), Points(failed)]
    return Section("All cells", blocks)


def _rank(cell: CellResult) -> tuple[int, float]:
    return _ORDER.index(cell.state), -(cell.f1 or 0.0)


def _run(cell: CellResult) -> tuple[Any, ...]:
    seconds = cell.training.get("speed", {}).get("seconds")
    return (
        cell.training.get("epoch"),
        len(cell.curve),
        None if seconds is None else seconds / 60,
    )


def _state(cell: CellResult, *, chosen: bool) -> str:
    if cell.state == "unfinished":
        return "begun, not done" if cell.curve else "not done"
    return "chosen" if chosen else cell.state
