"""Words made of pieces, for a model that reads characters and predicts words.

Shards have pieces; a word is the pieces from one that begins a word up to the next. Everything is
done with arrays: a word is known by a number that its pieces give, and its bytes are theirs.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from tokenizers.pre_tokenizers import ByteLevel

from incognote.align.units import Flags, Integers
from incognote.workshop.pretrain.corpus.ranges import edges, ranges
from incognote.workshop.pretrain.corpus.shards import Shards
from incognote.workshop.pretrain.stream import Stream
from incognote.workshop.tokenization.tokenizer import (
    BEGIN_SENTENCE,
    BEGIN_WORD,
    END_SENTENCE,
    END_WORD,
    PADDING,
    PER_WORD,
    Tokenizer,
)
from incognote.workshop.tokenization.unigram import SPACE

Keys = npt.NDArray[np.uint64]

BEGIN, END, UNKNOWN = 0, 1, 2
"""The words of every vocabulary: where a sentence begins, where it ends, and any other word."""

_FACTOR = np.uint64(0x9E3779B97F4A7C15)
_BLOCK = 1_000_000


@dataclass(frozen=True, eq=False)
class Spelling:
    """The bytes of every piece, end to end; piece i has those from edges[i] to edges[i + 1]."""

    bytes: npt.NDArray[np.uint8]
    edges: Integers

    @classmethod
    def of(cls, tokenizer: Tokenizer) -> Spelling:
        """Without the marks by which a tokenizer tells where words begin or go on."""
        tokens = tokenizer.tokens(range(tokenizer.vocabulary_size))
        if tokenizer.family == "roberta":
            table = _byte_letters()
            spelled = [
                bytes(table[letter] for letter in token if letter in table).strip()
                for token in tokens
            ]
        else:
            marked = (token.removeprefix("##").replace(SPACE, "") for token in tokens)
            spelled = [token.encode("utf-8", "surrogatepass") for token in marked]
        return cls(np.frombuffer(b"".join(spelled), np.uint8), edges([*map(len, spelled)]))

    def characters(self, ids: Integers, word_starts: Flags) -> Integers:
        """The rows of the words, as ELMo reads them: [words, 50]."""
        word = np.cumsum(word_starts) - 1
        sizes = self.edges[ids + 1] - self.edges[ids]
        before = np.cumsum(sizes) - sizes
        column = np.arange(int(sizes.sum())) - np.repeat(before[word_starts][word], sizes)
        row = np.repeat(word, sizes)
        seen = column < PER_WORD - 2
        rows = np.full((int(word[-1]) + 1, PER_WORD), PADDING, np.int64)
        rows[:, 0] = BEGIN_WORD
        rows[row[seen], 1 + column[seen]] = 1 + self.bytes[ranges(self.edges[ids], sizes)][
            seen
        ].astype(np.int64)
        ends = np.minimum(np.bincount(row, minlength=len(rows)), PER_WORD - 2)
        rows[np.arange(len(rows)), 1 + ends] = END_WORD
        return rows


@dataclass(frozen=True, eq=False)
class WordVocabulary:
    """The words that can be predicted, the most frequent first; `keys` are sorted."""

    keys: Keys
    numbers: Integers

    def __len__(self) -> int:
        return UNKNOWN + 1 + len(self.keys)

    @classmethod
    def of(cls, shards: Shards, size: int) -> WordVocabulary:
        """The `size` most frequent words of the documents to train on."""
        stream = Stream(shards, shards.train)
        keys, counts = np.zeros(0, np.uint64), np.zeros(0, np.int64)
        waiting: list[Keys] = []
        held = 0
        for row, start in enumerate(stream.starts[:-1].tolist()):
            text = stream.text(start, int(stream.starts[row + 1]))
            waiting.append(word_keys(text.ids, text.word_starts))
            held += len(waiting[-1])
            if held > _BLOCK:
                keys, counts = _counted(keys, counts, waiting)
                waiting, held = [], 0
        keys, counts = _counted(keys, counts, waiting)
        # Equally frequent words go by their key, so that the order is the same everywhere.
        order = np.lexsort((keys, -counts))[: max(0, size - UNKNOWN - 1)]
        by_key = np.argsort(keys[order])
        return cls(keys[order][by_key], by_key + UNKNOWN + 1)

    def of_keys(self, keys: Keys) -> Integers:
        """The number of each word, UNKNOWN for those not known."""
        if not len(self.keys):
            return np.full(len(keys), UNKNOWN)
        place = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        return np.where(self.keys[place] == keys, self.numbers[place], UNKNOWN)


def word_keys(ids: Integers, word_starts: Flags) -> Keys:
    """A number for each word that only its pieces in their order give, [words]."""
    starts = np.flatnonzero(word_starts)
    place = np.arange(len(ids)) - starts[np.cumsum(word_starts) - 1]
    with np.errstate(over="ignore"):
        factors = np.power(_FACTOR, place.astype(np.uint64) + np.uint64(1))
        return np.add.reduceat((ids.astype(np.uint64) + np.uint64(1)) * factors, starts)


def boundary_rows() -> tuple[Integers, Integers]:
    """The rows of characters where a sentence begins and where it ends, [1, 50] each."""
    rows = np.full((2, PER_WORD), PADDING, np.int64)
    rows[:, 0], rows[:, 2] = BEGIN_WORD, END_WORD
    rows[:, 1] = BEGIN_SENTENCE, END_SENTENCE
    return rows[:1], rows[1:]


def _counted(keys: Keys, counts: Integers, more: list[Keys]) -> tuple[Keys, Integers]:
    found, again = np.unique(np.concatenate([np.zeros(0, np.uint64), *more]), return_counts=True)
    merged, place = np.unique(np.concatenate([keys, found]), return_inverse=True)
    total = np.zeros(len(merged), np.int64)
    np.add.at(total, place, np.concatenate([counts, again]))
    return merged, total


def _byte_letters() -> dict[str, int]:
    """The byte that each letter of a byte-level vocabulary stands for."""
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    table = {chr(byte): byte for byte in printable}
    others = [byte for byte in range(256) if byte not in printable]
    table |= {chr(256 + number): byte for number, byte in enumerate(others)}
    assert set(table) == set(ByteLevel.alphabet())
    return table
