"""Where the best path of labels surely passes, told without walking it.

Most of a note is far from any identifier, and there the scores alone decide: whatever comes before
and after, no path gains as much by another label as it loses by leaving this one. Such places are
found all at once; only what lies between them is walked step by step. The path is the same, and
probabilities are to within what a millionth can do.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from incognote.align.units import Flags, Integers

if TYPE_CHECKING:
    from incognote.align.decode import Scores, Transitions
    from incognote.align.stretches import Counted

Bounds = npt.NDArray[np.float64]

MARGIN = 1e-4
"""By how much a label must win to be on the best path: far above what rounding can do."""

FAR = 14.0
"""By how much it must win to be as good as the only one: each other has less than a millionth."""


class Told(NamedTuple):
    """Where a label is sure, and what a path comes to by being elsewhere up to each place."""

    sure: Flags
    stayed: Bounds


@dataclass(frozen=True, eq=False)
class Certainty:
    """What the transitions can at most add to another label than `label`, which any may precede.

    `around` [labels] bounds it where a path goes on by labels that `label` leads to as well; none
    is below `least`. There are others (an I), and whoever goes on to one may stay there for long:
    each pair (`froms`, `tos`) gains `entering` by that, and each further step gains `staying`.
    """

    label: int
    around: Bounds
    least: float
    froms: Integers
    tos: Integers
    entering: Bounds
    staying: float

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
        before = (between - between[:, label : label + 1]).max(axis=0)
        after = (between[:, reached] - between[label, reached]).max(axis=1)
        after = np.maximum(after, end - end[label])
        around = before + after
        least = around.min()
        around[label] = -np.inf
        froms, tos = np.nonzero(np.isfinite(between) & ~reached)
        entering = before[froms] + between[froms, tos] - between[label, label] + after[tos]
        staying = between[others, others] - between[label, label]
        return cls(label, around, least, froms, tos, entering, staying.max(initial=0.0))

    def sure(self, scores: Scores, margin: float) -> Flags:
        """Where a path loses more than the margin by any other label than `label`.

        There the best path surely passes by `label`; the first and last place are never told.
        """
        return self.told(scores, margin).sure

    def told(self, scores: Scores, margin: float, before: float | None = None) -> Told:
        """The same of a part of a note: `before` is what has come together in front of it.

        Then its first place may be told. What is sure in it is so in the note if nothing that
        follows comes to more than is reached within. Most places are told by their highest scores
        alone, and only the rest is looked at closer.
        """
        flags: Flags = np.zeros(len(scores), bool)
        rivals = self._rivals(scores)
        steps = np.concatenate(([before or 0.0], rivals + self.staying))
        stayed = np.cumsum(steps)[1:]  # up to and with each place
        first = 1 if before is None else 0
        if len(scores) < first + 2:
            return Told(flags, stayed)
        staying = np.maximum.accumulate(stayed[::-1])[::-1] - stayed  # by going on from there
        entering = (rivals + staying)[first + 1 :] + self.entering.max(initial=-np.inf)
        inner = rivals[first:-1]
        flags[first:-1] = inner + np.maximum(self.around.max(), entering) < -margin
        near = np.flatnonzero(~flags[first:-1] & (inner + self.least < -margin)) + first
        flags[near] = self._gains(scores, near, staying) < -margin
        return Told(flags, stayed)

    def _rivals(self, scores: Scores) -> Bounds:
        """By how much the highest other score is above that of `label`, [places]."""
        others = scores.copy()
        others[:, self.label] = -np.inf
        rivals: Bounds = others.max(axis=1) - scores[:, self.label].astype(np.float64)
        return rivals

    def _gains(self, scores: Scores, places: Integers, staying: Bounds) -> Bounds:
        """What a path gains at most, at some places, by another label than `label`."""
        here, following = scores[places], scores[places + 1]
        most: Bounds = (here + self.around).max(axis=1)
        if len(self.froms):
            pairs = here[:, self.froms] + self.entering + following[:, self.tos]
            onto = staying[places + 1] - following[:, self.label]
            most = np.maximum(most, pairs.max(axis=1) + onto)
        return most - here[:, self.label]


def held(path: Integers, counted: Counted, weights: Scores) -> Flags:
    """Where the best path surely has the label of this one, told by the probabilities.

    It has a unit's label if all paths without that label are, together, less likely than this one.
    path: [units], the likeliest labels; weights: of steps, [to, from].
    """
    units = np.arange(len(path))
    likely = counted.shares[units, path]
    on = np.flatnonzero(counted.nexts >= 0)
    came = counted.arrived[on] * weights[path[counted.nexts[on]]]  # [units, from]
    steps = likely.copy()
    steps[on] = came[units[: len(on)], path[on]] / came.sum(axis=1)
    whole = np.ones(counted.rows.max() + 1)  # how likely each stretch's path is
    np.multiply.at(whole, counted.rows, steps)
    sure: Flags = 1 - likely < whole[counted.rows] - MARGIN
    return sure
