"""Words that may be part of an identifier although nothing marked them, each with a probability."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from incognote.align.tags import Labels
from incognote.align.tokens import Flags, Scores, TokenOffsets
from incognote.align.words import table_of_words

FLOOR = 0.001
"""Words below this are not listed: a threshold this low already redacts far too much."""

_TINY = 1e-12


@dataclass(frozen=True, slots=True)
class UncertainWord:
    """A word, the probability that an identifier has it, and that of each type, likeliest first.

    The type a word is redacted as is its likeliest, at any threshold.
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
        slopes, offsets, changed = self._of_types(types)
        clipped = np.clip(shares.astype(np.float64), _TINY, 1 - _TINY)
        scaled: Scores = 1 / (1 + np.exp(-(slopes * np.log(clipped / (1 - clipped)) + offsets)))
        return np.where(changed, scaled, shares)

    def lowest(self, types: tuple[str, ...], least: float) -> float:
        """Where no type has as much, all of them scaled have less than `least` together."""
        slopes, offsets, _ = self._of_types(types)
        share = min(least / len(types), 1 - _TINY)
        lowest = float(((math.log(share / (1 - share)) - offsets) / slopes).min())
        return 1 / (1 + math.exp(-lowest)) if lowest > math.log(_TINY) else 0.0

    def _of_types(self, types: tuple[str, ...]) -> tuple[Scores, Scores, Flags]:
        """Slopes, offsets, and which types have any."""
        if types not in self._known:
            slopes, offsets = np.array([self.by_type.get(type, (1.0, 0.0)) for type in types]).T
            self._known[types] = slopes, offsets, np.array([type in self.by_type for type in types])
        return self._known[types]

    @cached_property
    def _known(self) -> dict[tuple[str, ...], tuple[Scores, Scores, Flags]]:
        return {}

    def rescaled(self, word: UncertainWord) -> UncertainWord:
        """A word as these scales see it; what no type accounts for stays as it is."""
        typed = sum(share for _, share in word.types)
        types = [(type, self.of(type, share)) for type, share in word.types]
        score = word.score - typed + sum(share for _, share in types)
        ordered = tuple(sorted(types, key=lambda item: -item[1]))
        return UncertainWord(word.start, word.end, min(1.0, max(0.0, score)), ordered)


def uncertain_words(
    text: str,
    offsets: TokenOffsets,
    shares: Scores,
    labels: Labels,
    scales: Scales,
    least: float = FLOOR,
    *,
    begin: int = 0,
) -> tuple[UncertainWord, ...]:
    """The words of a note with a letter or digit whose probability is `least` or more.

    shares: [tokens, labels], summing to 1 for each token. A word is as uncertain as the most
    uncertain token that touches it. `begin` is where the text begins in the note in which places are
    counted.
    """
    solid = offsets.solid
    doubts = 1 - shares[solid, labels.outside]
    doubtful = np.flatnonzero(doubts > scales.lowest(labels.types, least) / 2)  # half: rounding
    if not len(doubtful):
        return ()
    places = table_of_words(text)
    first = np.searchsorted(offsets.ends[solid], places[:, 0], "right")
    last = np.searchsorted(offsets.starts[solid], places[:, 1], "left")
    near = np.flatnonzero(np.searchsorted(doubtful, last) > np.searchsorted(doubtful, first))
    near = near[[text[start].isalnum() for start in places[near, 0].tolist()]]
    if not len(near):
        return ()
    first, sizes = first[near], (last - first)[near]
    begins = np.cumsum(sizes) - sizes
    touching = solid[np.repeat(first - begins, sizes) + np.arange(sizes.sum())]
    by_type = scales.of_all(labels.types, _by_type(shares[touching], labels))
    scores = np.maximum.reduceat(np.minimum(1.0, by_type.sum(axis=1)), begins)
    enough = scores >= least
    types = _ordered(labels.types, np.maximum.reduceat(by_type, begins, axis=0)[enough])
    return tuple(
        UncertainWord(begin + start, begin + end, score, likely_types)
        for (start, end), score, likely_types in zip(
            places[near[enough]].tolist(), scores[enough].tolist(), types, strict=True
        )
    )


def _by_type(shares: Scores, labels: Labels) -> Scores:
    """[tokens, labels] to [tokens, types]: B and I together."""
    summed = shares[:, labels.begin].astype(np.float64)
    apart = labels.inside != labels.begin
    summed[:, apart] += shares[:, labels.inside[apart]]
    return summed


def _ordered(types: tuple[str, ...], rows: Scores) -> Iterator[tuple[tuple[str, float], ...]]:
    """For each row the types that reach the floor, likeliest first; the likeliest in any case."""
    reach = rows >= FLOOR
    reach[np.arange(len(rows)), rows.argmax(axis=1)] = True
    row, type = np.nonzero(reach)
    shares = rows[row, type]
    order = np.lexsort((-shares, row))
    names = [types[place] for place in type[order].tolist()]
    pairs = list(zip(names, shares[order].tolist(), strict=True))
    ends = np.cumsum(np.count_nonzero(reach, axis=1)).tolist()
    return (tuple(pairs[begin:end]) for begin, end in zip([0, *ends], ends, strict=False))
