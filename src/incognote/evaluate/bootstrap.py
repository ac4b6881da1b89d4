"""How far a figure could have moved had other notes been annotated.

Notes are drawn with replacement, because the words and spans of one note are not independent. A
resample is a row of counts per note, so all resamples of all figures are one product of matrices.
The interval is that of percentiles; resamples in which a figure is undefined are left out of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from incognote.evaluate.counts import Column, Figures

_CELLS = 2_000_000
"""How many note counts are held at a time."""


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


def resamples(notes: int, how: Resampling) -> Iterator[Column]:
    """How often each note is drawn, some resamples at a time: shape (resamples, notes)."""
    generator = np.random.default_rng(how.seed)
    for rows in batches(notes, how.resamples):
        drawn = generator.integers(0, notes, size=(rows, notes))
        flat = (drawn + notes * np.arange(rows)[:, None]).ravel()
        yield np.bincount(flat, minlength=rows * notes).reshape(rows, notes).astype(np.float64)


def batches(notes: int, total: int) -> Iterator[int]:
    """Rows at a time, so that memory stays flat whatever the number of notes."""
    most = max(1, _CELLS // max(1, notes))
    for done in range(0, total, most):
        yield min(most, total - done)


def resampled(figures: Figures, how: Resampling) -> Column:
    """The figures on each resample: shape (resamples, figures)."""
    notes = len(figures.matrix)
    if not notes:
        return np.full((0, len(figures.paths)), np.nan)
    draws = [figures.values(weights @ figures.matrix) for weights in resamples(notes, how)]
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
