"""Whether one prediction is better than another on the same notes.

Both are resampled with the same notes, which gives the interval of their difference. The p-value is
by approximate randomisation: were the two equally good, exchanging them note by note at random
would often make a difference as large as the one seen. It is two-sided, and counts
the arrangement seen among the arrangements, so that it is never 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from incognote.document import Document
from incognote.evaluate.blocks import BLOCKS, block_measures
from incognote.evaluate.bootstrap import Resampling, batches, intervals, resampled
from incognote.evaluate.counts import Agreement, Column, Figures, Measure, Path, Share
from incognote.evaluate.pairing import Marks, pair

_SLACK = 1e-12
"""Differences this close are the same: sums in another order differ in the last digit."""


@dataclass(frozen=True)
class Difference:
    """One figure of two predictions; `difference` is second minus first. None where undefined."""

    first: float | None
    second: float | None
    difference: float | None
    low: float | None
    high: float | None
    p: float | None


def compare(
    gold: Iterable[Document],
    first: Iterable[Document | Marks],
    second: Iterable[Document | Marks],
    *,
    blocks: Iterable[str] = BLOCKS,
    resampling: Resampling | None = None,
) -> dict[Path, Difference]:
    """Every figure of two predictions for the same gold, with its difference and p-value."""
    notes, names = list(gold), list(blocks)
    sides = [block_measures(pair(notes, predicted).pairs, names) for predicted in (first, second)]
    return differences(sides[0], sides[1], len(notes), resampling or Resampling())


def differences(
    first: Mapping[Path, Measure], second: Mapping[Path, Measure], notes: int, how: Resampling
) -> dict[Path, Difference]:
    """The same of measures made before, so that many pairs need each of them once.

    Both must be of the same notes in the same order.
    """
    mine, other = (Figures(side, notes) for side in _same_leaves(first, second, notes))
    seen = [figures.values(figures.matrix.sum(axis=0)) for figures in (mine, other)]
    difference = seen[1] - seen[0]
    low, high = intervals(resampled(other, how) - resampled(mine, how), how.level)
    rows = [*seen, difference, low, high, _p_values(mine, other, difference, how)]
    return {
        path: Difference(*(None if np.isnan(value) else float(value) for value in row))
        for path, row in zip(mine.paths, np.stack(rows, axis=1), strict=True)
    }


def _same_leaves(
    first: Mapping[Path, Measure], second: Mapping[Path, Measure], notes: int
) -> list[dict[Path, Measure]]:
    """What one side lacks (a type, a detector) is all zeros there."""
    every = {**first, **second}
    return [
        {path: side.get(path) or _nothing(like, notes) for path, like in every.items()}
        for side in (first, second)
    ]


def _nothing(like: Measure, notes: int) -> Measure:
    none = np.zeros(notes)
    if isinstance(like, Share):
        return Share(none, none, like.empty)
    return Agreement.matched(none, none, none, like.empty)


def _p_values(mine: Figures, other: Figures, seen: Column, how: Resampling) -> Column:
    """The share of random exchanges that differ at least as much as `seen`."""
    if not how.resamples:
        return np.full_like(seen, np.nan)
    generator = np.random.default_rng((how.seed, len(mine.matrix)))
    change = other.matrix - mine.matrix
    sums, other_sums = mine.matrix.sum(axis=0), other.matrix.sum(axis=0)
    as_large, defined = np.zeros_like(seen), np.zeros_like(seen)
    for rows in batches(len(change), how.resamples):
        exchanged = generator.integers(0, 2, size=(rows, len(change))).astype(np.float64)
        moved = exchanged @ change
        differences = np.abs(other.values(other_sums - moved) - mine.values(sums + moved))
        as_large += (differences >= np.abs(seen) - _SLACK).sum(axis=0)
        defined += (~np.isnan(differences)).sum(axis=0)
    return np.where(np.isnan(seen), np.nan, (1 + as_large) / (1 + defined))
