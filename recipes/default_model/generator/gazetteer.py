"""Lists of names, places, facilities, jobs and companies to draw values from.

Real frequencies make common values common; a flat share of the draws gives the long tail its due,
because a detector fails on rare names first.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from random import Random


@dataclass(frozen=True)
class Listing:
    """Values with weights: drawn by weight, or with `flat` odds each as likely as the other."""

    values: Sequence[str]
    weights: Sequence[float] = ()
    flat: float = 0.5
    _sums: list[float] = field(init=False, repr=False, default_factory=list)

    def __post_init__(self) -> None:
        if not self.values:
            raise ValueError("a listing needs at least one value")
        self._sums.extend(accumulate(self.weights))

    def draw(self, rng: Random) -> str:
        """One value."""
        values, sums = self.values, self._sums
        if not sums or rng.random() < self.flat:
            return values[int(rng.random() * len(values))]
        return values[min(bisect(sums, rng.random() * sums[-1]), len(values) - 1)]


@dataclass(frozen=True)
class Gazetteers:
    """All lists that values are drawn from."""

    female: Listing
    male: Listing
    surnames: Listing
    world_first: Listing
    world_last: Listing
    nicknames: Listing
    cities: Listing
    abroad: Mapping[str, Listing]
    world_cities: Listing
    counties: Listing
    countries: Listing
    zips: Listing
    streets: Listing
    addresses: Listing
    hospitals: Listing
    nursing: Listing
    home_care: Listing
    practices: Listing
    dialysis: Listing
    jobs: Listing
    companies: Listing
    drugs: Listing
    eponyms: Listing
    eponym_nouns: Listing
