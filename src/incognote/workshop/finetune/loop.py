"""The fine-tuning run: steps, epochs, validation; what it knows of itself; which parameter learns how fast.

What it shares with pretraining is `training/loop.py`.
"""

from __future__ import annotations

import json
import math
import re
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from incognote.align.note_reader import NoteReader
from incognote.base.errors import AlignError, TrainError
from incognote.base.files import write_whole
from incognote.document import Document
from incognote.workshop.encoders.layers import Stack
from incognote.workshop.finetune.examples import (
    Example,
    epoch_batches,
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
from incognote.workshop.training.loop import (
    Loop,
    RunProgress,
    check_bounds,
    check_finite,
    moving_average,
    set_dropout,
)
from incognote.workshop.training.optimizers import BASE, decayed, undecayed, warm_up_share
from incognote.workshop.training.processes import Processes

CURVE = "curve.jsonl"
SAMPLE = 64
"""Windows by which the feed-forward units that weigh most are found."""
_AUTOCAST = {"bf16": torch.bfloat16, "fp16": torch.float16}
NEVER = -1.0
_LAYER = re.compile(r"\.(attentions|feed_forwards|forward_layers|backward_layers)\.(\d+)\.")


@dataclass
class Progress(RunProgress):
    """What a run knows of itself: where it is, how well it does, how fast it goes.

    epoch: epochs done; step: steps done of the current one; steps: of all. best: the best F1, and
    best_epoch (from 1) when it was. loss: its moving average.
    """

    epoch: int = 0
    step: int = 0
    steps: int = 0
    best: float = NEVER
    best_epoch: int = 0
    stopped: bool = False
    loss: float = 0.0
    epoch_loss: float = 0.0
    tokens: int = 0
    windows: int = 0

    @property
    def done(self) -> int:
        return self.steps

    def add_step(self, loss: float, norm: float, uniform: float) -> None:
        """Count a step; a loss that is no number, or far above guessing (`uniform`), ends the run."""
        place = f"step {self.steps + 1} (epoch {self.epoch + 1})"
        check_finite(loss, norm, place)
        self.step += 1
        self.steps += 1
        self.epoch_loss += loss
        self.loss = moving_average(self.loss, loss, self.steps)
        check_bounds(self.loss, uniform, self.steps, place)

    def add_epoch(self, lr: float, figures: Mapping[str, float]) -> bool:
        """Close an epoch; whether its F1 is the best so far (the first counts)."""
        rates = self.rates()
        row = {
            "epoch": self.epoch + 1,
            "steps": self.steps,
            "loss": self.epoch_loss / max(1, self.step),
            "lr": lr,
            **figures,
            "seconds": round(self.seconds, 3),
            **{name: round(rate, 3) for name, rate in rates.items()},
        }
        self.curve.append(row)
        self.epoch += 1
        self.step, self.epoch_loss = 0, 0.0
        better = figures.get("f1", NEVER) > self.best
        if better:
            self.best, self.best_epoch = figures["f1"], self.epoch
        return better

    def rates(self) -> dict[str, float]:
        """Tokens, windows and steps per second of training."""
        time = self.seconds or math.inf
        return {
            "tokens_per_second": self.tokens / time,
            "samples_per_second": self.windows / time,
            "steps_per_second": self.steps / time,
        }


@dataclass(frozen=True)
class Tick:
    """What a watcher gets after each step."""

    progress: Progress
    steps: int
    """Of the whole run."""
    lr: float


Watch = Callable[[Tick], None]


class Run(Loop[list[list[int]]]):
    """One run from its start to the last epoch; `train.py` makes a checkpoint of it.

    A step is some batches of windows, by their indices.
    """

    progress: Progress
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
        self.options, self.validation, self.watch = options, validation, watch
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
            adamw(self.tagger, options),
            options,
            folder,
            data=fingerprint(self.examples),
            processes=processes,
            seed=options.seed,
            lr=options.lr,
            clip=options.clip,
            save_seconds=options.save_seconds,
            half=options.precision == "fp16",
            average=options.average,
        )
        self.validation_data = notes_fingerprint(validation)
        self.progress = Progress()
        self.batch_size = self._batch_size()
        self._plan()

    def resume(self) -> dict[str, str]:
        """Go on from the state on disk."""
        metadata = super().resume()
        if metadata.get("validated", self.validation_data) != self.validation_data:
            raise TrainError(
                f"{self.saved.folder.parent}: this run was started with another validation part; "
                "continue it as it was, or start over with --overwrite"
            )
        if "batch_size" in metadata:
            self.batch_size = json.loads(metadata["batch_size"])
            self._plan()
        if scaler := json.loads(metadata["scaler"]):
            self.scaler.load_state_dict(scaler)
        return metadata

    def train(self) -> Progress:
        """Run to the end: all epochs, or until patience is over."""
        progress = self.progress
        while progress.epoch < self.options.epochs and not progress.stopped:
            plan = self.plans[progress.epoch]
            while progress.step < len(plan):
                self.step(plan[progress.step])
            self._close_epoch()
        return progress

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

    def _plan(self) -> None:
        """Lay out the steps of every epoch."""
        self.plans = [self._steps(epoch) for epoch in range(self.options.epochs)]

    @property
    def all_steps(self) -> int:
        return sum(map(len, self.plans))

    def rate(self) -> float:
        return schedule(self.progress.steps, self.all_steps, self.options.warmup)

    def _steps(self, epoch: int) -> list[list[list[int]]]:
        """The steps of an epoch, each some batches of windows' indices."""
        options = self.options
        batches = epoch_batches(
            [example.length for example in self.examples],
            tokens=options.batch_tokens,
            size=self.batch_size,
            seed=options.seed,
            epoch=epoch,
        )
        size = options.accumulate
        return [batches[place : place + size] for place in range(0, len(batches), size)]

    def _gradients(self, step: list[list[int]]) -> list[float]:
        batches = self._batches(step)
        weight = sum(self._weight(batch) for batch in batches)
        self.optimizer.zero_grad(set_to_none=True)
        loss = 0.0
        for batch in batches:
            if own := self.processes.share(batch):
                loss += self._backward(own, weight)
        return [loss]

    def _batches(self, step: list[list[int]]) -> list[list[Example]]:
        return [[self.examples[index] for index in batch] for batch in step]

    def _count(self, step: list[list[int]], sums: Sequence[float], norm: float) -> None:
        progress = self.progress
        progress.add_step(sums[0], norm, math.log(len(self.tagger.labels.names)))
        progress.tokens += sum(self.examples[index].length for batch in step for index in batch)
        progress.windows += sum(map(len, step))

    def _tell(self, step: list[list[int]], lr: float, norm: float) -> None:
        self.watch(Tick(self.progress, self.all_steps, lr))

    def _backward(self, batch: Sequence[Example], weight: float) -> float:
        device = self.processes.device
        packed, targets = pack_examples(batch, device)
        dtype = _AUTOCAST.get(self.options.precision)
        with torch.autocast(device.type, dtype) if dtype else nullcontext():
            loss = summed_loss(
                self.tagger,
                packed,
                targets,
                weights=self.weights,
                smoothing=self.options.label_smoothing,
                teacher=self.teacher,
                teacher_share=self.options.teacher_share,
            )
        loss = loss / weight
        scaled: Any = self.scaler.scale(loss)
        scaled.backward()
        return float(loss.detach())

    def _weight(self, batch: Sequence[Example]) -> float:
        """What the losses of a step are divided by: its tokens, as they are weighted."""
        if self.weights is None:
            return float(sum(len(example.tags) for example in batch))
        weights = self.weights.cpu().numpy()
        return float(sum(weights[example.tags].sum() for example in batch))

    def _close_epoch(self) -> None:
        with nullcontext() if self.average is None else self.average.instead():
            self._evaluate_epoch()
        self.save()
        if self.processes.leads:
            # The learning curve, a line for each epoch, stays when the run is over.
            lines = "".join(json.dumps(row) + "\n" for row in self.progress.curve)
            write_whole(self.saved.folder.parent / CURVE, lines.encode())

    def _evaluate_epoch(self) -> None:
        progress, options = self.progress, self.options
        figures: dict[str, float] = {}
        if self.validation:
            began = time.perf_counter()
            own = predict(self.tagger, self.reader, self.processes.share(self.validation))
            predicted = self.processes.together(own)
            figures = strict_figures(self.validation, predicted)
            figures["validation_seconds"] = round(time.perf_counter() - began, 3)
        better = progress.add_epoch(self.rate() * options.lr, figures)
        epochs_since = progress.epoch - progress.best_epoch
        if options.patience is not None and figures and epochs_since >= options.patience:
            progress.stopped = True
        if self.processes.leads and better and options.keep == "best":
            self.saved.save_best(self.tagger)

    def _more_state(self) -> dict[str, str]:
        return {
            "scaler": json.dumps(self.scaler.state_dict()),
            "validated": self.validation_data,
            "batch_size": json.dumps(self.batch_size),
        }


def adamw(tagger: Tagger, options: Options) -> torch.optim.AdamW:
    """AdamW with groups by learning rate and decay; norms and biases do not decay."""
    plain = undecayed(tagger)
    depths = _depths(tagger)
    groups: dict[tuple[float, float], dict[str, Any]] = {}
    for name, parameter in tagger.named_parameters():
        if not parameter.requires_grad:
            continue
        decays = name not in plain and not name.startswith("crf.")
        lr, decay = _rate(name, depths, options), options.weight_decay if decays else 0.0
        group = {"params": [], "lr": lr, BASE: lr, "weight_decay": decay}
        groups.setdefault((lr, decay), group)["params"].append(parameter)
    return torch.optim.AdamW(list(groups.values()), betas=(0.9, 0.999), eps=1e-8, fused=True)


def schedule(step: int, steps: int, warmup: float) -> float:
    """Up from 0 over the first share of steps, then down to 0, as `transformers` does."""
    return decayed(step, steps, warm_up_share(steps, warmup))


def _rate(name: str, depths: dict[str, int], options: Options) -> float:
    if not name.startswith("model.encoder."):
        return options.head_lr or options.lr
    top = 1 + max(depths.values(), default=0)
    depth = depths.get(name, 0)
    # The embeddings lie below the first layer.
    return options.lr * options.layer_decay ** (top - depth)


def _depths(tagger: Tagger) -> dict[str, int]:
    """The layer of each parameter of a layer, from 1; a shared one is as deep as its last use."""
    encoder = tagger.model.encoder
    last_use: dict[tuple[str, int], int] = {}
    stack = getattr(encoder, "stack", None)
    if isinstance(stack, Stack):
        for layer, (attention, feed_forward) in enumerate(stack.order, start=1):
            last_use["attentions", attention] = layer
            last_use["feed_forwards", feed_forward] = layer
    depths = {}
    for name, _ in tagger.named_parameters():
        if match := _LAYER.search(name):
            place = (match[1], int(match[2]))
            depths[name] = last_use.get(place, place[1] + 1)
    return depths
