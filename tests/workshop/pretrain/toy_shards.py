"""Shards in memory: documents of sentences of words, every piece with an id that can be told."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, cached_property
from itertools import islice, product

import numpy as np
import tokenizers
from tokenizers import models

from incognote.align.tokens import Flags, Integers
from incognote.workshop.pretrain.corpus.shards import Shards
from incognote.workshop.tokenization.tokenizer import Tokenizer

SPECIAL = {
    "bert": ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"),
    "albert": ("<pad>", "<unk>", "[CLS]", "[SEP]", "[MASK]"),
    "roberta": ("<s>", "<pad>", "</s>", "<unk>", "<mask>"),
    "xlnet": ("<unk>", "<cls>", "<sep>", "<mask>", "<pad>"),
}
SPECIAL["electra"] = SPECIAL["bert"]
FIRST = 5
"""The first id that stands for text."""


@cache
def toy_tokenizer(family: str = "albert", size: int = 97) -> Tokenizer:
    """Special pieces at 0 to 4, then as many others as there is room for."""
    words = map("".join, product("abcdefghijklmnopqrstuvwxyz", repeat=4))
    pieces = [*SPECIAL[family], *islice(words, size - FIRST)]
    vocabulary = {piece: number for number, piece in enumerate(pieces)}
    unknown = SPECIAL[family][{"roberta": 3, "xlnet": 0}.get(family, 1)]
    made = tokenizers.Tokenizer(models.WordPiece(vocabulary, unk_token=unknown))
    return Tokenizer(made, family)


class ToyShards(Shards):
    """Documents as lists of sentences, each a list of words' piece counts.

    Ids run on from one piece to the next, so a place can be told from its id; or are drawn.
    """

    __reduce__ = object.__reduce__  # type: ignore[assignment]

    def __init__(
        self, documents: Sequence[Sequence[Sequence[int]]], ids: Integers | None = None
    ) -> None:
        self.sizes = [[sum(words) for words in sentences] for sentences in documents]
        words = [count for sentences in documents for words in sentences for count in words]
        starts = np.zeros(sum(words), np.bool_)
        starts[np.cumsum([0, *words[:-1]])] = True
        self._starts: Flags = starts
        self._ids = np.arange(FIRST, FIRST + sum(words)) if ids is None else ids
        self._edges = np.cumsum([0, *(sum(sizes) for sizes in self.sizes)])
        self.lengths: Integers = np.array([sum(sizes) for sizes in self.sizes])
        self.sentence_counts: Integers = np.array([len(sizes) for sizes in self.sizes])

    @cached_property
    def train(self) -> Integers:
        return self.all

    @property
    def all(self) -> Integers:
        return np.arange(len(self.sizes))

    def sentence_lengths(self, chosen: Integers) -> Integers:
        return np.array([size for row in chosen for size in self.sizes[row]], np.int64)

    def sentence_offsets(self, document: int) -> Integers:
        return np.cumsum([0, *self.sizes[document]])

    def _part(self, document: int) -> slice:
        return slice(self._edges[document], self._edges[document + 1])

    def ids(self, document: int) -> np.ndarray[tuple[int], np.dtype[np.uint32]]:
        return self._ids[self._part(document)].astype(np.uint32)

    def word_starts(self, document: int) -> Flags:
        return self._starts[self._part(document)]


def drawn_shards(
    documents: int = 40, vocabulary: int = 97, seed: int = 0, most_pieces: int = 3
) -> ToyShards:
    """Documents of 1 to 30 sentences of 3 to 24 words of 1 to `most_pieces` pieces."""
    draws = np.random.default_rng(seed)
    made = [
        [
            draws.integers(1, most_pieces + 1, draws.integers(3, 25)).tolist()
            for _ in range(draws.integers(1, 31))
        ]
        for _ in range(documents)
    ]
    pieces = sum(sum(words) for sentences in made for words in sentences)
    return ToyShards(made, draws.integers(FIRST, vocabulary, pieces))
