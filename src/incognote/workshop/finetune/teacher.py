"""A trained model that another learns from: not only what a piece is, but what it might be."""

from __future__ import annotations

from pathlib import Path

import torch
from torch import Tensor
from torch.nn.functional import kl_div, log_softmax

from incognote.align.reading import NoteReader
from incognote.base.errors import TrainError
from incognote.workshop.finetune.batches import Packed
from incognote.workshop.finetune.checkpoint import load_checkpoint
from incognote.workshop.finetune.tagger import Tagger


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
        if not checkpoint.reader.numbers_pieces_as(reader):
            raise TrainError(f"{folder}: teacher and student must have the same tokenizer")
        if reader.window + len(reader.frame) > self._tagger.model.config.longest:
            raise TrainError(f"{folder}: the windows are longer than the teacher takes")

    def summed_loss(self, logits: Tensor, packed: Packed, places: Tensor) -> Tensor:
        """How far the student's logits [counted, labels] are from the teacher's, summed.

        Divergence of the softened distributions, times the square of the temperature, so that its
        gradients are as large as those of the hard loss (Hinton et al., 2015).
        """
        with torch.no_grad():
            taught = self._tagger(**packed.fed)[places]
        heat = self._temperature
        with torch.autocast(logits.device.type, enabled=False):
            own = log_softmax(logits.float() / heat, -1)
            wanted = log_softmax(taught.float() / heat, -1)
            return kl_div(own, wanted, log_target=True, reduction="sum") * heat**2
