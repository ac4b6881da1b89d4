"""Where the best path of labels surely passes, told without walking it.

Most of a note is far from any identifier, and there the scores alone decide: whatever comes before
and after, no path gains as much by another label as it loses by leaving this one. Such places are
found all at once; only what lies between them is walked step by step. The path is the same, and
probabilities are to within what a millionth can do.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from incognote.align.units import Integers

if TYPE_CHECKING:
    from incognote.align.decode import Scores, Transitions

Bounds = npt.NDArray[np.float64]

MARGIN = 1e-4
"""By how much a label must win to be on the best path: far above what rounding can do."""

FAR = 14.0
"""By how much it must win to be as good as the only one: each other has less than a millionth."""


@dataclass(frozen=True, eq=False)
class Certainty:
    """What the transitions can at most add to another label than `label`, which any may precede.

    `before` and `after` [labels] bound what comes before, and what comes after by labels that
    `label` leads to as well. There are others (an I), and whoever goes on to one may stay there for
    long: each pair (from, to) gains `entering` by that, and each further step gains `staying`.
    `tos` are places in `others`.
    """

    label: int
    before: Bounds
    after: Bounds
    others: Integers
    froms: Integers
    tos: Integers
    entering: Bounds
    staying: Bounds

    @classmethod
    def of(cls, transitions: Transitions, label: int) -> Certainty | None:
        """For one label; None if some may not come before it, or if the others lead anywhere but
        to themselves.
        """
        between, end = transitions.between, transitions.end
        if not np.isfinite(between[:, label]).all():
            return None
        reached = np.isfinite(between[label])
        others = np.flatnonzero(~reached)
        within = np.isfinite(between[np.ix_(others, others)])
        if (within != np.eye(len(others), dtype=bool)).any():
            return None
        after = (between[:, reached] - between[label, reached]).max(axis=1)
        froms, tos = np.nonzero(np.isfinite(between) & ~reached)
        return cls(
            label,
            (between - between[:, label : label + 1]).max(axis=0),
            np.maximum(after, end - end[label]),
            others,
            froms,
            np.searchsorted(others, tos),
            between[froms, tos] - between[label, label],
            between[others, others] - between[label, label],
        )

    def gains(self, scores: Scores) -> Bounds:
        """What a path gains at most, at each place, by passing it by another label than `label`.

        Below 0, the best path surely passes by `label`; the first and last place are never told.
        """
        most = np.full(len(scores), np.inf)
        if len(scores) < 3:
            return most
        values: Bounds = scores.astype(np.float64)
        values = values - values[:, self.label : self.label + 1]
        here = values[1:-1] + self.before
        here[:, self.label] = -np.inf
        other = (here + self.after).max(axis=1)
        if len(self.froms):
            pairs = here[:, self.froms] + self.entering + self._going_on(values)[2:, self.tos]
            other = np.maximum(other, pairs.max(axis=1))
        most[1:-1] = other
        return most

    def _going_on(self, values: Bounds) -> Bounds:
        """The most that is gained from a place on, there by `others` and staying as long as it pays.

        values: [places, labels], what each label scores above `label`.
        """
        steps = values[:, self.others]
        gained = np.cumsum(steps + self.staying, axis=0)  # up to and with each place
        best = np.maximum.accumulate(gained[::-1], axis=0)[::-1]
        most: Bounds = best - gained + steps + self.after[self.others]
        return most
