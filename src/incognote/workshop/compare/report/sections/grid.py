"""Tables 2 and 4: what was tried for each encoder, and what was chosen."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from incognote.workshop.compare.report.content import Block, Prose
from incognote.workshop.compare.report.scored import Material
from incognote.workshop.compare.report.table import (
    COUNT,
    MODEL,
    PERCENT,
    TEXT,
    Column,
    Table,
    Told,
)
from incognote.workshop.compare.results import SELECTED, CellResult, Comparison
from incognote.workshop.finetune.options import Options


def grid(material: Material) -> Iterator[Block]:
    """The grid, the choice, and the options that no cell differs by."""
    comparison = material.comparison
    varied = varied_options(comparison)
    counted = sum(cell.fold is None for cell in comparison.cells)
    yield Prose(
        f"The grid '{comparison.grid}' has {counted} cells. Of each encoder the cell with the "
        f"best {SELECTED[comparison.select]} on the validation part was chosen; the test part had "
        "no say."
    )
    yield _tried(material)
    yield _chosen(material)
    yield from _fixed(comparison, varied)


def varied_options(comparison: Comparison) -> list[str]:
    """The options by which cells differ, within an encoder or between encoders."""
    return [
        name
        for name in Options().to_json()
        if name not in Options.free and len(_values(comparison, name)) > 1
    ]


def batch_size(options: Mapping[str, Any]) -> str:
    """Windows of a step, or pieces where a batch is counted in them."""
    windows, steps = options.get("batch_size"), options.get("accumulate", 1)
    told = f"{options.get('batch_tokens')} tokens" if windows is None else str(windows)
    return told if steps == 1 else f"{steps} x {told}"


STUDIED: Mapping[str, Callable[[Mapping[str, Any]], str]] = {
    "batch size": batch_size,
    "epochs": lambda options: text_of(options.get("epochs")),
    "learning rate": lambda options: text_of(options.get("lr")),
    "weight decay": lambda options: text_of(options.get("weight_decay")),
}
"""The columns of the study's tables 2 and 4, from a cell's options."""
_IN_STUDIED = ("batch_size", "batch_tokens", "accumulate", "epochs", "lr", "weight_decay")


def hyper_parameters(comparison: Comparison) -> dict[str, Callable[[CellResult], str]]:
    """The study's four and all others by which cells differ, each with what a cell has for it."""

    def studied(tell: Callable[[Mapping[str, Any]], str]) -> Callable[[CellResult], str]:
        return lambda cell: tell(cell.options)

    def other(option: str) -> Callable[[CellResult], str]:
        return lambda cell: text_of(cell.options.get(option))

    return {
        **{name: studied(tell) for name, tell in STUDIED.items()},
        **{option: other(option) for option in _others(varied_options(comparison))},
    }


def option_column(option: str) -> Told:
    """What cells had for it."""
    return option, TEXT, lambda cell: text_of(cell.options.get(option))


def text_of(value: Any) -> str:
    """An option's value in few signs."""
    match value:
        case None:
            return "none"
        case bool():
            return "yes" if value else "no"
        case float():
            return f"{value:g}"
    return str(value)


def _values(comparison: Comparison, option: str) -> list[str]:
    return list(dict.fromkeys(text_of(cell.options.get(option)) for cell in comparison.cells))


def _others(varied: Sequence[str]) -> list[str]:
    """Options beyond the study's four."""
    return [option for option in varied if option not in _IN_STUDIED]


def _tried(material: Material) -> Table:
    comparison = material.comparison
    asked = hyper_parameters(comparison)
    rows = []
    for facts in comparison.encoders:
        cells = comparison.of(facts.name)
        values = (", ".join(dict.fromkeys(map(tell, cells))) for tell in asked.values())
        rows.append((material.models[facts.name], *values, len(cells)))
    heads = (
        Column("model", MODEL),
        *(Column(name, TEXT) for name in asked),
        Column("cells", COUNT),
    )
    return Table("grid", "Table 2: hyper-parameters that were tried", heads, rows)


def _chosen(material: Material) -> Table:
    def done(cell: CellResult) -> str:
        cells = material.comparison.of(cell.encoder)
        return f"{sum(each.state == 'done' for each in cells)} of {len(cells)}"

    selected = SELECTED[material.comparison.select]
    return Table.of(
        "chosen",
        "Table 4: hyper-parameters of the best cell of each encoder, the best on validation first",
        [each.cell for each in material.judged],
        (
            ("model", MODEL, lambda cell: material.models[cell.encoder]),
            *((name, TEXT, tell) for name, tell in hyper_parameters(material.comparison).items()),
            ("epoch taken", COUNT, lambda cell: cell.training.get("epoch")),
            (f"validation {selected} %", PERCENT, lambda cell: cell.f1),
            ("cells done", TEXT, done),
        ),
    )


def _fixed(comparison: Comparison, varied: Sequence[str]) -> Iterator[Block]:
    rows = [
        (name, *_values(comparison, name))
        for name in Options().to_json()
        if name not in (*varied, *_IN_STUDIED, *Options.free) and comparison.cells
    ]
    yield Prose(f"Also the same in all cells: {', '.join(' '.join(row) for row in rows)}.")
    heads = (Column("option", TEXT), Column("value", TEXT))
    title = "Other options that are the same in all cells"
    yield Table("fixed-options", title, heads, rows, listed=False)
