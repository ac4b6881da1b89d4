"""Several tokenizers' pieces of one note, cut where any of them cuts, so that models can meet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from incognote.align.decode import Scores
from incognote.align.tags import Labels
from incognote.align.units import Flags, Integers, Units
from incognote.base.errors import AlignError


@dataclass(frozen=True, eq=False)
class CommonUnits:
    """The finest units, and for each reader the unit that each lies in.

    within: for each reader [units], -1 where the reader has none. continues: whether a common unit
    lies in its reader's unit but does not begin it.
    """

    units: Units
    within: tuple[Integers, ...]
    continues: tuple[Flags, ...]

    def mean(
        self, members: Sequence[Scores], labels: Labels, weights: Sequence[float] = ()
    ) -> Scores:
        """The mean of the members' probabilities, [common units, labels]; weighted, if by weights.

        Where a common unit continues a reader's unit, what that says for B goes to I.
        """
        counts = weights or [1.0] * len(members)
        if not len(members) == len(counts) == len(self.within):
            raise AlignError(f"{len(self.within)} readers need as many predictions and weights")
        total = np.zeros((len(self.units), len(labels.names)))
        voters = np.zeros(len(self.units))
        places = zip(members, counts, self.within, self.continues, strict=True)
        for member, weight, within, continues in places:
            has = within >= 0
            if not has.any():
                continue
            shares = member[np.maximum(within, 0)].astype(np.float64)
            moved = shares[continues]
            begun = moved[:, labels.begin]
            moved[:, labels.begin] = 0.0
            moved[:, labels.inside] += begun
            shares[continues] = moved
            total[has] += weight * shares[has]
            voters += weight * has
        mean: Scores = total / voters[:, None]
        return mean


def common_units(readers: Sequence[Units]) -> CommonUnits:
    """Cut at every edge of every reader's units; a common unit lies in a unit of one at least.

    With one reader these are its own units, byte pieces of one character taken as one.
    """
    edges = (
        np.unique(
            np.concatenate(
                [part[units.solid] for units in readers for part in (units.starts, units.ends)]
            )
        )
        if readers
        else np.zeros(0, np.int64)
    )
    starts, ends = edges[:-1], edges[1:]
    places = [_lies_in(units, starts, ends) for units in readers]
    seen = np.zeros(len(starts), bool)
    for place in places:
        seen |= place >= 0
    within = tuple(place[seen] for place in places)
    starts, ends = starts[seen], ends[seen]
    continues = tuple(
        (place >= 0) & (starts > units.starts[np.maximum(place, 0)])
        if len(units)
        else np.zeros(len(starts), bool)
        for place, units in zip(within, readers, strict=True)
    )
    return CommonUnits(Units(starts, ends), within, continues)


def _lies_in(units: Units, starts: Integers, ends: Integers) -> Integers:
    """The first unit that holds each stretch, or -1."""
    solid = units.solid
    if not solid.size:
        return np.full(len(starts), -1, np.int64)
    first = np.searchsorted(units.ends[solid], starts, "right")
    place = solid[np.minimum(first, len(solid) - 1)]
    holds = (first < len(solid)) & (units.starts[place] <= starts) & (units.ends[place] >= ends)
    return np.where(holds, place, -1)
