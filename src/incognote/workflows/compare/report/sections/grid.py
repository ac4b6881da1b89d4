"""Tables 2 and 4: what was tried for each encoder, and what was chosen."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from incognote.finetune.options import Options
from incognote.workflows.compare.report.content import Block, Prose
from incognote.workflows.compare.report.scored import Material
from incognote.workflows.compare.report.table import (
    COUNT,
    MODEL,
    PERCENT,
    TEXT,
    Column,
    Table,
    Told,
)
from incognote.workflows.compare.results import CellResult, Comparison


def grid(material: Material) -> Iterator[Block]:
    """The grid, the choice, and the options that no cell differs by."""
    comparison = material.comparison
    varied = varied_options(comparison)
    counted = sum(cell.fold is None for cell in comparison.cells)
    yield Prose(
        f"The grid '{comparison.grid}' has {counted} cells. Of each encoder the cell with the "
        "best entity-strict F1 on the validation part was chosen; the test part had no say."
    )
    yield _tried(material, varied)
    yield _chosen(material, varied)
    yield from _fixed(comparison, varied)


def varied_options(comparison: Comparison) -> list[str]:
    """The options by which cells differ, within an encoder or between encoders."""
    return [
        name
        for name in Options().to_json()
        if name not in Options.free and len(_values(comparison, name)) > 1
    ]


def option_column(option: str) -> Told:
    """What cells had for it."""
    return option, TEXT, lambda cell: _text(cell.options.get(option))


def _text(value: Any) -> str:
    """An option's value in few signs."""
    match value:
        case None:
            return "none"
        case bool():
            return "yes" if value else "no"
        case float():
            return f"{value:g}"
    return str(value)


def _values(
    comparison: Comparison, option: str, cells: Sequence[CellResult] | None = None
) -> list[str]:
    cells = comparison.cells if cells is None else cells
    return list(dict.fromkeys(_text(cell.options.get(option)) for cell in cells))


def _tried(material: Material, varied: Sequence[str]) -> Table:
    comparison = material.comparison
    rows = []
    for facts in comparison.encoders:
        cells = comparison.of(facts.name)
        values = (", ".join(_values(comparison, option, cells)) for option in varied)
        rows.append((material.models[facts.name], len(cells), *values))
    heads = (Column("model", MODEL), Column("cells", COUNT), *(Column(o, TEXT) for o in varied))
    return Table("grid", "Table 2: what was tried", heads, rows)


def _chosen(material: Material, varied: Sequence[str]) -> Table:
    def done(cell: CellResult) -> str:
        cells = material.comparison.of(cell.encoder)
        return f"{sum(each.state == 'done' for each in cells)} of {len(cells)}"

    return Table.of(
        "chosen",
        "Table 4: what was chosen",
        [each.cell for each in material.judged],
        (
            ("model", MODEL, lambda cell: material.models[cell.encoder]),
            *map(option_column, varied),
            ("epoch taken", COUNT, lambda cell: cell.training.get("epoch")),
            ("validation F1 %", PERCENT, lambda cell: cell.f1),
            ("cells done", TEXT, done),
        ),
    )


def _fixed(comparison: Comparison, varied: Sequence[str]) -> Iterator[Block]:
    rows = [
        (name, *_values(comparison, name))
        for name in Options().to_json()
        if name not in varied and name not in Options.free and comparison.cells
    ]
    yield Prose(f"The same in all cells: {', '.join(' '.join(row) for row in rows)}.")
    heads = (Column("option", TEXT), Column("value", TEXT))
    title = "Options that are the same in all cells"
    yield Table("fixed-options", title, heads, rows, listed=False)
