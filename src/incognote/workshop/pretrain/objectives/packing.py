"""Masked sequences end to end, without padding."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from incognote.align.units import Integers
from incognote.workshop.pretrain.frame import NO_LABEL, Framed
from incognote.workshop.pretrain.masking import Masking, Vocabulary, mask
from incognote.workshop.pretrain.objectives.objective import Batch
from incognote.workshop.pretrain.stream import Origin


class MaskedExample(NamedTuple):
    """One sequence: ids as the model gets them, and what stood at the chosen places."""

    ids: Integers
    segments: Integers
    places: Integers
    targets: Integers
    label: int


@dataclass(frozen=True, eq=False)
class MaskedBatch(Batch):
    """ids, segments: [pieces]; places: [chosen], in the packed pieces; targets: [chosen].

    labels: [sequences], −1 where there is none. Sequences of one length are neighbours, which
    attention does together. asked: [asked], the chosen pieces and the first of each sequence, all
    that the last layer need give; rows: [chosen], where the chosen are among them.
    """

    lengths: tuple[int, ...]
    ids: Tensor
    segments: Tensor
    places: Tensor
    targets: Tensor
    labels: Tensor
    asked: Tensor
    rows: Tensor

    @property
    def original(self) -> Tensor:
        """The pieces before they were masked, [pieces]."""
        return self.ids.index_copy(0, self.places, self.targets)


@dataclass(frozen=True, eq=False)
class MaskNoise:
    """Masks framed sequences; can be sent to another process."""

    vocabulary: Vocabulary
    settings: Masking

    def __call__(self, framed: Framed, origin: Origin, draws: np.random.Generator) -> MaskedExample:
        """One example."""
        masked = mask(framed.ids, framed.word_starts, self.vocabulary, self.settings, draws)
        return MaskedExample(
            masked.ids, framed.segments, masked.places, masked.targets, framed.label
        )


def pack(
    examples: Sequence[MaskedExample], *, parts: Sequence[str], every: Sequence[str] = ()
) -> MaskedBatch:
    """One batch; parts count chosen pieces, those about pairs pairs, those in `every` pieces."""
    ordered = sorted(examples, key=lambda example: len(example.ids))
    lengths = tuple(len(example.ids) for example in ordered)
    begins = np.cumsum((0, *lengths[:-1]))
    places = [example.places + begin for example, begin in zip(ordered, begins, strict=True)]
    asked = np.union1d(np.concatenate(places), begins)
    chosen = sum(map(len, places))
    counts = {}
    for part in parts:
        counts[part] = sum(lengths) if part in every else chosen
        if part in ("nsp", "sop"):
            counts[part] = sum(example.label != NO_LABEL for example in ordered)

    def joined(arrays: list[Integers]) -> Tensor:
        return torch.from_numpy(np.concatenate(arrays))

    return MaskedBatch(
        counts,
        sum(lengths),
        lengths,
        joined([example.ids for example in ordered]),
        joined([example.segments for example in ordered]),
        joined(places),
        joined([example.targets for example in ordered]),
        torch.tensor([example.label for example in ordered]),
        torch.from_numpy(asked),
        torch.from_numpy(np.searchsorted(asked, np.concatenate(places))),
    )
