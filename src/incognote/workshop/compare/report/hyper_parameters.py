"""What was tried for each encoder and chosen (tables 2 and 4), what each hyper-parameter did to the
figure on validation, and all cells.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from incognote.evaluate import Figure
from incognote.workshop.compare.report import plots
from incognote.workshop.compare.report.content import (
    COUNT,
    DIFFERENCE,
    MODEL,
    NUMBER,
    PERCENT,
    TEXT,
    Block,
    Column,
    ColumnSpec,
    Model,
    Plot,
    Points,
    Prose,
    Table,
)
from incognote.workshop.compare.report.material import Material, minutes
from incognote.workshop.compare.results import (
    CellResult,
    Comparison,
    best_cells,
    figure_title,
)
from incognote.workshop.finetune.options import Options

Setting = tuple[str, ...]
"""A cell's values, hyper-parameter by hyper-parameter."""
_ORDER = ("done", "failed", "unfinished")


def grid(material: Material) -> Iterator[Block]:
    """The grid, the choice, and the options that no cell differs by."""
    comparison = material.comparison
    count = sum(cell.fold is None for cell in comparison.cells)
    yield Prose(
        f"The grid '{comparison.grid}' has {count} cells. Of each encoder the cell with the "
        f"best {comparison.chosen_by} on the validation part was chosen; the test part had "
        "no say."
    )
    yield grid_table(material)
    yield _best_table(material)
    yield from fixed_options(comparison)


def _varied_options(comparison: Comparison) -> list[str]:
    """The options by which cells differ, within an encoder or between encoders."""
    return [name for name in _options(comparison) if len(_values(comparison, name)) > 1]


def _options(comparison: Comparison) -> list[str]:
    """All that decide a cell."""
    names = dict.fromkeys(name for cell in comparison.cells for name in cell.options)
    return [name for name in names if name not in Options.free]


def _batch_size(options: Mapping[str, Any]) -> str:
    """Windows of a step, or tokens where a batch is counted in them."""
    windows, steps = options.get("batch_size"), options.get("accumulate", 1)
    size = f"{options.get('batch_tokens')} tokens" if windows is None else str(windows)
    return size if steps == 1 else f"{steps} x {size}"


STUDIED: Mapping[str, Callable[[Mapping[str, Any]], str]] = {
    "batch size": _batch_size,
    "epochs": lambda options: text_of(options.get("epochs")),
    "learning rate": lambda options: text_of(options.get("lr")),
    "weight decay": lambda options: text_of(options.get("weight_decay")),
}
"""The columns of the study's tables 2 and 4, from a cell's options."""
_IN_STUDIED = ("batch_size", "batch_tokens", "accumulate", "epochs", "lr", "weight_decay")


def hyper_parameters(comparison: Comparison) -> dict[str, Callable[[CellResult], str]]:
    """The study's four and all others by which cells differ, each with how to get it of a cell."""

    def studied(value_of: Callable[[Mapping[str, Any]], str]) -> Callable[[CellResult], str]:
        return lambda cell: value_of(cell.options)

    def other(option: str) -> Callable[[CellResult], str]:
        return lambda cell: text_of(cell.options.get(option))

    return {
        **{name: studied(value_of) for name, value_of in STUDIED.items()},
        **{
            option: other(option)
            for option in _varied_options(comparison)
            if option not in _IN_STUDIED
        },
    }


def _option_column(option: str) -> ColumnSpec:
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


def grid_table(material: Material) -> Table:
    """The values of each hyper-parameter that were tried for each encoder."""
    comparison = material.comparison
    parameters = hyper_parameters(comparison)
    rows = []
    for facts in comparison.encoders:
        cells = comparison.of(facts.name)
        values = (
            ", ".join(dict.fromkeys(map(value_of, cells))) for value_of in parameters.values()
        )
        rows.append((material.models[facts.name], *values, len(cells)))
    heads = (
        Column("model", MODEL),
        *(Column(name, TEXT) for name in parameters),
        Column("cells", COUNT),
    )
    title = material.study_title(2, "hyper-parameters that were tried")
    return Table("grid", title, heads, rows)


def _best_table(material: Material) -> Table:
    parameters = hyper_parameters(material.comparison)

    def cells_done(cell: CellResult) -> str:
        cells = material.comparison.of(cell.encoder)
        return f"{sum(each.state == 'done' for each in cells)} of {len(cells)}"

    selected = material.comparison.chosen_by
    return Table.of(
        "chosen",
        "Table 4: hyper-parameters of the best cell of each encoder, the best on validation first",
        [each.cell for each in material.best],
        (
            ("model", MODEL, lambda cell: material.models[cell.encoder]),
            *((name, TEXT, value_of) for name, value_of in parameters.items()),
            ("epoch taken", COUNT, lambda cell: cell.training.get("epoch")),
            (f"validation {selected} %", PERCENT, lambda cell: cell.validation_score),
            ("cells done", TEXT, cells_done),
        ),
    )


def fixed_options(comparison: Comparison) -> Iterator[Block]:
    """The options that no cell differs by."""
    varied = _varied_options(comparison)
    rows = [
        (name, *_values(comparison, name))
        for name in _options(comparison)
        if name not in (*varied, *_IN_STUDIED)
    ]
    yield Prose(f"Also the same in all cells: {', '.join(' '.join(row) for row in rows)}.")
    heads = (Column("option", TEXT), Column("value", TEXT))
    title = "Other options that are the same in all cells"
    yield Table("fixed-options", title, heads, rows, listed=False)


@dataclass(frozen=True)
class Effect:
    """A value of a hyper-parameter: the F1 of the cells that have it.

    alike: of those, the cells whose other settings were tried with all values. change: how far these
    lie above the mean of all values, on average; None if there are none.
    """

    model: Model
    name: str
    value: str
    f1: Sequence[float]
    alike: Sequence[float]
    change: float | None


def effects(material: Material) -> Iterator[Block]:
    """One row for each encoder, hyper-parameter and value, where there is more than one value."""
    every = list(_effects(material))
    if not every:
        return
    selected = material.comparison.chosen_by
    yield Prose(
        f"The {selected} on validation of all cells that are done, by the value that they have of "
        "each hyper-parameter. The effect compares cells that are alike in everything else: how far "
        "those with this value lie above the mean of all values, in points, on average. It is "
        f"{_how_sure(material.comparison)}"
    )
    names = list(dict.fromkeys(each.name for each in every))
    if material.has_plots:
        models = {effect.model for effect in every}
        in_plot = [each.model for each in material.best if each.model in models][: plots.MOST]
        yield Plot(
            "hyper-parameters",
            f"Validation {selected} by hyper-parameter: a dot for each cell, a line for the mean of "
            "cells that are alike in everything else",
            "A panel for each hyper-parameter, a line for each model; as in the table below.",
            plots.effects(
                [_panel(name, every, in_plot) for name in names],
                "F1" if material.comparison.task is None else selected,
            ),
        )
    yield _spread(every, names)
    yield Table.of(
        "hyper-parameters",
        f"Effect of each hyper-parameter on the {selected} on validation",
        every,
        (
            ("model", MODEL, lambda each: each.model),
            ("hyper-parameter", TEXT, lambda each: each.name),
            ("value", TEXT, lambda each: each.value),
            ("cells", COUNT, lambda each: len(each.f1)),
            ("mean %", PERCENT, lambda each: fmean(each.f1)),
            ("lowest %", PERCENT, lambda each: min(each.f1)),
            ("highest %", PERCENT, lambda each: max(each.f1)),
            ("effect, points", DIFFERENCE, lambda each: Figure(each.change)),
        ),
    )


def _how_sure(comparison: Comparison) -> str:
    if comparison.task is None:
        return "of one seed and of these notes, and has no interval."
    seeds = {cell.options["seed"] for cell in comparison.cells}
    if len(seeds) == 1:
        return "of one seed and of these examples, and has no interval."
    return (
        f"of {len(seeds)} seeds and of these examples, and has no interval; that of the seed is chance, "
        "and what others must exceed to mean anything."
    )


def _effects(material: Material) -> Iterator[Effect]:
    parameters = hyper_parameters(material.comparison)
    for model in (each.model for each in material.best):
        f1_of = {
            tuple(value_of(cell) for value_of in parameters.values()): cell.validation_score
            for cell in material.comparison.of(model.name)
            if cell.validation_score is not None
        }
        for place, name in enumerate(parameters):
            values = _sorted({setting[place] for setting in f1_of})
            if len(values) < 2:
                continue
            alike = _alike(f1_of, place, values)
            whole = [f1 for scores in alike.values() for f1 in scores]
            for value in values:
                scores = [f1 for setting, f1 in f1_of.items() if setting[place] == value]
                own = alike[value]
                change = fmean(own) - fmean(whole) if own else None
                yield Effect(model, name, value, scores, own, change)


def _alike(
    f1_of: dict[Setting, float], place: int, values: Sequence[str]
) -> dict[str, list[float]]:
    """For each value the F1 in every setting of the others that was tried with all values."""
    alike: dict[str, list[float]] = {value: [] for value in values}
    for rest in dict.fromkeys((*setting[:place], *setting[place + 1 :]) for setting in f1_of):
        scores = [f1_of.get((*rest[:place], value, *rest[place:])) for value in values]
        known = [f1 for f1 in scores if f1 is not None]
        if len(known) == len(values):
            for value, f1 in zip(values, known, strict=True):
                alike[value].append(f1)
    return alike


def _sorted(values: set[str]) -> list[str]:
    """Numbers in their order, before words in theirs."""

    def key(value: str) -> tuple[bool, float, str]:
        try:
            return False, float(value), value
        except ValueError:
            return True, 0.0, value

    return sorted(values, key=key)


def _panel(name: str, every: Sequence[Effect], models: Sequence[Model]) -> plots.Panel:
    own = [each for each in every if each.name == name]
    return plots.Panel(
        name,
        _sorted({each.value for each in own}),
        {
            str(model): {each.value: (each.f1, each.alike) for each in own if each.model == model}
            for model in models
        },
    )


def _spread(every: Sequence[Effect], names: Sequence[str]) -> Table:
    """How far apart the best and the worst value of each hyper-parameter are."""
    rows = []
    for model in dict.fromkeys(each.model for each in every):
        row: list[float | None] = []
        for name in names:
            own = [each.change for each in every if (each.model, each.name) == (model, name)]
            known = [100 * change for change in own if change is not None]
            row.append(max(known) - min(known) if known else None)
        rows.append((model, *row))
    heads = (Column("model", MODEL), *(Column(f"{name}, points", NUMBER) for name in names))
    title = "How much a hyper-parameter matters: from its worst value to its best, in points"
    return Table("hyper-parameter-spread", title, heads, rows)


def cells(material: Material) -> Iterator[Block]:
    """One row for each cell that was planned."""
    comparison, folds = material.comparison, [None, *material.folds]
    best = {cell.id for fold in folds for cell in best_cells(comparison, fold).values()}
    source_left_out: ColumnSpec = ("left out", TEXT, lambda cell: cell.fold or "")
    columns: list[ColumnSpec] = [
        ("model", MODEL, lambda cell: material.models[cell.encoder]),
        ("state", TEXT, lambda cell: _state(cell, is_best=cell.id in best)),
        *_figure_columns(comparison),
        *([source_left_out] if material.folds else []),
        *map(_option_column, _varied_options(comparison)),
        ("epoch taken", COUNT, lambda cell: cell.training.get("epoch")),
        ("epochs run", COUNT, lambda cell: len(cell.curve)),
        ("minutes", NUMBER, lambda cell: minutes(cell.training.get("speed", {}))),
        ("cell", TEXT, lambda cell: cell.id),
    ]
    rows = sorted(comparison.cells, key=lambda cell: (folds.index(cell.fold), _rank(cell)))
    title = f"All cells by their {comparison.chosen_by} on the validation part"
    yield Table.of("cells", title, rows, columns)
    if failures := [f"{cell.id}: {cell.reason}" for cell in comparison.cells if cell.reason]:
        yield Prose("Why cells failed:")
        yield Points(failures)


def _figure_columns(comparison: Comparison) -> list[ColumnSpec]:
    def column(title: str, name: str) -> ColumnSpec:
        return f"{title} %", PERCENT, lambda cell: cell.validation.get(name)

    if comparison.task is None:
        return [column("F1", "f1"), column("P", "precision"), column("R", "recall")]
    return [column(figure_title(name), name) for name in comparison.figures]


def _rank(cell: CellResult) -> tuple[int, float]:
    return _ORDER.index(cell.state), -(cell.validation_score or 0.0)


def _state(cell: CellResult, *, is_best: bool) -> str:
    if cell.state == "unfinished":
        return "begun, not done" if cell.curve else "not done"
    return "chosen" if is_best else cell.state
