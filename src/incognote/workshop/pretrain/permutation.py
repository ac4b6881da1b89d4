"""Which pieces an XLNet predicts, and in which order it reads."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from incognote.align.units import Flags, Integers
from incognote.base.errors import TrainError
from incognote.workshop.pretrain.corpus.ranges import ranges
from incognote.workshop.pretrain.masking import unit_sizes
from incognote.workshop.pretrain.ngrams import ngram_lengths

CONTEXT = -1
"""The rank of pieces that are there to be seen by all and see no target."""


@dataclass(frozen=True, kw_only=True)
class Permutation:
    """What is predicted.

    context: one piece in this many is predicted (K, 6 or 7): a span of n words among K · n.
    longest: spans of 1 to this many words, n drawn in proportion to 1/n.
    memory: how many pieces before a sequence, of its document, are read beforehand; 0 for none.
    both_ways: every other sequence, at random, is read backward, and remembers what follows it.
    """

    context: int = 6
    longest: int = 5
    memory: int = 0
    both_ways: bool = False

    def __post_init__(self) -> None:
        if self.context < 2 or self.longest < 1 or self.memory < 0:
            raise TrainError("spans need a context of at least 2, a length of 1, a memory of 0")


class ReadingOrder(NamedTuple):
    """places: the pieces to predict, in order; ranks: [pieces], when each is read, or CONTEXT."""

    places: Integers
    ranks: Integers


def permuted(
    special: Flags, word_starts: Flags, settings: Permutation, draws: np.random.Generator
) -> ReadingOrder:
    """Targets and special pieces are read in a random order, after all others at once."""
    places = span_places(special, word_starts, settings, draws)
    later = special.copy()
    later[places] = True
    ranks = np.where(later, draws.permutation(len(special)), CONTEXT)
    return ReadingOrder(places, ranks)


def span_places(
    special: Flags, word_starts: Flags, settings: Permutation, draws: np.random.Generator
) -> Integers:
    """Windows of K · n words lie end to end, and each has a span of n words somewhere in it."""
    begins = word_starts.copy()
    begins[1:] |= special[:-1]
    starts = np.flatnonzero(begins & ~special)
    words = len(starts)
    if not words:
        return starts
    lengths = ngram_lengths(settings.longest, (words // settings.context + 2,), draws)
    windows = settings.context * lengths
    edges = np.cumsum(windows) - windows - draws.integers(0, windows[0])
    first = edges + draws.integers(0, windows - lengths + 1)
    last = np.minimum(first + lengths, words)
    first = np.maximum(first, 0)
    kept = first < last
    chosen = ranges(first[kept], (last - first)[kept])
    if not len(chosen):
        chosen = draws.integers(0, words, 1)
    sizes = unit_sizes(starts, special)
    return ranges(starts[chosen], sizes[chosen])
