"""The fine-tuning run: what its windows cost, and how well it finds the spans of the validation notes.

What it shares with the training for tasks is `training/epochs.py`, and with pretraining `training/loop.py`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import torch
from torch import Tensor

from incognote.align.note_reader import NoteReader
from incognote.base.errors import AlignError, TrainError
from incognote.document import Document
from incognote.workshop.finetune.examples import (
    Example,
    examples,
    fingerprint,
    free_memory,
    label_counts,
    notes_fingerprint,
    pack_examples,
    windows_that_fit,
)
from incognote.workshop.finetune.losses import Teacher, label_weights, summed_loss
from incognote.workshop.finetune.options import AUTO, Options
from incognote.workshop.finetune.predict import predict, strict_figures
from incognote.workshop.finetune.smaller import keep_units
from incognote.workshop.finetune.start import Start
from incognote.workshop.finetune.tagger import Tagger
from incognote.workshop.training.epochs import EpochLoop, Watch
from incognote.workshop.training.layer_rates import fine_tuning_adamw
from incognote.workshop.training.loop import set_dropout
from incognote.workshop.training.processes import Processes

SAMPLE = 64
"""Windows by which the feed-forward units that weigh most are found."""


class Run(EpochLoop[Example]):
    """One run from its start to the last epoch; `train.py` makes a checkpoint of it.

    A step is some batches of windows, by their indices.
    """

    options: Options
    passes = 1
    """How often an epoch reads all notes, at most."""
    other_data = "on other notes or with another tokenizer"

    def __init__(
        self,
        start: Start,
        training: Sequence[Document],
        validation: Sequence[Document],
        options: Options,
        folder: Path,
        *,
        processes: Processes | None = None,
        watch: Watch = lambda tick: None,
    ) -> None:
        self.options, self.validation = options, validation
        processes = processes or Processes(torch.device("cpu"))
        start.check_options(options)
        self.tagger = Tagger(
            start.model,
            shape=options.shape,
            crf=options.crf,
            settle=options.settle,
            join=options.join,
        )
        self.tagger.take(start.learned)
        self.tagger.to(processes.device)
        self.reader = self._reader(start)
        self.teacher = (
            Teacher(options.teacher, self.tagger, self.reader, options.temperature)
            if options.teacher
            else None
        )
        self.examples = examples(training, self.reader, self.tagger.labels)
        if not self.examples:
            raise TrainError("the training notes have no text to learn from")
        if options.units is not None:
            some = [self.examples[place : place + 8] for place in range(0, SAMPLE, 8)]
            packed = (pack_examples(part, processes.device)[0] for part in some if part)
            keep_units(self.tagger, options.units, packed)
        set_dropout(self.tagger, options.dropout, options.attention_dropout)
        self.tagger.model.encoder.words.requires_grad_(not options.fix_words)
        self.tagger.train()
        counts = label_counts(self.examples, self.tagger.labels)
        weights = label_weights(counts, options.class_weights)
        self.weights = None if weights is None else weights.to(processes.device)
        super().__init__(
            self.tagger,
            fine_tuning_adamw(
                self.tagger, self.tagger.model.encoder, options, undecaying=("crf.",)
            ),
            options,
            folder,
            items=self.examples,
            data=fingerprint(self.examples),
            validated=notes_fingerprint(validation),
            processes=processes,
            watch=watch,
        )

    def _reader(self, start: Start) -> NoteReader:
        options = self.options
        try:
            reader = NoteReader(
                start.tokenizer,
                window=options.window,
                overlap=options.overlap,
                shape=options.shape,
                join=options.join,
            )
        except AlignError as error:
            raise TrainError(str(error)) from None
        longest = start.model.config.longest - len(reader.frame)
        if options.window > longest:
            raise TrainError(
                f"a window of {options.window} tokens is too long: the encoder takes {longest}"
            )
        return reader

    def _batch_size(self) -> int | None:
        """The windows in a batch; None if batches are counted in tokens."""
        size, workers = self.options.batch_size, self.processes
        if size != AUTO:
            return size
        parameters = self.tagger.parameters()
        free = free_memory(workers.device)
        if workers.device.type == "cpu":
            free //= workers.count
        fit = windows_that_fit(
            lambda batch: self._backward(batch, self._weight(batch)),
            self.examples,
            parameters,
            workers.device,
            free=free,
        )
        # The first process decides; each takes its share of a batch.
        return int(workers.total(float(fit if workers.leads else 0))[0]) * workers.count

    def _length(self, item: Example) -> int:
        return item.length

    @property
    def _uniform(self) -> float:
        return math.log(len(self.tagger.labels.names))

    def _loss(self, batch: Sequence[Example]) -> Tensor:
        packed, targets = pack_examples(batch, self.processes.device)
        return summed_loss(
            self.tagger,
            packed,
            targets,
            weights=self.weights,
            smoothing=self.options.label_smoothing,
            teacher=self.teacher,
            teacher_share=self.options.teacher_share,
        )

    def _weight(self, batch: Sequence[Example]) -> float:
        """The tokens, as they are weighted."""
        if self.weights is None:
            return float(sum(len(example.tags) for example in batch))
        weights = self.weights.cpu().numpy()
        return float(sum(weights[example.tags].sum() for example in batch))

    def _figures(self) -> dict[str, float]:
        if not self.validation:
            return {}
        own = predict(self.tagger, self.reader, self.processes.share(self.validation))
        return strict_figures(self.validation, self.processes.together(own))
