"""The contract between what is learned and the loop that learns it."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, Self

import numpy as np
import torch
from torch import Tensor, nn

from incognote.align.tokens import Integers
from incognote.workshop.encoders.model import Model
from incognote.workshop.pretrain.corpus.shards import Shards
from incognote.workshop.pretrain.examples import Examples, ExampleSettings, Noise
from incognote.workshop.pretrain.stream import Frame
from incognote.workshop.tokenization.tokenizer import Tokenizer


@dataclass(frozen=True, eq=False)
class Tensors:
    """Tensors among other fields, or tuples of such."""

    def to(self, device: torch.device | str) -> Self:
        """The same on a device."""

        def moved(value: Any) -> Any:
            if isinstance(value, tuple):
                return tuple(map(moved, value))
            if isinstance(value, Tensors):
                return value.to(device)
            return value.to(device, non_blocking=True) if isinstance(value, Tensor) else value

        return replace(
            self, **{each.name: moved(getattr(self, each.name)) for each in fields(self)}
        )


@dataclass(frozen=True, eq=False)
class Batch(Tensors):
    """Tensors for one forward pass; each objective has its own.

    counts: how many terms each part of the loss has here, known before anything is computed.
    tokens: all that the encoder reads, for a speed in tokens per second.
    """

    counts: Mapping[str, int]
    tokens: int


@dataclass(frozen=True, eq=False)
class Losses:
    """What one batch cost.

    total: to call `backward` on. parts: each part's loss summed over its terms, unweighted and
    without gradient. counts: the terms of each part. right: how many of them were right, where
    `score` was asked for.
    """

    total: Tensor
    parts: Mapping[str, Tensor]
    counts: Mapping[str, int]
    right: Mapping[str, Tensor]


Parts = dict[str, Tensor]
"""A number for each part of the loss."""


@dataclass(frozen=True)
class Objective(ABC):
    """One way to pretrain.

    To accumulate a step over several batches, or processes, so that it equals one great batch: add
    the `counts` of all of them, and give the sums to each `loss` as `over`; the totals then sum to
    the loss of the whole step, and so do their gradients. Dropout and what is sampled in `loss`
    draw from torch's own generator: seed it by step and process. Some parameters may have no
    gradient (a mix, a pooler that no head reads): let them be.
    """

    tokenizer: Tokenizer

    @property
    @abstractmethod
    def name(self) -> str:
        """As a user asks for it."""

    @property
    @abstractmethod
    def parts(self) -> tuple[str, ...]:
        """The parts of the loss, in order: "mlm", "sop", …"""

    @property
    def weights(self) -> Mapping[str, float]:
        """How much parts count; those not named, 1."""
        return {}

    @property
    @abstractmethod
    def settings(self) -> ExampleSettings:
        """How the paper makes its examples; change them with `dataclasses.replace`."""

    @abstractmethod
    def heads(self, config: Any) -> tuple[str, ...]:
        """The heads that the model must have; a ConfigError if the family has them not."""

    def wrap(self, model: Model) -> nn.Module:
        """What is trained, around a model with these heads: itself, or more (a generator)."""
        return model

    def read_more(self, module: nn.Module, folder: Path) -> tuple[str, ...]:
        """Put back what `wrap` added, from the model's folder; notes on what begins afresh."""
        return ()

    def build(self, config: Any) -> nn.Module:
        """The same from random weights, drawn from torch's generator."""
        return self.wrap(Model(config, heads=self.heads(config)))

    def saved(self, module: nn.Module) -> Mapping[str, Model]:
        """The models to write as folders, the one that is wanted under ""."""
        assert isinstance(module, Model)
        return {"": module}

    def frame(self) -> Frame:
        """The special tokens around a sequence."""
        return Frame.of(self.tokenizer)

    @abstractmethod
    def noise(self, settings: ExampleSettings) -> Noise:
        """What is made of a sequence; a TrainError if there is no way to make it so."""

    def examples(
        self, shards: Shards, documents: Integers, settings: ExampleSettings, seed: int
    ) -> Examples:
        """The examples of these documents of the shards, such as `shards.train`."""
        noise = self.noise(settings)
        return Examples(shards, documents, self.frame(), settings, seed, noise)

    @abstractmethod
    def batch(self, examples: Sequence[Any]) -> Batch:
        """What `examples.example` gave, together, on the CPU."""

    @abstractmethod
    def losses_and_hits(self, module: Any, batch: Any, score: bool) -> tuple[Parts, Parts]:
        """Each part's loss summed over its terms and, if asked to score, the right answers."""

    def loss(
        self,
        module: nn.Module,
        batch: Any,
        *,
        over: Mapping[str, int] | None = None,
        score: bool = False,
    ) -> Losses:
        """The loss, each part a mean over its terms; over those of a whole step where given."""
        sums, right = self.losses_and_hits(module, batch, score)
        total = torch.zeros((), device=next(iter(sums.values())).device)
        for part, lost in sums.items():
            share = self.weights.get(part, 1.0) / max(1, (over or batch.counts)[part])
            total = total + lost * share
        parts = {part: lost.detach() for part, lost in sums.items()}
        return Losses(total, parts, dict(batch.counts), right if score else {})


class Tally:
    """Sums that can be added over batches and processes, and the figures that they make.

    `table` [parts, 4] has each part's summed loss, right answers, terms, and answers that one who
    always says the same would have right: add tables, or reduce them over processes, in any order.
    """

    def __init__(self, parts: Sequence[str]) -> None:
        self.parts = tuple(parts)
        self.table = np.zeros((len(self.parts), 4))

    def add(self, losses: Losses) -> None:
        """Count one batch in; its loss must have been asked to score."""
        self.table += [
            [
                float(losses.parts[part]),
                float(losses.right[part]),
                losses.counts[part],
                float(losses.right.get(BASE.format(part), 0.0)),
            ]
            for part in self.parts
        ]

    def figures(self) -> dict[str, float]:
        """Loss and accuracy of each part, and the perplexity of those over a vocabulary.

        Of parts where one answer is much more frequent, also the accuracy of always saying the same.

        >>> tally = Tally(["mlm"])
        >>> tally.table += [[4.0, 1.0, 2.0, 0.0]]
        >>> tally.figures()
        {'mlm_loss': 2.0, 'mlm_accuracy': 0.5, 'mlm_perplexity': 7.38905609893065}
        """
        figures = {}
        for part, (lost, right, count, base) in zip(self.parts, self.table.tolist(), strict=True):
            if not count:
                continue
            figures[f"{part}_loss"] = lost / count
            figures[f"{part}_accuracy"] = right / count
            if part not in BINARY:
                figures[f"{part}_perplexity"] = math.exp(min(lost / count, 700.0))
            if part in ONE_SIDED:
                figures[BASE.format(part)] = max(base, count - base) / count
        return figures


BASE = "{}_base"
"""What a part's figure for always saying the same is called."""

ONE_SIDED = frozenset({"rtd"})
"""Parts of which the right answer mostly is the same, and which count how often."""

BINARY = frozenset({"nsp", "sop", "rtd"})
"""Parts that answer yes or no, of which a perplexity would say little."""
