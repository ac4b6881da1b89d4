"""Figures of a task over the seeds of one setting: the mean, and Student's interval around it.

It says where the mean of many seeds lies, on these very examples. That of other examples is another
interval, which each cell's own figures have.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from statistics import fmean, stdev

from incognote.evaluate import Figure
from incognote.workshop.compare.results import VALIDATION, CellResult, Part, json_or_empty

_REACH_BELOW_0 = ("matthews", "pearson", "spearman")
_QUANTILES = (
    *(12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469, 2.3646, 2.3060, 2.2622, 2.2281),
    *(2.2010, 2.1788, 2.1604, 2.1448, 2.1314, 2.1199, 2.1098, 2.1009, 2.0930, 2.0860),
    *(2.0796, 2.0739, 2.0687, 2.0639, 2.0595, 2.0555, 2.0518, 2.0484, 2.0452, 2.0423),
)
"""Student's t at 97.5 % for 1 to 30 degrees of freedom; for more, that of 30 is a little wide."""


def cell_figures(cell: CellResult, part: Part) -> dict[str, Figure]:
    """A cell's figures on validation or test, each with its interval over examples."""
    report = json_or_empty(cell.folder / (VALIDATION if part == "validation" else f"{part}.json"))
    intervals = report.get("intervals", {})
    return {
        name: Figure(value, *(intervals.get(name) or (None, None)))
        for name, value in report.get("figures", {}).items()
    }


def figures_over_seeds(cells: Sequence[CellResult], part: Part) -> dict[str, Figure]:
    """The figures of cells that differ by their seed: of those that all have, mean and interval."""
    each = [cell_figures(cell, part) for cell in cells]
    names = [name for name in (each[0] if each else {}) if all(name in own for own in each)]
    return {
        name: mean_over_seeds(
            [own[name].value or 0.0 for own in each], least=-1.0 if name in _REACH_BELOW_0 else 0.0
        )
        for name in names
    }


def mean_over_seeds(values: Sequence[float], *, least: float = 0.0) -> Figure:
    """The mean; with two values or more its interval, which ends where the figure does."""
    mean = fmean(values)
    if len(values) < 2:
        return Figure(mean)
    quantile = _QUANTILES[min(len(values) - 1, len(_QUANTILES)) - 1]
    half = quantile * stdev(values) / sqrt(len(values))
    return Figure(mean, max(least, mean - half), min(1.0, mean + half))
