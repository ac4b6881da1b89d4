"""Where the best path of labels surely passes, told without walking it.

Most of a note is far from any identifier, and there the scores alone decide: whatever comes before
and after, no path gains as much by another label as it loses by leaving this one. Such places are
found all at once; only what lies between them is walked step by step. The path is the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from incognote.align.units import Flags, Integers

if TYPE_CHECKING:
    from incognote.align.decode import Scores, Transitions

MARGIN = 1e-4
"""By how much a label must win to be certain: far above what rounding can do."""


@dataclass(frozen=True, eq=False)
class Certainty:
    """What the transitions can at most add to another label than `label`, which any may precede.

    gains: [labels], over all that may come before, and after where `label` may lead there too.
    Where it may not (an I), the path is held against one that enters at another label instead (its
    B). There each pair of labels (from, to) has a rival for `to`, and a gain.
    """

    label: int
    gains: npt.NDArray[np.float64]
    froms: Integers
    tos: Integers
    rivals: Integers
    pair_gains: npt.NDArray[np.float64]

    @classmethod
    def of(cls, transitions: Transitions, label: int) -> Certainty | None:
        """For one label; None if some label may not come before it."""
        between = transitions.between
        if not np.isfinite(between[:, label]).all():
            return None
        before = _at_most(between - between[:, label : label + 1], axis=0)
        reached = np.isfinite(between[label])
        after = _at_most(between[:, reached] - between[label, reached], axis=1)
        froms, tos = np.nonzero(np.isfinite(between) & ~reached)
        rivals, costs = _rivals(transitions, np.flatnonzero(~reached), np.flatnonzero(reached))
        rival, cost = rivals[tos], costs[tos]
        return cls(
            label,
            before + after,
            froms,
            tos,
            rival,
            before[froms] + between[froms, tos] - between[label, rival] + cost,
        )

    def places(self, scores: Scores) -> Flags:
        """Which places the best path surely passes by `label`; the first and last are never told."""
        sure = np.zeros(len(scores), bool)
        if len(scores) < 3:
            return sure
        values = scores.astype(np.float64)
        here, following = values[1:-1], values[2:]
        own = here[:, self.label]
        gains = self.gains.copy()
        gains[self.label] = -np.inf
        other = (here + gains).max(axis=1)
        if len(self.froms):
            entering = following[:, self.tos] - following[:, self.rivals]
            pairs = here[:, self.froms] + entering + self.pair_gains
            other = np.maximum(other, pairs.max(axis=1))
        sure[1:-1] = own - other > MARGIN
        return sure


def _rivals(
    transitions: Transitions, closed: Integers, reached: Integers
) -> tuple[Integers, npt.NDArray[np.float64]]:
    """For each closed label the open one that is the best to stand in for it, and at what cost."""
    size = len(transitions.start)
    rivals, costs = np.zeros(size, np.int64), np.full(size, np.inf)
    for label in closed.tolist():
        leads = np.isfinite(transitions.between[label])
        follow = transitions.between[label, leads] - transitions.between[reached][:, leads]
        cost = np.maximum(follow.max(axis=1), transitions.end[label] - transitions.end[reached])
        best = int(cost.argmin())
        rivals[label], costs[label] = reached[best], cost[best]
    return rivals, costs


def _at_most(differences: npt.NDArray[Any], axis: int) -> npt.NDArray[np.float64]:
    highest: npt.NDArray[np.float64] = differences.max(axis=axis)
    return highest
