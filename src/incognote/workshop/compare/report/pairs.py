"""Every model against every other on the same notes, with an eye on how many pairs there are.

Notes are drawn once for both sides of a pair. With m pairs the interval of each is at the level
1 - 0.05/m (Bonferroni), so that all of them hold together at 95 %; p-values are Holm's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from incognote.evaluate.counts import Path
from incognote.evaluate.resampling import Difference, Resampling, differences
from incognote.workshop.compare.report.scored import (
    COVERED,
    STRICT,
    WORDS,
    Judged,
    Material,
    measures,
    predicted,
)

FIGURES: tuple[tuple[str, Path, Path], ...] = (
    ("strict F1", STRICT, (*STRICT, "f1")),
    ("words F1", WORDS, (*WORDS, "f1")),
    ("covered recall", COVERED, COVERED),
)
"""What is compared: its name, its measure, and the figure of that."""
TENFOLD = 10
"""The ends of a wider interval are rarer among the resamples, so there are more of them."""


@dataclass(frozen=True)
class Pair:
    """`first` minus `second` in each figure; p-values by figure, corrected for all pairs."""

    first: Judged
    second: Judged
    differences: dict[str, Difference]
    p: dict[str, float | None]


def all_pairs(material: Material) -> list[Pair]:
    """All pairs of models that were tested."""
    judged = material.with_part("test")
    couples = list(combinations(judged, 2))
    if not couples:
        return []
    how = corrected(material.resampling, len(couples))
    notes, wanted = material.parts.test, [measure for _, measure, _ in FIGURES]
    measured = {
        each.model.name: measures(notes, predicted(each.cell, "test"), wanted) for each in judged
    }
    found = []
    for first, second in couples:
        both = differences(measured[second.model.name], measured[first.model.name], len(notes), how)
        found.append({name: both[figure] for name, _, figure in FIGURES})
    adjusted = {name: holm([each[name].p for each in found]) for name, *_ in FIGURES}
    return [
        Pair(first, second, each, {name: adjusted[name][place] for name in each})
        for place, ((first, second), each) in enumerate(zip(couples, found, strict=True))
    ]


def corrected(how: Resampling, pairs: int) -> Resampling:
    """The resampling of each of several pairs."""
    return Resampling(how.resamples * TENFOLD, how.seed, 1 - (1 - how.level) / pairs)


def holm(values: Sequence[float | None]) -> list[float | None]:
    """Holm's correction; what is undefined stays so and does not count."""
    known = sorted((p, place) for place, p in enumerate(values) if p is not None)
    adjusted: list[float | None] = [None] * len(values)
    highest = 0.0
    for rank, (p, place) in enumerate(known):
        highest = max(highest, min(1.0, (len(known) - rank) * p))
        adjusted[place] = highest
    return adjusted
