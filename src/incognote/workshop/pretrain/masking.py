"""Which pieces are hidden from a model, and what stands in their place."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, NamedTuple

import numpy as np

from incognote.align.units import Flags, Integers
from incognote.base.errors import TrainError
from incognote.base.options import Bound, Option, at_least, check
from incognote.workshop.pretrain.corpus.ranges import ranges
from incognote.workshop.pretrain.ngrams import ngram_lengths, scattered
from incognote.workshop.tokenization.tokenizer import Tokenizer

TRIES = 8
"""Arrangements drawn at once; the first that fills the budget exactly is taken."""

_SHARE = Bound("between 0 and 1", lambda share: 0 < share < 1)


@dataclass(frozen=True, kw_only=True)
class Masking:
    """What is masked, and how.

    share: of a sequence's pieces, special ones counted; never more than that, rounded.
    longest: n-grams of 1 to this many words (or pieces), n drawn in proportion to 1/n.
    whole_words: all pieces of a word or none.
    mask, random: shares of the chosen pieces that become the mask, or another piece; the rest stay.
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
    """The ids as the model gets them [pieces]; the places that were chosen, in order, and their ids."""

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
        drawn = draws.integers(0, len(self.ordinary) - 1, len(ids))
        return self.ordinary[drawn + (drawn >= self.rank[ids])]


def mask(
    ids: Integers,
    word_starts: Flags,
    vocabulary: Vocabulary,
    settings: Masking,
    draws: np.random.Generator,
) -> Masked:
    """Mask a sequence with its special pieces, which are never chosen."""
    places = choose(ids, word_starts, vocabulary, settings, draws)
    targets = ids[places]
    given = ids.copy()
    fate = draws.random(len(places))
    given[places[fate < settings.mask]] = vocabulary.mask_id
    changed = (fate >= settings.mask) & (fate < settings.mask + settings.random)
    given[places[changed]] = vocabulary.others(targets[changed], draws)
    return Masked(given, places, targets)


def choose(
    ids: Integers,
    word_starts: Flags,
    vocabulary: Vocabulary,
    settings: Masking,
    draws: np.random.Generator,
) -> Integers:
    """The places to predict, in order: n-grams scattered evenly, until the budget is full.

    Lengths are drawn first and places then, so that neither distorts the other; of several such
    draws the first is taken whose n-grams, in random order, fill the budget to the piece.
    """
    budget = max(1, round(settings.share * len(ids)))
    hidden = vocabulary.special[ids]
    begins = word_starts | _after(hidden) if settings.whole_words else True
    starts = np.flatnonzero(~hidden & begins)
    if not len(starts):
        return starts
    sizes = unit_sizes(starts, hidden)
    tries = TRIES if settings.whole_words or settings.longest > 1 else 1
    lengths = ngram_lengths(
        settings.longest, (tries, budget), draws, budget=budget, pieces=float(sizes.mean())
    )
    found = ranges(*scattered(sizes, budget, lengths, draws))
    return ranges(starts[found], sizes[found])


def unit_sizes(starts: Integers, special: Flags) -> Integers:
    """Pieces of each word that begins at `starts`: up to the next word or special piece."""
    stops = np.append(np.flatnonzero(special), len(special))
    ends = np.append(starts[1:], len(special))
    sizes: Integers = np.minimum(ends, stops[np.searchsorted(stops, starts)]) - starts
    return sizes


def _after(flags: Flags) -> Flags:
    """True one place after each that is true."""
    moved = np.zeros_like(flags)
    moved[1:] = flags[:-1]
    return moved
