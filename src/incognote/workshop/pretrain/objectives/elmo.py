"""ELMo's: predict the next word from those before it, and the one before from those after.

Words are read from the tokens of shards: their characters, and the number of each among the most
frequent words of the text (`Spelling`, `WordVocabulary`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from tokenizers.pre_tokenizers import ByteLevel
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, linear

from incognote.align.tokens import Flags, Integers
from incognote.align.word_tokenizer import (
    BEGIN_SENTENCE,
    BEGIN_WORD,
    END_SENTENCE,
    END_WORD,
    PADDING,
    PER_WORD,
)
from incognote.base.errors import ConfigError, TrainError
from incognote.workshop.encoders.elmo import ElmoConfig
from incognote.workshop.encoders.model import Model
from incognote.workshop.pretrain.corpus.arrays import edges, ranges
from incognote.workshop.pretrain.corpus.shards import Shards
from incognote.workshop.pretrain.examples import ExampleSettings
from incognote.workshop.pretrain.objectives.mlm import full, hits, summed_loss
from incognote.workshop.pretrain.objectives.objective import Batch, Objective, Parts
from incognote.workshop.pretrain.stream import Frame, Framed, Origin, Stream
from incognote.workshop.tokenization.tokenizer import Tokenizer
from incognote.workshop.tokenization.unigram import SPACE

Keys = npt.NDArray[np.uint64]

BEGIN, END, UNKNOWN = 0, 1, 2
"""The words of every vocabulary: where a sentence begins, where it ends, and any other word."""

_FACTOR = np.uint64(0x9E3779B97F4A7C15)
_BLOCK = 1_000_000


class SentencesExample(NamedTuple):
    """Neighbouring sentences, end to end, each between its boundaries; a cut is no boundary.

    characters: [words, 50]; words: [words], as numbers; lengths: of the sentences.
    """

    characters: Integers
    words: Integers
    lengths: Integers


@dataclass(frozen=True, eq=False)
class SentencesBatch(Batch):
    """Packed sentences; `before` and `after` are the places that have a word there to predict."""

    lengths: tuple[int, ...]
    characters: Tensor
    words: Tensor
    after: Tensor
    before: Tensor


@dataclass(frozen=True)
class BiLanguageObjective(Objective):
    """Words are those of the training text, the `words` most frequent; others count as unknown.

    samples: in training the softmax is over the right word and this many drawn ones, the same for
    all places of a batch; as many as there are words, the whole vocabulary. Held-out text is always losses_and_hits by the whole.
    """

    vocabulary: WordVocabulary
    samples: int = 8192

    name = "elmo"
    parts = ("forward", "backward")
    weights = {"forward": 0.5, "backward": 0.5}  # noqa: RUF012 - nobody writes to it
    settings = ExampleSettings(inputs="doc-sentences", short=0.0)

    def heads(self, config: Any) -> tuple[str, ...]:
        if not isinstance(config, ElmoConfig):
            raise ConfigError("elmo pretrains the family of that name only")
        return ()

    def wrap(self, model: Model) -> nn.Module:
        return BiLanguageModel(model, len(self.vocabulary))

    def saved(self, module: nn.Module) -> Mapping[str, Model]:
        assert isinstance(module, BiLanguageModel)
        return {"": module.model}

    def read_more(self, module: nn.Module, folder: Path) -> tuple[str, ...]:
        return (
            "an ELMo is kept without the softmax over its words: it starts from random weights",
        )

    def frame(self) -> Frame:
        return Frame.bare()

    def noise(self, settings: ExampleSettings) -> SpellNoise:
        if settings.inputs != "doc-sentences":
            raise TrainError("elmo reads doc-sentences only")
        return SpellNoise(Spelling.of(self.tokenizer), self.vocabulary)

    def batch(self, examples: Sequence[SentencesExample]) -> SentencesBatch:
        lengths = np.concatenate([example.lengths for example in examples])
        ends = np.cumsum(lengths)
        places = np.arange(int(ends[-1]))
        after = np.delete(places, ends - 1)
        before = np.delete(places, ends - lengths)
        return SentencesBatch(
            {"forward": len(after), "backward": len(before)},
            len(places),
            tuple(lengths.tolist()),
            torch.from_numpy(np.concatenate([example.characters for example in examples])),
            torch.from_numpy(np.concatenate([example.words for example in examples])),
            torch.from_numpy(after),
            torch.from_numpy(before),
        )

    def losses_and_hits(
        self, module: BiLanguageModel, batch: SentencesBatch, score: bool
    ) -> tuple[Parts, Parts]:
        encoded = module.model.encoder(batch.characters, lengths=batch.lengths, states=True)
        ahead, back = module.dropout(encoded.states[-1]).chunk(2, dim=-1)
        rows = {
            "forward": (ahead[batch.after], batch.words[batch.after + 1]),
            "backward": (back[batch.before], batch.words[batch.before - 1]),
        }
        sums, right = {}, {}
        for part, (hidden, targets) in rows.items():
            if module.training and not score and self.samples < len(module.bias):
                sums[part] = sampled_loss(hidden, targets, module, self.samples)
                continue
            logits = linear(hidden, module.weight, module.bias)
            sums[part] = summed_loss(logits, targets)
            right[part] = hits(logits, targets)
        return sums, right


@dataclass(frozen=True, eq=False)
class SpellNoise:
    """Tokens to words with their characters."""

    spelling: Spelling
    vocabulary: WordVocabulary

    def __call__(
        self, framed: Framed, origin: Origin, draws: np.random.Generator
    ) -> SentencesExample:
        """One example; a word that a cut has parted is two."""
        edges, begins, ends = origin.sentences()
        starts = framed.word_starts.copy()
        starts[edges[:-1]] = True
        words = self.vocabulary.of_keys(word_keys(framed.ids, starts))
        characters = self.spelling.characters(framed.ids, starts)
        first = np.searchsorted(np.flatnonzero(starts), edges)
        opening, closing = boundary_rows()
        rows: list[Integers] = []
        numbers: list[Integers] = []
        for a, b in pairwise(first.tolist()):
            rows += [opening, characters[a:b], closing]
            numbers += [np.array([BEGIN]), words[a:b], np.array([END])]
        lengths = np.diff(first) + 2
        # After the last word before a cut comes another word, not an end.
        uncut = slice(0 if begins else 1, None if ends else -1)
        lengths[0] -= not begins
        lengths[-1] -= not ends
        return SentencesExample(
            np.concatenate(rows)[uncut], np.concatenate(numbers)[uncut], lengths
        )


class BiLanguageModel(nn.Module):
    """An ELMo with the softmax that both directions share; the softmax is left behind."""

    def __init__(self, model: Model, words: int) -> None:
        super().__init__()
        self.model = model
        size = model.config.projection_size
        self.weight = nn.Parameter(torch.empty(words, size).normal_(std=size**-0.5))
        self.bias = nn.Parameter(torch.zeros(words))
        self.dropout = nn.Dropout(0.0)


def sampled_loss(hidden: Tensor, targets: Tensor, module: BiLanguageModel, samples: int) -> Tensor:
    """Cross-entropy over the right word and drawn ones, summed.

    Words are drawn as Zipf has them, for they stand by frequency, and the logit of a drawn word is
    less the log of how often it is drawn, so that their sum is that of the vocabulary in the mean.
    """
    words = len(module.bias)
    sample = torch.rand(samples, device=hidden.device).mul(math.log(words + 1)).exp().long() - 1
    sample = sample.clamp(0, words - 1)
    with torch.autocast(hidden.device.type, enabled=False):
        hidden = full(hidden)
        own = (hidden * module.weight[targets]).sum(-1) + module.bias[targets]
        others = linear(hidden, module.weight[sample], module.bias[sample])
        others = others - expected_log_count(sample, words, samples)
        others = others.masked_fill(targets[:, None] == sample, -math.inf)
        logits = torch.cat([own[:, None], others], dim=1)
        return cross_entropy(logits, torch.zeros_like(targets), reduction="sum")


def expected_log_count(words: Tensor, vocabulary: int, samples: int) -> Tensor:
    """The log of how often a word is among the drawn ones, in the mean."""
    number = words.to(torch.float64)
    share = torch.log1p(1 / (number + 1)) / math.log(vocabulary + 1)
    return (share * samples).log().float()


@dataclass(frozen=True, eq=False)
class Spelling:
    """The bytes of every token, end to end; token i has those from edges[i] to edges[i + 1]."""

    bytes: npt.NDArray[np.uint8]
    edges: Integers

    @classmethod
    def of(cls, tokenizer: Tokenizer) -> Spelling:
        """Without the marks by which a tokenizer tells where words begin or go on."""
        tokens = tokenizer.tokens(range(tokenizer.vocabulary_size))
        if tokenizer.family == "roberta":
            table = _byte_letters()
            spellings = [
                bytes(table[letter] for letter in token if letter in table).strip()
                for token in tokens
            ]
        else:
            bare = (token.removeprefix("##").replace(SPACE, "") for token in tokens)
            spellings = [token.encode("utf-8", "surrogatepass") for token in bare]
        return cls(np.frombuffer(b"".join(spellings), np.uint8), edges([*map(len, spellings)]))

    def characters(self, ids: Integers, word_starts: Flags) -> Integers:
        """The rows of the words, as ELMo reads them: [words, 50]."""
        word = np.cumsum(word_starts) - 1
        sizes = self.edges[ids + 1] - self.edges[ids]
        before = np.cumsum(sizes) - sizes
        column = np.arange(int(sizes.sum())) - np.repeat(before[word_starts][word], sizes)
        row = np.repeat(word, sizes)
        fits = column < PER_WORD - 2
        rows = np.full((int(word[-1]) + 1, PER_WORD), PADDING, np.int64)
        rows[:, 0] = BEGIN_WORD
        rows[row[fits], 1 + column[fits]] = 1 + self.bytes[ranges(self.edges[ids], sizes)][
            fits
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
        words = 0
        for row, start in enumerate(stream.starts[:-1].tolist()):
            text = stream.text(start, int(stream.starts[row + 1]))
            waiting.append(word_keys(text.ids, text.word_starts))
            words += len(waiting[-1])
            if words > _BLOCK:
                keys, counts = _add_counts(keys, counts, waiting)
                waiting, words = [], 0
        keys, counts = _add_counts(keys, counts, waiting)
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
    """A number for each word that only its tokens in their order give, [words]."""
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


def _add_counts(keys: Keys, counts: Integers, more: list[Keys]) -> tuple[Keys, Integers]:
    new, new_counts = np.unique(np.concatenate([np.zeros(0, np.uint64), *more]), return_counts=True)
    merged, place = np.unique(np.concatenate([keys, new]), return_inverse=True)
    total = np.zeros(len(merged), np.int64)
    np.add.at(total, place, np.concatenate([counts, new_counts]))
    return merged, total


def _byte_letters() -> dict[str, int]:
    """The byte that each letter of a byte-level vocabulary stands for."""
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    table = {chr(byte): byte for byte in printable}
    others = [byte for byte in range(256) if byte not in printable]
    table |= {chr(256 + number): byte for number, byte in enumerate(others)}
    assert set(table) == set(ByteLevel.alphabet())
    return table
