"""What a run minimizes: sums over pieces, to be divided by the weight of a whole step."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from incognote.align.units import Integers
from incognote.workshop.finetune.batches import Packed, Targets
from incognote.workshop.finetune.options import ClassWeights
from incognote.workshop.finetune.tagger import Tagger
from incognote.workshop.finetune.teacher import Teacher


def summed_loss(
    tagger: Tagger,
    packed: Packed,
    targets: Targets,
    *,
    weights: Tensor | None = None,
    smoothing: float = 0.0,
    teacher: Teacher | None = None,
    teacher_share: float = 0.0,
) -> Tensor:
    """The loss of one batch: cross-entropy, or the CRF's negative log-likelihood, summed.

    With a teacher, `teacher_share` of it is the distance to what the teacher says. What it costs to
    settle pieces comes on top.
    """
    if tagger.settling is None:
        logits = tagger(**packed.fed)
        settled: Tensor | float = 0.0
    else:
        logits, settled = _settled(tagger, packed, targets)
    counted = logits[targets.places]
    lost = counted_loss(tagger, counted, targets, weights, smoothing)
    if teacher is not None:
        soft = teacher.summed_loss(counted, packed, targets.places)
        lost = (1 - teacher_share) * lost + teacher_share * soft
    return lost + settled


def _settled(tagger: Tagger, packed: Packed, targets: Targets) -> tuple[Tensor, Tensor]:
    """Logits with all that identifies read to the end, and the loss of what was in doubt."""
    assert tagger.settling is not None
    identifies = targets.tags != tagger.labels.outside
    doubtful = torch.zeros(len(packed.ids), dtype=torch.bool, device=packed.ids.device)
    doubtful[targets.places[identifies]] = True
    logits, doubts = tagger.judged(**packed.fed, doubtful=doubtful)
    with torch.autocast(logits.device.type, enabled=False):
        return logits, tagger.settling.loss(doubts.float()[targets.places], identifies)


def counted_loss(
    tagger: Tagger, logits: Tensor, targets: Targets, weights: Tensor | None, smoothing: float
) -> Tensor:
    """The same from the logits of the pieces that count, [counted, labels], in full precision."""
    with torch.autocast(logits.device.type, enabled=False):
        scores = logits.float()
        if tagger.crf is None:
            return cross_entropy(
                scores, targets.tags, weight=weights, label_smoothing=smoothing, reduction="sum"
            )
        lost: Tensor = tagger.crf(
            scores, targets.tags, targets.lengths, targets.opens, targets.closes
        )
        return lost.sum()


def label_weights(counts: Integers, kind: ClassWeights) -> Tensor | None:
    """Weights by label with mean 1 over the pieces; a label that never occurs weighs as the rarest."""
    if kind == "none":
        return None
    present = np.maximum(counts, counts[counts > 0].min())
    weights = present ** (-0.5 if kind == "root" else -1.0)
    weights = weights * counts.sum() / (weights * counts).sum()
    return torch.from_numpy(weights).float()
