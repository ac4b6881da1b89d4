"""The 2022 comparative study's figures: one label per word.

Words and their labels come from `align`, as in training, with B and I collapsed: a word's label is
a type or O. A word belongs to a span when they share a character; `align` says which span has it
where several claim it. Precision, recall and F1 per type and over all types but O (micro);
`binary` asks only whether a word is PHI; accuracy is over all words, O among them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from incognote.align.tags import Labels, spans_to_tags
from incognote.align.tokens import TokenOffsets
from incognote.align.words import words
from incognote.evaluate.counts import Agreement, Column, Share, Tree
from incognote.evaluate.pairing import Pair
from incognote.phi import bio_labels


def measures(pairs: Sequence[Pair]) -> Tree:
    """Word-level figures."""
    types = sorted(
        {
            span.type
            for pair in pairs
            for document in (pair.gold, pair.predicted)
            for span in document.spans
        }
    )
    labels = Labels(bio_labels(types))
    shape = (len(pairs), len(types) + 1)
    gold, predicted, hits = np.zeros(shape), np.zeros(shape), np.zeros(shape)
    binary_hits = np.zeros(len(pairs))
    for note, pair in enumerate(pairs):
        true, guess = word_types(pair, labels)
        gold[note] = np.bincount(true, minlength=shape[1])
        predicted[note] = np.bincount(guess, minlength=shape[1])
        hits[note] = np.bincount(true[true == guess], minlength=shape[1])
        binary_hits[note] = np.count_nonzero((true > 0) & (guess > 0))
    return {
        "overall": Agreement.matched(_phi(hits), _phi(predicted), _phi(gold)),
        "binary": Agreement.matched(binary_hits, _phi(predicted), _phi(gold)),
        "accuracy": Share(hits.sum(axis=1), gold.sum(axis=1)),
        "by_type": {
            type: Agreement.matched(hits[:, place], predicted[:, place], gold[:, place])
            for place, type in enumerate(types, start=1)
        },
    }


def _phi(counts: Column) -> Column:
    """All types but O, which stands first."""
    return np.asarray(counts[:, 1:].sum(axis=1), np.float64)


def word_types(pair: Pair, labels: Labels) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """For each word its type as annotated and as predicted: 0 for O, else 1 and up."""
    offsets = TokenOffsets.of(words(pair.gold.text))
    true, guess = (
        labels.type_of[spans_to_tags(document.spans, offsets, labels).tags] + 1
        for document in (pair.gold, pair.predicted)
    )
    return true, guess
