"""Words that may be part of an identifier although nothing marked them, each with a probability."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from incognote.align.decode import Scores
from incognote.align.tags import Labels
from incognote.align.units import Integers, Units
from incognote.align.words import table_of_words

FLOOR = 0.001
"""Words below are no suspects: at this threshold already far too much is redacted."""

_TINY = 1e-12


@dataclass(frozen=True, slots=True)
class Suspect:
    """A word, the probability that an identifier has it, and that of each type, likeliest first.

    The type a suspect is redacted as is its likeliest, at any threshold.
    """

    start: int
    end: int
    score: float
    types: tuple[tuple[str, float], ...]

    @property
    def type(self) -> str:
        """The likeliest type."""
        return self.types[0][0]


@dataclass(frozen=True)
class Scales:
    """Probabilities made to mean what they say, type by type: p becomes s(a logit(p) + b).

    Two numbers for each type, fitted on notes that the model had not learned from (Platt's
    scaling). a is above 0, so that the order of words by one type's probability stays as it was.
    Isotonic steps would tie most words at the low end, where thresholds must tell them apart.
    """

    by_type: Mapping[str, tuple[float, float]] = field(default_factory=dict)

    def of(self, type: str, share: float) -> float:
        """One probability."""
        if type not in self.by_type:
            return share
        slope, offset = self.by_type[type]
        share = min(max(share, _TINY), 1 - _TINY)
        return 1 / (1 + math.exp(-(slope * math.log(share / (1 - share)) + offset)))

    def of_all(self, types: tuple[str, ...], shares: Scores) -> Scores:
        """Probabilities [anything, types]."""
        slopes, offsets = np.array([self.by_type.get(type, (1.0, 0.0)) for type in types]).T
        kept = np.clip(shares.astype(np.float64), _TINY, 1 - _TINY)
        scaled: Scores = 1 / (1 + np.exp(-(slopes * np.log(kept / (1 - kept)) + offsets)))
        changed = np.array([type in self.by_type for type in types])
        return np.where(changed, scaled, shares)

    def rescaled(self, suspect: Suspect) -> Suspect:
        """A suspect as these scales see it; what no type accounts for stays as it is."""
        given = sum(share for _, share in suspect.types)
        types = [(type, self.of(type, share)) for type, share in suspect.types]
        score = suspect.score - given + sum(share for _, share in types)
        ordered = tuple(sorted(types, key=lambda item: -item[1]))
        return Suspect(suspect.start, suspect.end, min(1.0, max(0.0, score)), ordered)


def suspects_of(
    text: str, units: Units, shares: Scores, labels: Labels, scales: Scales, least: float = FLOOR
) -> tuple[Suspect, ...]:
    """The words of a note with a letter or digit whose probability is `least` or more.

    shares: [units, labels], summing to 1 for each unit. A word is as suspect as the most suspect
    unit that touches it.
    """
    solid = units.solid
    by_type = scales.of_all(labels.types, _by_type(shares[solid], labels))
    of_units = np.minimum(1.0, by_type.sum(axis=1))
    likely = np.flatnonzero(of_units >= least)
    if not len(likely):
        return ()
    places = table_of_words(text)
    first = np.searchsorted(units.ends[solid], places[:, 0], "right")
    last = np.searchsorted(units.starts[solid], places[:, 1], "left")
    near = np.searchsorted(likely, last) > np.searchsorted(likely, first)
    places, first, last = places[near], first[near], last[near]
    edges = np.stack([first, last], axis=1).ravel()
    scores = _highest(of_units[:, None], edges)[:, 0].tolist()
    types = _ordered(labels.types, _highest(by_type, edges))
    return tuple(
        Suspect(start, end, score, likely_types)
        for (start, end), score, likely_types in zip(places.tolist(), scores, types, strict=True)
        if any(map(str.isalnum, text[start:end]))
    )


def _by_type(shares: Scores, labels: Labels) -> Scores:
    """[units, labels] to [units, types]: B and I together."""
    summed = shares[:, labels.begin].astype(np.float64)
    apart = labels.inside != labels.begin
    summed[:, apart] += shares[:, labels.inside[apart]]
    return summed


def _highest(values: Scores, edges: Integers) -> Scores:
    """The highest row values between each pair of edges (first and past the last)."""
    padded = np.concatenate([values, np.zeros((1, values.shape[1]))])
    highest: Scores = np.maximum.reduceat(padded, edges.astype(np.int64), axis=0)[::2]
    return highest


def _ordered(types: tuple[str, ...], rows: Scores) -> list[tuple[tuple[str, float], ...]]:
    """For each row the types that reach the floor, likeliest first; the likeliest in any case."""
    order = np.argsort(-rows, axis=1, kind="stable")
    shares = np.take_along_axis(rows, order, axis=1)
    kept = np.maximum(np.count_nonzero(shares >= FLOOR, axis=1), 1)
    most = int(kept.max(initial=1))
    names = np.array(types, object)[order[:, :most]].tolist()
    return [
        tuple(zip(some[:size], row[:size], strict=True))
        for some, row, size in zip(names, shares[:, :most].tolist(), kept.tolist(), strict=True)
    ]
