"""What a run minimizes: sums over tokens, to be divided by the weight of a whole step; and a teacher.

A teacher is a trained model that another learns from: not only what a token is, but what it might be.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import cross_entropy, kl_div, log_softmax

from incognote.align.note_reader import NoteReader
from incognote.align.tokens import Integers
from incognote.base.errors import TrainError
from incognote.workshop.finetune.checkpoint import load_checkpoint
from incognote.workshop.finetune.examples import Packed, Targets
from incognote.workshop.finetune.options import ClassWeights
from incognote.workshop.finetune.tagger import Tagger


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

    With a teacher, `teacher_share` of it is the distance to what the teacher says. The loss of the
    early exit comes on top.
    """
    if tagger.settling is None:
        logits = tagger(**packed.inputs)
        exit_loss: Tensor | float = 0.0
    else:
        logits, exit_loss = _early_exit_loss(tagger, packed, targets)
    counted = logits[targets.places]
    loss = counted_loss(tagger, counted, targets, weights, smoothing)
    if teacher is not None:
        soft = teacher.summed_loss(counted, packed, targets.places)
        loss = (1 - teacher_share) * loss + teacher_share * soft
    return loss + exit_loss


def _early_exit_loss(tagger: Tagger, packed: Packed, targets: Targets) -> tuple[Tensor, Tensor]:
    """Logits with all that identifies read to the end, and the loss of what was in doubt."""
    assert tagger.settling is not None
    identifies = targets.tags != tagger.labels.outside
    doubtful = torch.zeros(len(packed.ids), dtype=torch.bool, device=packed.ids.device)
    doubtful[targets.places[identifies]] = True
    logits, doubts = tagger.logits_and_doubts(**packed.inputs, doubtful=doubtful)
    with torch.autocast(logits.device.type, enabled=False):
        return logits, tagger.settling.loss(doubts.float()[targets.places], identifies)


def counted_loss(
    tagger: Tagger, logits: Tensor, targets: Targets, weights: Tensor | None, smoothing: float
) -> Tensor:
    """The same from the logits of the tokens that count, [counted, labels], in full precision."""
    with torch.autocast(logits.device.type, enabled=False):
        scores = logits.float()
        if tagger.crf is None:
            return cross_entropy(
                scores, targets.tags, weight=weights, label_smoothing=smoothing, reduction="sum"
            )
        losses: Tensor = tagger.crf(
            scores, targets.tags, targets.lengths, targets.opens, targets.closes
        )
        return losses.sum()


def label_weights(counts: Integers, kind: ClassWeights) -> Tensor | None:
    """Weights by label with mean 1 over the tokens; a label that never occurs weighs as the rarest."""
    if kind == "none":
        return None
    present = np.maximum(counts, counts[counts > 0].min())
    weights = present ** (-0.5 if kind == "root" else -1.0)
    weights = weights * counts.sum() / (weights * counts).sum()
    return torch.from_numpy(weights).float()


class Teacher:
    """A checkpoint of `incognote train` that reads the very windows that the student reads."""

    def __init__(
        self, folder: str | Path, student: Tagger, reader: NoteReader, temperature: float
    ) -> None:
        checkpoint = load_checkpoint(folder)
        self._tagger = checkpoint.tagger.to(next(student.parameters()).device)
        self._temperature = temperature
        if self._tagger.labels.names != student.labels.names:
            raise TrainError(f"{folder}: the teacher has other labels than the student")
        if (self._tagger.shape is None) != (student.shape is None):
            raise TrainError(
                f"{folder}: teacher and student must both have word shapes (--shape), or neither"
            )
        if checkpoint.reader.join != reader.join:
            raise TrainError(
                f"{folder}: teacher and student must both merge tokens (--join), or neither"
            )
        if not checkpoint.reader.numbers_tokens_as(reader):
            raise TrainError(f"{folder}: teacher and student must have the same tokenizer")
        if reader.window + len(reader.frame) > self._tagger.model.config.longest:
            raise TrainError(f"{folder}: the windows are longer than the teacher takes")

    def summed_loss(self, logits: Tensor, packed: Packed, places: Tensor) -> Tensor:
        """How far the student's logits [counted, labels] are from the teacher's, summed.

        Divergence of the softened distributions, times the square of the temperature, so that its
        gradients are as large as those of the hard loss (Hinton et al., 2015).
        """
        with torch.no_grad():
            teaching = self._tagger(**packed.inputs)[places]
        heat = self._temperature
        with torch.autocast(logits.device.type, enabled=False):
            own = log_softmax(logits.float() / heat, -1)
            wanted = log_softmax(teaching.float() / heat, -1)
            return kl_div(own, wanted, log_target=True, reduction="sum") * heat**2
