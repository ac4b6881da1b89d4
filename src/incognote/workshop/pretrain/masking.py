"""Which tokens are hidden from a model and what stands in their place.

Masks are n-grams of words scattered evenly over a sequence. XLNet masks nothing: see `reading_order`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, NamedTuple

import numpy as np

from incognote.align.tokens import Flags, Integers
from incognote.base.errors import TrainError
from incognote.base.options import Bound, Option, at_least, check
from incognote.workshop.pretrain.corpus.arrays import edges, ranges
from incognote.workshop.tokenization.tokenizer import Tokenizer

TRIES = 8
"""Arrangements drawn at once; the first that fills the budget exactly is taken."""

_SHARE = Bound("between 0 and 1", lambda share: 0 < share < 1)


@dataclass(frozen=True, kw_only=True)
class Masking:
    """What is masked, and how.

    share: of a sequence's tokens, special ones counted; never more than that, rounded.
    longest: n-grams of 1 to this many words (or tokens), n drawn in proportion to 1/n.
    whole_words: all tokens of a word or none.
    mask, random: shares of the chosen tokens that become the mask, or another token; the rest stay
        (BERT: 80 % mask, 10 % random, 10 % unchanged).
    copies: None, and every epoch has masks of its own (RoBERTa); a number, and there are as many
        fixed versions of the data, one an epoch, in turn (BERT's duplicates).
    """

    share: Annotated[
        float,
        Option(
            "Share of tokens to mask.",
            _SHARE,
            panel="Examples",
            flags=("--mask-share",),
            varies=True,
        ),
    ] = 0.15
    longest: Annotated[
        int,
        Option(
            "Mask up to this many words in a row.",
            at_least(1),
            panel="Examples",
            flags=("--ngrams",),
            varies=True,
        ),
    ] = 1
    whole_words: Annotated[
        bool,
        Option("Mask either all tokens of a word or none.", panel="Examples", varies=True),
    ] = False
    mask: float = 0.8
    random: float = 0.1
    copies: Annotated[
        int | None,
        Option(
            "Static masking: this many differently masked copies of the text, in turn. 0: mask anew "
            "in each epoch.",
            at_least(1),
            panel="Examples",
            flags=("--mask-copies",),
            zero_is_none=True,
        ),
    ] = None

    def __post_init__(self) -> None:
        check(self, TrainError)
        if min(self.mask, self.random) < 0 or self.mask + self.random > 1 + 1e-9:
            raise TrainError("the shares of masks and random tokens must lie in 0 to 1 together")


class Masked(NamedTuple):
    """The ids as the model gets them [tokens]; the places that were chosen, in order, and their ids."""

    ids: Integers
    places: Integers
    targets: Integers


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """What masking must know of a vocabulary."""

    size: int
    mask_id: int
    special_ids: frozenset[int]

    @classmethod
    def of(cls, tokenizer: Tokenizer) -> Vocabulary:
        """The vocabulary of a tokenizer."""
        return cls(tokenizer.vocabulary_size, tokenizer.mask_id, tokenizer.special_ids)

    @cached_property
    def special(self) -> Flags:
        """True at ids that stand for no text, [size]."""
        flags = np.zeros(self.size, np.bool_)
        flags[[number for number in self.special_ids if number < self.size]] = True
        return flags

    @cached_property
    def ordinary(self) -> Integers:
        """All other ids, [ordinary]."""
        return np.flatnonzero(~self.special)

    @cached_property
    def rank(self) -> Integers:
        """Where an id stands among the ordinary, [size]."""
        return np.cumsum(~self.special) - 1

    def others(self, ids: Integers, draws: np.random.Generator) -> Integers:
        """For each ordinary id another ordinary one, all others equally likely."""
        ranks = draws.integers(0, len(self.ordinary) - 1, len(ids))
        return self.ordinary[ranks + (ranks >= self.rank[ids])]


def mask(
    ids: Integers,
    word_starts: Flags,
    vocabulary: Vocabulary,
    settings: Masking,
    draws: np.random.Generator,
) -> Masked:
    """Mask a sequence with its special tokens, which are never chosen."""
    places = choose(ids, word_starts, vocabulary, settings, draws)
    targets = ids[places]
    inputs = ids.copy()
    fate = draws.random(len(places))
    inputs[places[fate < settings.mask]] = vocabulary.mask_id
    changed = (fate >= settings.mask) & (fate < settings.mask + settings.random)
    inputs[places[changed]] = vocabulary.others(targets[changed], draws)
    return Masked(inputs, places, targets)


def choose(
    ids: Integers,
    word_starts: Flags,
    vocabulary: Vocabulary,
    settings: Masking,
    draws: np.random.Generator,
) -> Integers:
    """The places to predict, in order: n-grams scattered evenly, until the budget is full.

    Lengths are drawn first and places then, so that neither distorts the other; of several such
    draws the first is taken whose n-grams, in random order, fill the budget to the token.
    """
    budget = max(1, round(settings.share * len(ids)))
    hidden = vocabulary.special[ids]
    begins = word_starts | _after(hidden) if settings.whole_words else True
    starts = np.flatnonzero(~hidden & begins)
    if not len(starts):
        return starts
    sizes = word_sizes(starts, hidden)
    tries = TRIES if settings.whole_words or settings.longest > 1 else 1
    lengths = ngram_lengths(
        settings.longest, (tries, budget), draws, budget=budget, tokens=float(sizes.mean())
    )
    words = ranges(*scatter_ngrams(sizes, budget, lengths, draws))
    return ranges(starts[words], sizes[words])


def word_sizes(starts: Integers, special: Flags) -> Integers:
    """Tokens of each word that begins at `starts`: up to the next word or special token."""
    stops = np.append(np.flatnonzero(special), len(special))
    ends = np.append(starts[1:], len(special))
    sizes: Integers = np.minimum(ends, stops[np.searchsorted(stops, starts)]) - starts
    return sizes


def _after(flags: Flags) -> Flags:
    """True one place after each that is true."""
    shifted = np.zeros_like(flags)
    shifted[1:] = flags[:-1]
    return shifted


def ngram_lengths(
    longest: int,
    shape: tuple[int, ...],
    draws: np.random.Generator,
    *,
    budget: int | None = None,
    tokens: float = 1.0,
) -> Integers:
    """Lengths from 1 to the longest, n with a probability in proportion to 1/n.

    Long n-grams, of `tokens` a word, fit into the budget in fewer ways, so they are drawn more often;
    those that fit then follow 1/n: exactly at 512 tokens, within a hundredth at 128; below that
    there are too many long ones.
    """
    if longest == 1:
        return np.ones(shape, np.int64)
    number = np.arange(1, longest + 1)
    ways = 1.0 if budget is None else np.maximum(1.0, budget + 1 - number * tokens)
    steps = np.cumsum(1 / number / ways)
    return 1 + np.searchsorted(steps / steps[-1], draws.random(shape), "right")


class Ngrams(NamedTuple):
    """The first word of each, in order, and how many words each has."""

    firsts: Integers
    lengths: Integers


def scatter_ngrams(
    sizes: Integers, budget: int, lengths: Integers, draws: np.random.Generator
) -> Ngrams:
    """n-grams that hold `budget` tokens together, or as many below as can be.

    sizes: tokens of each word, [words]. lengths: [tries, n-grams]; each try is laid out evenly at
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
    tokens = begins[starts + lengths] - begins[starts]
    tokens[~fits] = budget + 1
    # Which n-grams come first is random too: places are in reading order.
    order = np.argsort(draws.random(tokens.shape) + ~fits, axis=1)
    filled = np.cumsum(np.take_along_axis(tokens, order, 1), axis=1)
    filled[filled > budget] = 0
    best = filled.max(1)
    row = int(best.argmax())
    if not best[row]:
        return _some_word(sizes, budget, draws)
    ngrams = order[row, : int(filled[row].argmax()) + 1]
    first, length = starts[row, ngrams], lengths[row, ngrams]
    by_place = np.argsort(first)
    first, length = first[by_place], length[by_place]
    return Ngrams(first, length)


def _sorted_slots(
    slots: Integers, counts: Integers, most: int, draws: np.random.Generator
) -> Integers:
    """For each row `counts` different numbers below `slots`, in order; [rows, most]."""
    keys = draws.random((len(slots), int(slots.max())))
    keys[np.arange(keys.shape[1]) >= slots[:, None]] = 2.0
    shuffled = np.argsort(keys, axis=1)[:, :most]
    within = np.arange(shuffled.shape[1]) < counts[:, None]
    numbers = np.sort(np.where(within, shuffled, keys.shape[1]), axis=1)
    if numbers.shape[1] < most:
        numbers = np.pad(numbers, ((0, 0), (0, most - numbers.shape[1])))
    return numbers


def _some_word(sizes: Integers, budget: int, draws: np.random.Generator) -> Ngrams:
    """One word that fits; none, where all are longer than the budget."""
    fitting = np.flatnonzero(sizes <= budget)
    one = fitting[draws.integers(0, len(fitting), 1)] if len(fitting) else fitting
    return Ngrams(one, np.ones_like(one))
