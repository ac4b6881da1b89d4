"""XLNet's examples: spans to predict, in a random order, each token from those read before it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from incognote.align.tokens import Flags, Integers
from incognote.base.errors import TrainError
from incognote.workshop.pretrain.corpus.arrays import ranges
from incognote.workshop.pretrain.masking import ngram_lengths, word_sizes

SEEN_BY_ALL = -1
"""The rank of tokens that all others see, and that see no target."""


@dataclass(frozen=True, kw_only=True)
class Permutation:
    """What is predicted.

    context: one token in this many is predicted (K, 6 or 7): a span of n words among K · n.
    longest: spans of 1 to this many words, n drawn in proportion to 1/n.
    memory: how many tokens before a sequence, of its document, are read beforehand; 0 for none.
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
    """places: the tokens to predict, in order; ranks: [tokens], when each is read, or SEEN_BY_ALL."""

    places: Integers
    ranks: Integers


def reading_order(
    special: Flags, word_starts: Flags, settings: Permutation, draws: np.random.Generator
) -> ReadingOrder:
    """Targets and special tokens are read in a random order, after all others at once."""
    places = span_places(special, word_starts, settings, draws)
    later = special.copy()
    later[places] = True
    ranks = np.where(later, draws.permutation(len(special)), SEEN_BY_ALL)
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
    begin = np.cumsum(windows) - windows - draws.integers(0, windows[0])
    first = begin + draws.integers(0, windows - lengths + 1)
    last = np.minimum(first + lengths, words)
    first = np.maximum(first, 0)
    inside = first < last
    targets = ranges(first[inside], (last - first)[inside])
    if not len(targets):
        targets = draws.integers(0, words, 1)
    sizes = word_sizes(starts, special)
    return ranges(starts[targets], sizes[targets])
