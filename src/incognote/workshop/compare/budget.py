"""What fits into a budget, said beforehand."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from incognote.base.errors import RunError
from incognote.workshop.compare.plan import Cell

_UNITS = {"h": 3600.0, "m": 60.0, "s": 1.0}


@dataclass(frozen=True)
class Budget:
    """Seconds or cells; neither, no bound."""

    seconds: float | None = None
    cells: int | None = None

    @classmethod
    def parse(cls, spelled: str | None) -> Budget:
        """`2h`, `90m`, or `6` for a number of cells."""
        if spelled is None:
            return cls()
        number, unit = spelled.strip()[:-1], spelled.strip()[-1:]
        try:
            if unit in _UNITS and 0 < float(number) < math.inf:
                return cls(seconds=float(number) * _UNITS[unit])
            if int(spelled) > 0:
                return cls(cells=int(spelled))
        except ValueError:
            pass
        raise RunError(f"--budget {spelled}: write hours such as 2h or 90m, or a number of cells")


@dataclass(frozen=True)
class Estimate:
    """The cells that fit in their order, those left for later, and the seconds of each.

    A cell of which nothing could be measured has no seconds, and fits only a budget of cells.
    total: until the last of those that fit is done.
    """

    fits: Sequence[Cell]
    later: Sequence[Cell]
    seconds: Mapping[str, float | None]
    workers: int
    total: float


def fit(
    cells: Sequence[Cell], seconds: Mapping[str, float | None], budget: Budget, workers: int
) -> Estimate:
    """Take the cells in order, each if it ends in time on the worker that is free first."""
    ends = [0.0] * workers
    fits: list[Cell] = []
    later: list[Cell] = []
    for cell in cells:
        place = ends.index(min(ends))
        needed = seconds[cell.id]
        over = budget.seconds is not None and (
            needed is None or ends[place] + needed > budget.seconds
        )
        if over or (budget.cells is not None and len(fits) >= budget.cells):
            later.append(cell)
        else:
            fits.append(cell)
            ends[place] += needed or 0.0
    return Estimate(fits, later, seconds, workers, max(ends))
