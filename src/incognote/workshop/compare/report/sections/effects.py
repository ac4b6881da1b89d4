"""What each hyper-parameter does to the F1 on validation, as a table and a plot."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean

from incognote.evaluate import Figure
from incognote.workshop.compare.report import plots
from incognote.workshop.compare.report.content import Block, Plot, Prose
from incognote.workshop.compare.report.scored import Material
from incognote.workshop.compare.report.sections.grid import hyper_parameters
from incognote.workshop.compare.report.table import (
    COUNT,
    DIFFERENCE,
    MODEL,
    NUMBER,
    PERCENT,
    TEXT,
    Column,
    Model,
    Table,
)
from incognote.workshop.compare.results import SELECTED

Setting = tuple[str, ...]
"""A cell's values, hyper-parameter by hyper-parameter."""


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
    found = list(_effects(material))
    if not found:
        return
    selected = SELECTED[material.comparison.select]
    yield Prose(
        f"The {selected} on validation of all cells that are done, by the value that they have of "
        "each hyper-parameter. The effect compares cells that are alike in everything else: how far "
        "those with this value lie above the mean of all values, in points, on average. It is "
        "of one seed and of these notes, and has no interval."
    )
    names = list(dict.fromkeys(each.name for each in found))
    if material.draws:
        models = list(dict.fromkeys(each.model for each in found))
        shown = [model for model in _by_rank(material) if model in models][: plots.MOST]
        yield Plot(
            "hyper-parameters",
            f"Validation {selected} by hyper-parameter: a dot for each cell, a line for the mean of "
            "cells that are alike in everything else",
            "A panel for each hyper-parameter, a line for each model; as in the table below.",
            plots.effects([_panel(name, found, shown) for name in names]),
        )
    yield _spread(found, names)
    yield Table.of(
        "hyper-parameters",
        f"Effect of each hyper-parameter on the {selected} on validation",
        found,
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


def _by_rank(material: Material) -> list[Model]:
    return [each.model for each in material.judged]


def _effects(material: Material) -> Iterator[Effect]:
    asked = hyper_parameters(material.comparison)
    for model in _by_rank(material):
        cells = material.comparison.of(model.name)
        scored = {
            tuple(tell(cell) for tell in asked.values()): cell.f1
            for cell in cells
            if cell.f1 is not None
        }
        for place, name in enumerate(asked):
            values = _sorted({setting[place] for setting in scored})
            if len(values) < 2:
                continue
            alike = _alike(scored, place, values)
            whole = [f1 for scores in alike.values() for f1 in scores]
            for value in values:
                f1 = [found for setting, found in scored.items() if setting[place] == value]
                own = alike[value]
                change = fmean(own) - fmean(whole) if own else None
                yield Effect(model, name, value, f1, own, change)


def _alike(
    scored: dict[Setting, float], place: int, values: Sequence[str]
) -> dict[str, list[float]]:
    """For each value the F1 in every setting of the others that was tried with all values."""
    alike: dict[str, list[float]] = {value: [] for value in values}
    for rest in dict.fromkeys((*setting[:place], *setting[place + 1 :]) for setting in scored):
        found = [scored.get((*rest[:place], value, *rest[place:])) for value in values]
        known = [f1 for f1 in found if f1 is not None]
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


def _panel(name: str, found: Sequence[Effect], models: Sequence[Model]) -> plots.Panel:
    own = [each for each in found if each.name == name]
    return plots.Panel(
        name,
        _sorted({each.value for each in own}),
        {
            str(model): {each.value: (each.f1, each.alike) for each in own if each.model == model}
            for model in models
        },
    )


def _spread(found: Sequence[Effect], names: Sequence[str]) -> Table:
    """How far apart the best and the worst value of each hyper-parameter are."""
    rows = []
    for model in dict.fromkeys(each.model for each in found):
        row: list[float | None] = []
        for name in names:
            own = [each.change for each in found if (each.model, each.name) == (model, name)]
            known = [100 * change for change in own if change is not None]
            row.append(max(known) - min(known) if known else None)
        rows.append((model, *row))
    heads = (Column("model", MODEL), *(Column(f"{name}, points", NUMBER) for name in names))
    title = "How much a hyper-parameter matters: from its worst value to its best, in points"
    return Table("hyper-parameter-spread", title, heads, rows)
