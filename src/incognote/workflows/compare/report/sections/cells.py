"""All cells, the best first, with those that failed or are missing."""

from __future__ import annotations

from typing import Any

from incognote.workflows.compare.report.content import Section
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
    best = {
        cell.id for fold in (None, *comparison.folds) for cell in chosen(comparison, fold).values()
    }
    left_out = (Column("left out", TEXT),) if comparison.folds else ()
    heads = (
        Column("model", MODEL),
        Column("cell", TEXT),
        *left_out,
        *(Column(option, TEXT) for option in varied),
        Column("validation P %", PERCENT),
        Column("R %", PERCENT),
        Column("F1 %", PERCENT),
        Column("epoch taken", COUNT),
        Column("epochs", COUNT),
        Column("minutes", NUMBER),
        Column("state", TEXT),
    )
    rows = [
        (
            material.models[cell.encoder],
            cell.id,
            *((cell.fold or "",) if comparison.folds else ()),
            *(option_text(cell.options.get(option)) for option in varied),
            *_outcome(cell),
            _state(cell, chosen=cell.id in best),
        )
        for cell in sorted(comparison.cells, key=_rank)
    ]
    title = "All cells by their strict F1 on validation"
    return Section("All cells", [Table("cells", title, heads, rows)])


def _rank(cell: CellResult) -> tuple[int, float]:
    return _ORDER.index(cell.state), -(cell.f1 or 0.0)


def _outcome(cell: CellResult) -> tuple[Any, ...]:
    figures, seconds = cell.validation, cell.training.get("speed", {}).get("seconds")
    return (
        figures.get("precision"),
        figures.get("recall"),
        figures.get("f1"),
        cell.training.get("epoch"),
        len(cell.curve),
        None if seconds is None else seconds / 60,
    )


def _state(cell: CellResult, *, chosen: bool) -> str:
    if cell.state == "failed":
        return f"failed: {cell.reason}"
    if cell.state == "unfinished":
        return "not done" if not cell.curve else "begun, not done"
    return "chosen" if chosen else "done"
