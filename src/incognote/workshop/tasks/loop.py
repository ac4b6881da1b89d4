"""The run of a task: what its examples cost, and how good it is on the validation part."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from incognote.base.errors import TrainError
from incognote.workshop.tasks.answers import Answered, AnswerRules, decided, tuned_threshold
from incognote.workshop.tasks.batches import (
    TrainingItem,
    batch_logits,
    fingerprint,
    training_items,
)
from incognote.workshop.tasks.inputs import Limits, items
from incognote.workshop.tasks.losses import summed_loss
from incognote.workshop.tasks.metrics import Prediction, score
from incognote.workshop.tasks.options import TaskOptions
from incognote.workshop.tasks.predict import predictions, value_of
from incognote.workshop.tasks.start import Start
from incognote.workshop.tasks.task import Example, QuestionExample, Task
from incognote.workshop.tasks.torch_task import TorchTask
from incognote.workshop.training.epochs import EpochLoop, Watch
from incognote.workshop.training.layer_rates import fine_tuning_adamw
from incognote.workshop.training.loop import set_dropout
from incognote.workshop.training.processes import Processes

THRESHOLD = "threshold"
"""Among the figures of an epoch: that of no answer which was best on the validation part."""


class TaskRun(EpochLoop[TrainingItem]):
    """One run from its start to the last epoch; `train.py` makes a checkpoint of it."""

    options: TaskOptions
    other_data = "on other examples or with another tokenizer"

    def __init__(
        self,
        start: Start,
        task: Task,
        training: Sequence[Example],
        validation: Sequence[Example],
        options: TaskOptions,
        folder: Path,
        *,
        processes: Processes | None = None,
        watch: Watch = lambda tick: None,
    ) -> None:
        processes = processes or Processes(torch.device("cpu"))
        self.options, self.validation, self.metric = options, validation, task.metrics[0]
        self.trained = TorchTask(
            start.model.to(processes.device),
            task,
            start.frame,
            limits_of(options, task, start),
            AnswerRules(longest=options.longest_answer, nullable=task.nullable),
        )
        read = items(task, training, start.frame, self.trained.limits)
        learned = training_items(read)
        if not learned:
            raise TrainError("the training part has no examples")
        set_dropout(start.model, options.dropout, options.attention_dropout)
        if options.fix_encoder:
            for name, parameter in start.model.encoder.named_parameters():
                parameter.requires_grad_(name.startswith("mix."))
        start.model.train()
        super().__init__(
            start.model,
            fine_tuning_adamw(start.model, start.model.encoder, options),
            options,
            folder,
            items=learned,
            data=fingerprint(learned),
            validated=examples_fingerprint(validation),
            processes=processes,
            watch=watch,
        )

    @property
    def task(self) -> Task:
        """With its labels."""
        return self.trained.task

    def _plan(self) -> None:
        """Lay out the steps of every epoch; with `steps`, of as many as these need."""
        steps = self.options.steps
        if steps is None:
            super()._plan()
            return
        self.plans = []
        while (left := steps - self.all_steps) > 0:
            self.plans.append(list(islice(self._steps(len(self.plans)), left)))

    def _length(self, item: TrainingItem) -> int:
        return item.length

    def _loss(self, batch: Sequence[TrainingItem]) -> Tensor:
        kind = self.task.kind
        return summed_loss(
            kind,
            batch_logits(self.trained.model, kind, batch),
            [item.target for item in batch],
            smoothing=self.options.label_smoothing,
        )

    def _weight(self, batch: Sequence[TrainingItem]) -> float:
        return float(len(batch))

    @property
    def _uniform(self) -> float:
        if self.task.kind == "span":
            return math.log(self.trained.limits.longest)
        if self.task.kind == "choice":
            return math.log(max(len(item.lengths) for item in self.items))
        if self.task.labels:
            return math.log(len(self.task.labels))
        numbers = np.array([item.target for item in self.items], np.float64)
        return max(1.0, float((numbers**2).mean()))

    def _figures(self) -> dict[str, float]:
        if not self.validation:
            return {}
        share = self.processes.share(self.validation)
        own = list(predictions(self.trained, share))
        found = self.processes.together(own)
        figures: dict[str, float] = {}
        if self.task.nullable:
            asked = [each for each in self.validation if isinstance(each, QuestionExample)]
            answered = [each for each in found if isinstance(each, Answered)]
            threshold = tuned_threshold(asked, answered)
            rules = self.trained.rules
            rules = AnswerRules(longest=rules.longest, nullable=True, threshold=threshold)
            found = [decided(each, rules) for each in answered]
            figures[THRESHOLD] = threshold
        values: list[Prediction] = [value_of(each) for each in found]
        return figures | score(self.task, self.validation, values)


def limits_of(options: TaskOptions, task: Task, start: Start) -> Limits:
    """How much is read at once; refused where it is more than the encoder takes."""
    longest = start.model.config.longest
    if options.longest > longest:
        raise TrainError(
            f"--max-length {options.longest} is too long: the encoder takes {longest} tokens"
        )
    if task.kind == "span" and options.stride >= options.longest:
        raise TrainError(
            f"--stride must be less than --max-length ({options.longest}), not {options.stride}"
        )
    return Limits(longest=options.longest, stride=options.stride)


def examples_fingerprint(examples: Sequence[Example]) -> str:
    """Changes when what is validated on does."""
    digest = hashlib.sha256()
    for example in examples:
        digest.update(repr(example).encode("utf-8", "surrogatepass"))
    return digest.hexdigest()[:16]
