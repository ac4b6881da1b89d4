"""Windows of like length together, packed without padding.

The batches of an epoch are a function of the seed and the epoch alone, so a run that goes on
somewhere within an epoch needs to know only where.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import torch
from torch import Tensor

from incognote.align.reading import WindowInput
from incognote.align.units import Integers
from incognote.workshop.finetune.examples import Example

BUCKET = 32
"""How many batches' worth of windows are sorted by length together."""


@dataclass(frozen=True, eq=False)
class Packed:
    """Windows end to end: ids and segments [units], shapes [units, features], others [units, …]."""

    ids: Tensor
    lengths: tuple[int, ...]
    segments: Tensor | None
    shapes: Tensor | None
    others: Tensor | None

    @property
    def fed(self) -> dict[str, Any]:
        """All of it, by the names that a tagger takes it by."""
        return {each.name: getattr(self, each.name) for each in fields(self)}


@dataclass(frozen=True, eq=False)
class Targets:
    """Which packed pieces count, and what they should be.

    places, tags: [counted]; lengths: how many of each window count; opens, closes: [windows].
    """

    places: Tensor
    tags: Tensor
    lengths: tuple[int, ...]
    opens: Tensor
    closes: Tensor


def epoch_batches(
    lengths: Sequence[int], *, tokens: int | None, size: int | None, seed: int, epoch: int
) -> list[list[int]]:
    """Indices of windows, batch by batch: all windows once, at most `tokens` pieces or `size`.

    Windows are shuffled, sorted by length within buckets of some batches, and the batches
    shuffled. A window longer than the budget is a batch of its own.
    """
    draws = np.random.default_rng([seed, epoch])
    order = draws.permutation(len(lengths)).tolist()
    mean = max(1.0, float(np.mean(lengths))) if lengths else 1.0
    bucket = BUCKET * max(1, size if size else int((tokens or 1) / mean))
    batches: list[list[int]] = []
    for begin in range(0, len(order), bucket):
        part = sorted(order[begin : begin + bucket], key=lambda index: lengths[index])
        batches += _cut(part, lengths, tokens, size)
    return [batches[place] for place in draws.permutation(len(batches)).tolist()]


def _cut(
    order: Sequence[int], lengths: Sequence[int], tokens: int | None, size: int | None
) -> list[list[int]]:
    batches: list[list[int]] = []
    filled = 0
    for index in order:
        full = not batches or (
            len(batches[-1]) >= size if size else filled + lengths[index] > (tokens or 0)
        )
        if full:
            batches.append([])
            filled = 0
        batches[-1].append(index)
        filled += lengths[index]
    return batches


def pack(inputs: Sequence[WindowInput], device: torch.device) -> Packed:
    """One packed batch on the device."""

    def end_to_end(parts: Sequence[Integers | None]) -> Tensor | None:
        there = [part for part in parts if part is not None]
        return torch.from_numpy(np.concatenate(there)).to(device) if there else None

    ids = end_to_end([each.ids for each in inputs])
    assert ids is not None
    return Packed(
        ids,
        tuple(len(each.ids) for each in inputs),
        end_to_end([each.segments for each in inputs]),
        end_to_end([each.shapes for each in inputs]),
        end_to_end([each.others for each in inputs]),
    )


def pack_examples(batch: Sequence[Example], device: torch.device) -> tuple[Packed, Targets]:
    """A batch for training."""
    inputs = [example.input for example in batch]
    packed = pack(inputs, device)
    begins = np.concatenate(([0], np.cumsum(packed.lengths)[:-1]))
    places = [
        np.arange(begin + each.first, begin + each.last)
        for begin, each in zip(begins, inputs, strict=True)
    ]
    targets = Targets(
        torch.from_numpy(np.concatenate(places)).to(device),
        torch.from_numpy(np.concatenate([example.tags for example in batch])).to(device),
        tuple(len(example.tags) for example in batch),
        torch.tensor([example.opens for example in batch], device=device),
        torch.tensor([example.closes for example in batch], device=device),
    )
    return packed, targets
