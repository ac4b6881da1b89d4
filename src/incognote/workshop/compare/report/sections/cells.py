"""All cells, the best first, with those that failed or are missing."""

from __future__ import annotations

from collections.abc import Iterator

from incognote.workshop.compare.report.content import Block, Points, Prose
from incognote.workshop.compare.report.scored import Material
from incognote.workshop.compare.report.sections.grid import option_column, varied_options
from incognote.workshop.compare.report.sections.speed import minutes
from incognote.workshop.compare.report.table import (
    COUNT,
    MODEL,
    NUMBER,
    PERCENT,
    TEXT,
    Table,
    Told,
)
from incognote.workshop.compare.results import SELECTED, CellResult, chosen

_ORDER = ("done", "failed", "unfinished")


def cells(material: Material) -> Iterator[Block]:
    """One row for each cell that was planned."""
    comparison, folds = material.comparison, [None, *material.folds]
    best = {cell.id for fold in folds for cell in chosen(comparison, fold).values()}
    left_out: Told = ("left out", TEXT, lambda cell: cell.fold or "")
    columns: list[Told] = [
        ("model", MODEL, lambda cell: material.models[cell.encoder]),
        ("state", TEXT, lambda cell: _state(cell, chosen=cell.id in best)),
        ("F1 %", PERCENT, lambda cell: cell.validation.get("f1")),
        ("P %", PERCENT, lambda cell: cell.validation.get("precision")),
        ("R %", PERCENT, lambda cell: cell.validation.get("recall")),
        *([left_out] if material.folds else []),
        *map(option_column, varied_options(comparison)),
        ("epoch taken", COUNT, lambda cell: cell.training.get("epoch")),
        ("epochs run", COUNT, lambda cell: len(cell.curve)),
        ("minutes", NUMBER, lambda cell: minutes(cell.training.get("speed", {}))),
        ("cell", TEXT, lambda cell: cell.id),
    ]
    ordered = sorted(comparison.cells, key=lambda cell: (folds.index(cell.fold), _rank(cell)))
    title = f"All cells by their {SELECTED[comparison.select]} on the validation part"
    yield Table.of("cells", title, ordered, columns)
    if failed := [f"{cell.id}: {cell.reason}" for cell in comparison.cells if cell.reason]:
        yield Prose("Why cells failed:")
        yield Points(failed)


def _rank(cell: CellResult) -> tuple[int, float]:
    return _ORDER.index(cell.state), -(cell.f1 or 0.0)


def _state(cell: CellResult, *, chosen: bool) -> str:
    if cell.state == "unfinished":
        return "begun, not done" if cell.curve else "not done"
    return "chosen" if chosen else cell.state
