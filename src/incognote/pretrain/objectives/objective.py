"""The contract between what is learned and the loop that learns it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Protocol, Self

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from incognote.encoders.model import Model
from incognote.pretrain.examples import Examples, ExampleSettings
from incognote.pretrain.stream import Shards


@dataclass(frozen=True, eq=False)
class Batch:
    """Tensors for one forward pass; each objective has its own.

    counts: how many terms each part of the loss has here, known before anything is computed.
    pieces: all pieces that the encoder reads, for a speed in pieces per second.
    """

    counts: Mapping[str, int]
    pieces: int

    def to(self, device: torch.device | str) -> Self:
        """The same batch on a device."""
        moved: dict[str, Any] = {
            field.name: value.to(device, non_blocking=True)
            for field in fields(self)
            if isinstance(value := getattr(self, field.name), Tensor)
        }
        return replace(self, **moved)


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


class Objective(Protocol):
    """One way to pretrain.

    To accumulate a step over several batches, or processes, so that it equals one great batch: add
    the `counts` of all of them, and give the sums to each `loss` as `over`; the totals then sum to
    the loss of the whole step, and so do their gradients. Dropout and what is sampled in `loss`
    draw from torch's own generator: seed it by step and process. Some parameters may have no
    gradient (a mix, a pooler that no head reads): let them be.
    """

    @property
    def name(self) -> str:
        """As a user asks for it."""
        ...

    @property
    def parts(self) -> tuple[str, ...]:
        """The parts of the loss, in order: "mlm", "sop", …"""
        ...

    @property
    def settings(self) -> ExampleSettings:
        """How the paper makes its examples; change them with `dataclasses.replace`."""
        ...

    def heads(self, config: Any) -> tuple[str, ...]:
        """The heads that the model must have; a ConfigError if the family has them not."""
        ...

    def wrap(self, model: Model) -> nn.Module:
        """What is trained, around a model with these heads: itself, or more (a generator)."""
        ...

    def build(self, config: Any) -> nn.Module:
        """The same from random weights, drawn from torch's generator."""
        ...

    def saved(self, module: nn.Module) -> Mapping[str, Model]:
        """The models to write as folders, the one that is wanted under ""."""
        ...

    def examples(
        self,
        shards: Shards,
        documents: npt.NDArray[np.int64],
        settings: ExampleSettings,
        seed: int,
    ) -> Examples:
        """The examples of these documents of the shards, such as `shards.train`."""
        ...

    def batch(self, examples: Sequence[Any]) -> Batch:
        """What `examples.example` gave, together, on the CPU."""
        ...

    def loss(
        self,
        module: nn.Module,
        batch: Any,
        *,
        over: Mapping[str, int] | None = None,
        score: bool = False,
    ) -> Losses:
        """The loss, each part a mean over its terms; over those of a whole step where given."""
        ...


class Tally:
    """Sums that can be added over batches and processes, and the figures that they make.

    `table` [parts, 3] has each part's summed loss, right answers and terms: add tables, or reduce
    them over processes, in any order.
    """

    def __init__(self, parts: Sequence[str]) -> None:
        self.parts = tuple(parts)
        self.table = np.zeros((len(self.parts), 3))

    def add(self, losses: Losses) -> None:
        """Count one batch in; its loss must have been asked to score."""
        self.table += [
            [float(losses.parts[part]), float(losses.right[part]), losses.counts[part]]
            for part in self.parts
        ]

    def figures(self) -> dict[str, float]:
        """Loss and accuracy of each part, and the perplexity of those over a vocabulary.

        >>> tally = Tally(["mlm"])
        >>> tally.table += [[4.0, 1.0, 2.0]]
        >>> tally.figures()
        {'mlm_loss': 2.0, 'mlm_accuracy': 0.5, 'mlm_perplexity': 7.38905609893065}
        """
        found = {}
        for part, (lost, right, count) in zip(self.parts, self.table.tolist(), strict=True):
            if not count:
                continue
            found[f"{part}_loss"] = lost / count
            found[f"{part}_accuracy"] = right / count
            if part not in BINARY:
                found[f"{part}_perplexity"] = math.exp(min(lost / count, 700.0))
        return found


BINARY = frozenset({"nsp", "sop", "rtd"})
"""Parts that answer yes or no, of which a perplexity would say little."""


def weighted(
    sums: Mapping[str, Tensor],
    counts: Mapping[str, int],
    *,
    over: Mapping[str, int] | None,
    weights: Mapping[str, float] | None = None,
    right: Mapping[str, Tensor] | None = None,
) -> Losses:
    """Join summed parts into one loss: each divided by its terms and multiplied by its weight."""
    total = torch.zeros((), device=next(iter(sums.values())).device)
    for part, lost in sums.items():
        share = (weights or {}).get(part, 1.0) / max(1, (over or counts)[part])
        total = total + lost * share
    return Losses(
        total, {part: lost.detach() for part, lost in sums.items()}, dict(counts), right or {}
    )
