"""Pairs of source and target in batches of about equal size, the same in every run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import torch
from torch import Tensor

from incognote.align.tokens import Integers
from incognote.workshop.sequence_to_sequence.transformer import TransformerConfig, padded

_POOL = 100
"""So many batches are drawn together and then sorted by length, so that little is padding."""


class Pairs(Protocol):
    """What is learned from; pairs may differ from epoch to epoch."""

    @property
    def fingerprint(self) -> str:
        """Of all that decides what the pairs are."""
        ...

    def lengths(self, epoch: int) -> Integers:
        """Tokens of each pair's longer side, [pairs]."""
        ...

    def pair(self, epoch: int, number: int) -> tuple[Sequence[int], Sequence[int]]:
        """Source and target, the end of each included."""
        ...


@dataclass(frozen=True)
class Batch:
    """source [batch, length] with its mask; target [batch, length] as it is read, from the start on.

    wanted: [tokens], what follows each token of the target that is no padding; places: where those
    tokens are in the target, as a mask [batch, length].
    """

    source: Tensor
    mask: Tensor
    target: Tensor
    places: Tensor
    wanted: Tensor

    @property
    def tokens(self) -> int:
        """Tokens read and written."""
        return int(self.mask.sum()) + len(self.wanted)

    def to(self, device: torch.device) -> Batch:
        """On that device."""
        parts = (self.source, self.mask, self.target, self.places, self.wanted)
        return Batch(*(part.to(device) for part in parts))


def batch_of(
    pairs: Sequence[tuple[Sequence[int], Sequence[int]]], config: TransformerConfig
) -> Batch:
    """Pairs side by side; each target is read from `start_id` on and shifted by one."""
    source, mask = padded([source for source, _ in pairs], config.pad_id)
    wanted, places = padded([target for _, target in pairs], config.pad_id)
    start = torch.full((len(pairs), 1), config.start_id)
    target = torch.cat([start, wanted[:, :-1]], dim=1)
    return Batch(source, mask, target, places, wanted[places])


def batches(pairs: Pairs, epoch: int, size: int, seed: int) -> list[Integers]:
    """The numbers of the pairs of each batch, of `size` tokens at most on the longer side with padding.

    Every pair comes once in an epoch; a pair longer than that is a batch of its own.
    """
    lengths = pairs.lengths(epoch)
    draws = np.random.default_rng((seed, epoch))
    order = draws.permutation(len(lengths))
    at_once = max(1, _POOL * size // max(1, int(lengths.mean()) if len(lengths) else 1))
    cut: list[Integers] = []
    for begin in range(0, len(order), at_once):
        pool = order[begin : begin + at_once]
        pool = pool[np.argsort(lengths[pool], kind="stable")]
        cut += _cut(pool, lengths, size)
    return [cut[number] for number in draws.permutation(len(cut))]


def _cut(pool: Integers, lengths: Integers, size: int) -> Iterator[Integers]:
    """A pool sorted by length, in runs whose longest pair times their number is within the size."""
    begin = 0
    for end in range(1, len(pool) + 1):
        if end == len(pool) or int(lengths[pool[end]]) * (end + 1 - begin) > size:
            yield pool[begin:end]
            begin = end
