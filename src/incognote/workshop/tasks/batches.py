"""Items as training keeps them, small, and their logits in batches."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from incognote.base.errors import TrainError
from incognote.workshop.encoders.model import Model
from incognote.workshop.tasks.inputs import Item
from incognote.workshop.tasks.task import Kind
from incognote.workshop.tasks.torch_task import sequence_logits

Target = int | float | tuple[int, int]


@dataclass(frozen=True, eq=False, slots=True)
class TrainingItem:
    """What is learned from at once: the sequences of an `Item` end to end, and what is right.

    ids: [tokens], or a row for each; segments: [tokens]. lengths: of the sequences.
    """

    ids: npt.NDArray[np.int32]
    segments: npt.NDArray[np.uint8]
    lengths: tuple[int, ...]
    target: Target

    @property
    def length(self) -> int:
        """Tokens, special ones included."""
        return len(self.segments)


def training_items(read: Iterable[Item]) -> list[TrainingItem]:
    """Items with what is right, in an eighth of the memory."""
    return [_training_item(item) for item in read]


def _training_item(item: Item) -> TrainingItem:
    if item.target is None:
        raise TrainError(f"training example {item.number + 1} has no label or answer to learn from")
    return TrainingItem(
        np.concatenate([sequence.ids for sequence in item.sequences]).astype(np.int32),
        np.concatenate([sequence.segments for sequence in item.sequences]).astype(np.uint8),
        tuple(map(len, item.sequences)),
        item.target,
    )


def fingerprint(items: Iterable[TrainingItem]) -> str:
    """Changes when what is learned does."""
    digest = hashlib.sha256()
    for item in items:
        digest.update(item.ids.tobytes())
        digest.update(item.segments.tobytes())
        digest.update(repr((item.lengths, item.target)).encode())
    return digest.hexdigest()[:16]


def batch_logits(model: Model, kind: Kind, batch: Sequence[TrainingItem]) -> list[Tensor]:
    """Of every item, in order: [labels], [options], or [tokens, 2]."""
    ids = [part for item in batch for part in _split(item.ids, item)]
    segments = [part for item in batch for part in _split(item.segments, item)]
    rows = iter(sequence_logits(model, kind, ids, segments))
    by_item = [[next(rows) for _ in item.lengths] for item in batch]
    return [own[0] if len(own) == 1 else torch.cat(own) for own in by_item]


def _split(array: npt.NDArray[Any], item: TrainingItem) -> list[npt.NDArray[Any]]:
    return np.split(array, np.cumsum(item.lengths)[:-1])
