"""ELMo's: predict the next word from those before it, and the one before from those after."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, linear

from incognote.align.units import Integers
from incognote.base.errors import ConfigError, TrainError
from incognote.workshop.encoders.elmo import ElmoConfig
from incognote.workshop.encoders.model import Model
from incognote.workshop.pretrain.examples import ExampleSettings
from incognote.workshop.pretrain.frame import Frame, Framed
from incognote.workshop.pretrain.objectives.mlm import full, hits, summed
from incognote.workshop.pretrain.objectives.objective import Batch, Objective, Parts
from incognote.workshop.pretrain.stream import Origin
from incognote.workshop.pretrain.words import (
    BEGIN,
    END,
    Spelling,
    WordVocabulary,
    boundary_rows,
    word_keys,
)


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


@dataclass(frozen=True, eq=False)
class SpellNoise:
    """Pieces to words with their characters."""

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
        kept = slice(0 if begins else 1, None if ends else -1)
        lengths[0] -= not begins
        lengths[-1] -= not ends
        return SentencesExample(np.concatenate(rows)[kept], np.concatenate(numbers)[kept], lengths)


class BiLanguageModel(nn.Module):
    """An ELMo with the softmax that both directions share; the softmax is left behind."""

    def __init__(self, model: Model, words: int) -> None:
        super().__init__()
        self.model = model
        size = model.config.projection_size
        self.weight = nn.Parameter(torch.empty(words, size).normal_(std=size**-0.5))
        self.bias = nn.Parameter(torch.zeros(words))
        self.dropout = nn.Dropout(0.0)


@dataclass(frozen=True)
class BiLanguageObjective(Objective):
    """Words are those of the training text, the `words` most frequent; others count as unknown.

    samples: in training the softmax is over the right word and this many drawn ones, the same for
    all places of a batch; as many as there are words, the whole vocabulary. Held-out text is always judged by the whole.
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

    def judged(
        self, module: BiLanguageModel, batch: SentencesBatch, score: bool
    ) -> tuple[Parts, Parts]:
        encoded = module.model.encoder(batch.characters, lengths=batch.lengths, states=True)
        ahead, back = module.dropout(encoded.states[-1]).chunk(2, dim=-1)
        rows = {
            "forward": (ahead[batch.after], batch.words[batch.after + 1]),
            "backward": (back[batch.before], batch.words[batch.before - 1]),
        }
        sums, right = {}, {}
        for part, (hidden, wanted) in rows.items():
            if module.training and not score and self.samples < len(module.bias):
                sums[part] = sampled_loss(hidden, wanted, module, self.samples)
                continue
            logits = linear(hidden, module.weight, module.bias)
            sums[part] = summed(logits, wanted)
            right[part] = hits(logits, wanted)
        return sums, right


def sampled_loss(hidden: Tensor, wanted: Tensor, module: BiLanguageModel, samples: int) -> Tensor:
    """Cross-entropy over the right word and drawn ones, summed.

    Words are drawn as Zipf has them, for they stand by frequency, and the logit of a drawn word is
    less the log of how often it is drawn, so that their sum is that of the vocabulary in the mean.
    """
    words = len(module.bias)
    drawn = torch.rand(samples, device=hidden.device).mul(math.log(words + 1)).exp().long() - 1
    drawn = drawn.clamp(0, words - 1)
    with torch.autocast(hidden.device.type, enabled=False):
        hidden = full(hidden)
        own = (hidden * module.weight[wanted]).sum(-1) + module.bias[wanted]
        others = linear(hidden, module.weight[drawn], module.bias[drawn])
        others = others - expected(drawn, words, samples)
        others = others.masked_fill(wanted[:, None] == drawn, -math.inf)
        logits = torch.cat([own[:, None], others], dim=1)
        return cross_entropy(logits, torch.zeros_like(wanted), reduction="sum")


def expected(words: Tensor, vocabulary: int, samples: int) -> Tensor:
    """The log of how often a word is among the drawn ones, in the mean."""
    number = words.to(torch.float64)
    share = torch.log1p(1 / (number + 1)) / math.log(vocabulary + 1)
    return (share * samples).log().float()
