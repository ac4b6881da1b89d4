"""XLNet's: predict some tokens in a random order, each from those read before it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from incognote.align.tokens import Flags, Integers
from incognote.base.errors import ConfigError, TrainError
from incognote.workshop.encoders.heads import PermutationLanguage
from incognote.workshop.encoders.model import Model
from incognote.workshop.encoders.xlnet import Xlnet, XlnetConfig
from incognote.workshop.pretrain.examples import ExampleSettings
from incognote.workshop.pretrain.masking import Vocabulary
from incognote.workshop.pretrain.objectives.mlm import hits, summed_loss
from incognote.workshop.pretrain.objectives.objective import Batch, Objective, Parts, Tensors
from incognote.workshop.pretrain.reading_order import SEEN_BY_ALL, Permutation, reading_order
from incognote.workshop.pretrain.segments import PAIRS
from incognote.workshop.pretrain.stream import Framed, Origin
from incognote.workshop.tokenization.tokenizer import XLNET

PADDED = 1 / 16
"""How much of a row may be padding."""


class PermutedExample(NamedTuple):
    """A sequence with the order it is read in; `memory` are tokens read before it, if any."""

    ids: Integers
    segments: Integers
    ranks: Integers
    places: Integers
    memory: Integers | None
    backward: bool


@dataclass(frozen=True, eq=False)
class Group(Tensors):
    """Sequences of a batch of about one length that are read one way: [batch, length] each.

    What they lack of the longest is padded on the left, at most a sixteenth of it: attention by
    distance has no packed form here.

    places: [batch, targets], where −1 is no target; targets: [real targets], row by row.
    memory: [batch, tokens], or None.
    """

    ids: Tensor
    mask: Tensor
    segments: Tensor
    ranks: Tensor
    places: Tensor
    targets: Tensor
    memory: Tensor | None
    backward: bool

    def perm_mask(self) -> Tensor:
        """True at [b, i, j] where i must not see j; a target sees not even itself."""
        target = torch.zeros_like(self.mask)
        rows = torch.arange(len(self.places), device=self.places.device)[:, None]
        real = self.places >= 0
        target[rows.expand_as(self.places)[real], self.places[real]] = True
        own = torch.where(target, self.ranks, self.ranks + 1)
        return (own[:, :, None] <= self.ranks[:, None, :]) & (self.ranks != SEEN_BY_ALL)[:, None, :]

    def target_mapping(self, like: Tensor) -> Tensor:
        """1 where a target stands, [batch, targets, length]."""
        columns = torch.arange(self.ids.shape[1], device=self.ids.device)
        return (self.places[:, :, None] == columns).to(like.dtype)


@dataclass(frozen=True, eq=False)
class PermutedBatch(Batch):
    """All sequences, in groups: with and without memory, forward and backward, long and short."""

    groups: tuple[Group, ...]


@dataclass(frozen=True, eq=False)
class PermuteNoise:
    """Orders framed sequences; `tail` special tokens stand behind the text."""

    special: Flags
    settings: Permutation
    tail: int

    def __call__(
        self, framed: Framed, origin: Origin, draws: np.random.Generator
    ) -> PermutedExample:
        """One example."""
        settings, ids = self.settings, framed.ids
        backward = settings.both_ways and bool(draws.random() < 0.5)
        memory = None
        if settings.memory:
            memory = (origin.after if backward else origin.before)(settings.memory)
        places, ranks = reading_order(self.special[ids], framed.word_starts, settings, draws)
        if backward:
            text = len(ids) - self.tail
            order = np.concatenate([np.arange(text)[::-1], np.arange(text, len(ids))])
            ids, ranks = ids[order], ranks[order]
            places = (text - 1 - places)[::-1]
            memory = None if memory is None else memory[::-1]
        return PermutedExample(ids, framed.segments, ranks, places, memory, backward)


@dataclass(frozen=True)
class PermutationObjective(Objective):
    """Two streams: what a target's place knows, and what the tokens are; [CLS] comes last."""

    permutation: Permutation = field(default_factory=Permutation)

    name = "xlnet"
    parts = ("permutation",)

    @property
    def settings(self) -> ExampleSettings:
        return ExampleSettings(inputs="segment-pair", short=0.0, permutation=self.permutation)

    def heads(self, config: Any) -> tuple[str, ...]:
        if not isinstance(config, XlnetConfig):
            raise ConfigError("xlnet pretrains the family of that name only")
        return ("permutation",)

    def noise(self, settings: ExampleSettings) -> PermuteNoise:
        if settings.permutation.both_ways and settings.inputs in PAIRS:
            raise TrainError(
                "text is read both ways as full-sentences or doc-sentences only: choose --inputs"
            )
        if self.tokenizer.template is not XLNET:
            raise TrainError("xlnet needs a tokenizer of its own family, which puts <cls> last")
        special = Vocabulary.of(self.tokenizer).special
        return PermuteNoise(special, settings.permutation, self.frame().added(pair=False))

    def batch(self, examples: Sequence[PermutedExample]) -> PermutedBatch:
        groups = tuple(_groups(examples))
        counts = {"permutation": sum(len(group.targets) for group in groups)}
        return PermutedBatch(counts, sum(len(example.ids) for example in examples), groups)

    def losses_and_hits(
        self, module: Model, batch: PermutedBatch, score: bool
    ) -> tuple[Parts, Parts]:
        lost, right = [], []
        for group in batch.groups:
            logits = permutation_logits(module, group)
            lost.append(summed_loss(logits, group.targets))
            right.append(hits(logits, group.targets))
        (part,) = self.parts
        return {part: torch.stack(lost).sum()}, {part: torch.stack(right).sum()}


def permutation_logits(model: Model, group: Group) -> Tensor:
    """Over the vocabulary, at the targets only, [real targets, vocabulary]."""
    encoder, head = model.encoder, model.heads["permutation"]
    assert isinstance(encoder, Xlnet)
    assert isinstance(head, PermutationLanguage)
    memory = None
    if group.memory is not None:
        with torch.no_grad():
            memory = encoder(group.memory, remember=True, backward=group.backward).memory
    encoded = encoder(
        group.ids,
        mask=group.mask,
        segments=group.segments,
        perm_mask=group.perm_mask(),
        target_mapping=group.target_mapping(encoder.words),
        memory=memory,
        backward=group.backward,
    )
    chosen = (group.places >= 0).flatten().nonzero().flatten()
    logits: Tensor = head(encoded, encoder.words, chosen)
    return logits


def _alike(examples: Sequence[PermutedExample]) -> Iterator[list[PermutedExample]]:
    """Those that are read one way and of about one length; longer ones first."""

    def kind(example: PermutedExample) -> tuple[bool, bool]:
        return example.backward, example.memory is not None

    for _, group in groupby(sorted(examples, key=kind), kind):
        rows = sorted(group, key=lambda row: -len(row.ids))
        while rows:
            least = len(rows[0].ids) * (1 - PADDED)
            yield [row for row in rows if len(row.ids) >= least]
            rows = [row for row in rows if len(row.ids) < least]


def _groups(examples: Sequence[PermutedExample]) -> Iterator[Group]:
    for rows in _alike(examples):
        backward, remembers = rows[0].backward, rows[0].memory is not None
        length = max(len(row.ids) for row in rows)
        targets = max(len(row.places) for row in rows)
        memory = [row.memory for row in rows if row.memory is not None]

        def padded(arrays: list[Integers], fill: int, size: int) -> Tensor:
            table = np.full((len(arrays), size), fill, np.int64)
            for number, array in enumerate(arrays):
                table[number, size - len(array) :] = array
            return torch.from_numpy(table)

        yield Group(
            padded([row.ids for row in rows], 0, length),
            padded([np.ones_like(row.ids) for row in rows], 0, length).bool(),
            padded([row.segments for row in rows], XLNET.pad_segment, length),
            padded([row.ranks for row in rows], SEEN_BY_ALL, length),
            padded([row.places + length - len(row.ids) for row in rows], -1, targets),
            torch.from_numpy(np.concatenate([row.ids[row.places] for row in rows])),
            torch.from_numpy(np.stack(memory)) if remembers else None,
            backward,
        )
