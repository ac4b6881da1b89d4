"""How far a figure could have moved had other notes been annotated, and whether two differ.

Notes are drawn with replacement, because the words and spans of one note are not independent. A
resample is a row of counts per note, so all resamples of all figures are one product of matrices.
The interval is that of percentiles; resamples in which a figure is undefined are left out of it.

Two predictions are resampled with the same notes, which gives the interval of their difference. The
p-value is by approximate randomisation: were the two equally good, exchanging them note by note at
random would often make a difference as large as the one seen. It is two-sided, and counts the
arrangement seen among the arrangements, so that it is never 0.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from incognote.evaluate.counts import (
    Agreement,
    Column,
    Figures,
    Measure,
    Path,
    Share,
    defined_or_none,
)

_CELLS = 2_000_000
"""How many note counts are held at a time."""

_SLACK = 1e-12
"""Differences this close are the same: sums in another order differ in the last digit."""


@dataclass(frozen=True)
class Resampling:
    """How the uncertainty of figures is measured. No resamples: no intervals."""

    resamples: int = 1000
    seed: int = 2014
    level: float = 0.95

    def __post_init__(self) -> None:
        if self.resamples < 0:
            raise ValueError("the number of resamples cannot be negative")
        if not 0 < self.level < 1:
            raise ValueError("the level of an interval lies between 0 and 1")


def draw_resamples(notes: int, resampling: Resampling) -> Iterator[Column]:
    """How often each note is drawn, some resamples at a time: shape (resamples, notes)."""
    generator = np.random.default_rng(resampling.seed)
    for rows in batches(notes, resampling.resamples):
        draws = generator.integers(0, notes, size=(rows, notes))
        flat = (draws + notes * np.arange(rows)[:, None]).ravel()
        yield np.bincount(flat, minlength=rows * notes).reshape(rows, notes).astype(np.float64)


def batches(notes: int, total: int) -> Iterator[int]:
    """Rows at a time, so that memory stays flat whatever the number of notes."""
    most = max(1, _CELLS // max(1, notes))
    for done in range(0, total, most):
        yield min(most, total - done)


def resample_figures(figures: Figures, resampling: Resampling) -> Column:
    """The figures on each resample: shape (resamples, figures)."""
    notes = len(figures.matrix)
    if not notes:
        return np.full((0, len(figures.paths)), np.nan)
    draws = [
        figures.values(weights @ figures.matrix) for weights in draw_resamples(notes, resampling)
    ]
    return np.concatenate(draws) if draws else np.full((0, len(figures.paths)), np.nan)


def intervals(draws: Column, level: float) -> Column:
    """The percentile interval of each column: shape (2, columns), NaN where never defined."""
    if not len(draws):
        return np.full((2, draws.shape[1]), np.nan)
    ordered = np.sort(draws, axis=0)
    defined = np.count_nonzero(~np.isnan(draws), axis=0)
    return np.stack(
        [_quantile(ordered, defined, share) for share in ((1 - level) / 2, (1 + level) / 2)]
    )


def _quantile(ordered: Column, defined: Column, share: float) -> Column:
    """Linear between neighbours; undefined values are sorted last and not reached."""
    position = np.maximum(defined - 1, 0) * share
    below = np.floor(position).astype(np.int64)
    above = np.minimum(below + 1, np.maximum(defined - 1, 0))
    columns = np.arange(ordered.shape[1])
    low, high = ordered[below, columns], ordered[above, columns]
    return np.asarray(low + (high - low) * (position - below), np.float64)


@dataclass(frozen=True)
class Difference:
    """One figure of two predictions; `difference` is second minus first. None where undefined."""

    first: float | None
    second: float | None
    difference: float | None
    low: float | None
    high: float | None
    p: float | None


def differences(
    first: Mapping[Path, Measure],
    second: Mapping[Path, Measure],
    notes: int,
    resampling: Resampling,
) -> dict[Path, Difference]:
    """Every figure of two predictions, from their measures of the same notes in the same order."""
    mine, other = (Figures(side, notes) for side in _same_leaves(first, second, notes))
    values = [figures.values(figures.matrix.sum(axis=0)) for figures in (mine, other)]
    difference = values[1] - values[0]
    low, high = intervals(
        resample_figures(other, resampling) - resample_figures(mine, resampling), resampling.level
    )
    rows = [*values, difference, low, high, _p_values(mine, other, difference, resampling)]
    return {
        path: Difference(*map(defined_or_none, row))
        for path, row in zip(mine.paths, np.stack(rows, axis=1), strict=True)
    }


def _same_leaves(
    first: Mapping[Path, Measure], second: Mapping[Path, Measure], notes: int
) -> list[dict[Path, Measure]]:
    """What one side lacks (a type, a detector) is all zeros there."""
    every = {**first, **second}
    return [
        {path: side.get(path) or _zeros(like, notes) for path, like in every.items()}
        for side in (first, second)
    ]


def _zeros(like: Measure, notes: int) -> Measure:
    zeros = np.zeros(notes)
    if isinstance(like, Share):
        return Share(zeros, zeros, like.empty)
    return Agreement.matched(zeros, zeros, zeros, like.empty)


def _p_values(mine: Figures, other: Figures, difference: Column, resampling: Resampling) -> Column:
    """The share of random exchanges that differ at least as much as `difference`."""
    if not resampling.resamples:
        return np.full_like(difference, np.nan)
    generator = np.random.default_rng((resampling.seed, len(mine.matrix)))
    change = other.matrix - mine.matrix
    sums, other_sums = mine.matrix.sum(axis=0), other.matrix.sum(axis=0)
    as_large, defined = np.zeros_like(difference), np.zeros_like(difference)
    for rows in batches(len(change), resampling.resamples):
        exchanges = generator.integers(0, 2, size=(rows, len(change))).astype(np.float64)
        change_of_sums = exchanges @ change
        at_random = np.abs(
            other.values(other_sums - change_of_sums) - mine.values(sums + change_of_sums)
        )
        as_large += (at_random >= np.abs(difference) - _SLACK).sum(axis=0)
        defined += (~np.isnan(at_random)).sum(axis=0)
    return np.where(np.isnan(difference), np.nan, (1 + as_large) / (1 + defined))
