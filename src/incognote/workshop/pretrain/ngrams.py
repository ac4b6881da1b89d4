"""n-grams of words: how long they are, and where they lie."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from incognote.align.units import Integers
from incognote.workshop.pretrain.corpus.ranges import edges


def ngram_lengths(
    longest: int,
    shape: tuple[int, ...],
    draws: np.random.Generator,
    *,
    budget: int | None = None,
    pieces: float = 1.0,
) -> Integers:
    """Lengths from 1 to the longest, n with a probability in proportion to 1/n.

    Where n-grams are to fill a budget of pieces together, long ones have fewer ways to lie in it,
    by `pieces` for each word; they are drawn more often, so that those kept are as they should be: at
    512 pieces exactly, at 128 to a hundredth, below that with too many long ones.
    """
    if longest == 1:
        return np.ones(shape, np.int64)
    number = np.arange(1, longest + 1)
    ways = 1.0 if budget is None else np.maximum(1.0, budget + 1 - number * pieces)
    steps = np.cumsum(1 / number / ways)
    return 1 + np.searchsorted(steps / steps[-1], draws.random(shape), "right")


class Ngrams(NamedTuple):
    """The first word of each, in order, and how many words each has."""

    firsts: Integers
    lengths: Integers


def scattered(
    sizes: Integers, budget: int, lengths: Integers, draws: np.random.Generator
) -> Ngrams:
    """n-grams that hold `budget` pieces together, or as many below as can be.

    sizes: pieces of each word, [words]. lengths: [tries, n-grams]; each try is laid out evenly at
    random without overlap, and n-grams are taken from it in random order while they fit.
    """
    words = len(sizes)
    lengths = lengths[:, :words]
    most = lengths.shape[1]
    whole = np.cumsum(lengths, axis=1)
    fits = whole <= words
    lengths = np.where(fits, lengths, 0)
    counts = fits.sum(1)
    slots = words - lengths.sum(1) + counts
    starts = (
        _sorted_slots(slots, counts, most, draws)
        + np.cumsum(np.where(fits, lengths - 1, 0), axis=1)
        - np.where(fits, lengths - 1, 0)
    )
    begins = edges(sizes)
    starts = np.where(fits, starts, 0)
    pieces = begins[starts + lengths] - begins[starts]
    pieces[~fits] = budget + 1
    # Which n-grams come first is random too: places are in reading order.
    order = np.argsort(draws.random(pieces.shape) + ~fits, axis=1)
    filled = np.cumsum(np.take_along_axis(pieces, order, 1), axis=1)
    filled[filled > budget] = 0
    best = filled.max(1)
    row = int(best.argmax())
    if not best[row]:
        return _some_word(sizes, budget, draws)
    kept = order[row, : int(filled[row].argmax()) + 1]
    first, length = starts[row, kept], lengths[row, kept]
    by_place = np.argsort(first)
    first, length = first[by_place], length[by_place]
    return Ngrams(first, length)


def _sorted_slots(
    slots: Integers, counts: Integers, most: int, draws: np.random.Generator
) -> Integers:
    """For each row `counts` different numbers below `slots`, in order; [rows, most]."""
    keys = draws.random((len(slots), int(slots.max())))
    keys[np.arange(keys.shape[1]) >= slots[:, None]] = 2.0
    cut = np.argsort(keys, axis=1)[:, :most]
    wanted = np.arange(cut.shape[1]) < counts[:, None]
    found = np.sort(np.where(wanted, cut, keys.shape[1]), axis=1)
    if found.shape[1] < most:
        found = np.pad(found, ((0, 0), (0, most - found.shape[1])))
    return found


def _some_word(sizes: Integers, budget: int, draws: np.random.Generator) -> Ngrams:
    """One word that fits; none, where all are longer than the budget."""
    fitting = np.flatnonzero(sizes <= budget)
    one = fitting[draws.integers(0, len(fitting), 1)] if len(fitting) else fitting
    return Ngrams(one, np.ones_like(one))
