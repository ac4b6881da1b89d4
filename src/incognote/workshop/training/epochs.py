"""Training by epochs: batches of like length, figures after each epoch, the best of them kept.

What is learned from is a list of items, such as windows of notes or questions with their contexts. The
batches of an epoch are a function of the seed and the epoch alone, so a run that goes on somewhere
within an epoch needs to know only where.
"""

from __future__ import annotations

import json
import math
import time
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

import numpy as np
import torch
from torch import Tensor, nn

from incognote.base.errors import TrainError
from incognote.base.files import write_whole
from incognote.workshop.training.loop import (
    Loop,
    RunProgress,
    check_bounds,
    check_finite,
    moving_average,
)
from incognote.workshop.training.optimizers import decayed, warm_up_share
from incognote.workshop.training.processes import Processes
from incognote.workshop.training.run_options import EpochOptions

CURVE = "curve.jsonl"
NEVER = -1.0
BUCKET = 32
"""How many batches' worth of items are sorted by length together."""

_RATES = ("tokens_per_second", "samples_per_second", "steps_per_second")
_NO_FIGURES = ("epoch", "steps", "loss", "lr", "seconds", "validation_seconds", *_RATES)
"""What else a row of the curve has."""

_AUTOCAST = {"bf16": torch.bfloat16, "fp16": torch.float16}

Item = TypeVar("Item")


@dataclass
class Progress(RunProgress):
    """What a run knows of itself: where it is, how well it does, how fast it goes.

    epoch: epochs done; step: steps done of the current one; steps: of all. best: the best figure, and
    best_epoch (from 1) when it was. loss: its moving average. windows: items learned from.
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

    def add_epoch(self, lr: float, figures: Mapping[str, float], metric: str = "f1") -> bool:
        """Close an epoch; whether its metric is the best so far (the first counts)."""
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
        better = figures.get(metric, NEVER) > self.best
        if better:
            self.best, self.best_epoch = figures[metric], self.epoch
        return better

    def rates(self) -> dict[str, float]:
        """Tokens, windows and steps per second of training."""
        time = self.seconds or math.inf
        counts = (self.tokens, self.windows, self.steps)
        return {name: count / time for name, count in zip(_RATES, counts, strict=True)}


@dataclass(frozen=True)
class Tick:
    """What a watcher gets after each step."""

    progress: Progress
    steps: int
    """Of the whole run."""
    lr: float


Watch = Callable[[Tick], None]


class EpochLoop(Loop[list[list[int]]], Generic[Item]):
    """A run over all items some times; a step is some batches of them, by their indices.

    A kind of training says how long an item is, what its loss is, and how good the module is at the end
    of an epoch. `metric` is the figure by which the best epoch is chosen; `validated` a fingerprint of
    what it is measured on, or nothing if there are no figures.
    """

    progress: Progress
    metric = "f1"

    def __init__(
        self,
        module: nn.Module,
        optimizer: torch.optim.Optimizer,
        options: EpochOptions,
        folder: Path,
        *,
        items: Sequence[Item],
        data: str,
        validated: str,
        processes: Processes,
        watch: Watch,
    ) -> None:
        super().__init__(
            module,
            optimizer,
            options,
            folder,
            data=data,
            processes=processes,
            seed=options.seed,
            lr=options.lr,
            clip=options.clip,
            save_seconds=options.save_seconds,
            half=options.precision == "fp16",
            average=options.average,
        )
        self.options, self.items, self.watch = options, items, watch
        self.validation_data = validated
        self.progress = Progress()
        self.batch_size = self._batch_size()
        self._plan()

    @abstractmethod
    def _length(self, item: Item) -> int:
        """The tokens of an item."""

    @abstractmethod
    def _loss(self, batch: Sequence[Item]) -> Tensor:
        """The losses of a batch, summed."""

    @abstractmethod
    def _weight(self, batch: Sequence[Item]) -> float:
        """What the sum of a step's losses is divided by."""

    @property
    @abstractmethod
    def _uniform(self) -> float:
        """The loss of guessing."""

    @abstractmethod
    def _figures(self) -> dict[str, float]:
        """How good the module is now; nothing where it is not measured."""

    def _batch_size(self) -> int | None:
        """The items in a batch; None if batches are counted in tokens."""
        size = self.options.batch_size
        assert not isinstance(size, str)
        return size

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
        while progress.epoch < len(self.plans) and not progress.stopped:
            plan = self.plans[progress.epoch]
            while progress.step < len(plan):
                self.step(plan[progress.step])
            self._close_epoch()
        return progress

    def _plan(self) -> None:
        """Lay out the steps of every epoch."""
        self.plans = [self._steps(epoch) for epoch in range(self.options.epochs)]

    @property
    def all_steps(self) -> int:
        return sum(map(len, self.plans))

    def rate(self) -> float:
        return schedule(self.progress.steps, self.all_steps, self.options.warmup)

    def _steps(self, epoch: int) -> list[list[list[int]]]:
        """The steps of an epoch, each some batches of items' indices."""
        options = self.options
        batches = epoch_batches(
            [self._length(item) for item in self.items],
            tokens=options.batch_tokens,
            size=self.batch_size,
            seed=options.seed,
            epoch=epoch,
        )
        size = options.accumulate
        return [batches[place : place + size] for place in range(0, len(batches), size)]

    def _gradients(self, step: list[list[int]]) -> list[float]:
        batches = [[self.items[index] for index in batch] for batch in step]
        weight = sum(self._weight(batch) for batch in batches)
        self.optimizer.zero_grad(set_to_none=True)
        loss = 0.0
        for batch in batches:
            if own := self.processes.share(batch):
                loss += self._backward(own, weight)
        return [loss]

    def _backward(self, batch: Sequence[Item], weight: float) -> float:
        with self.autocast():
            loss = self._loss(batch)
        loss = loss / weight
        scaled: Any = self.scaler.scale(loss)
        scaled.backward()
        return float(loss.detach())

    def autocast(self) -> AbstractContextManager[Any]:
        """The precision of the matrix multiplications."""
        dtype = _AUTOCAST.get(self.options.precision)
        return torch.autocast(self.processes.device.type, dtype) if dtype else nullcontext()

    def _count(self, step: list[list[int]], sums: Sequence[float], norm: float) -> None:
        progress = self.progress
        progress.add_step(sums[0], norm, self._uniform)
        progress.tokens += sum(self._length(self.items[index]) for batch in step for index in batch)
        progress.windows += sum(map(len, step))

    def _tell(self, step: list[list[int]], lr: float, norm: float) -> None:
        self.watch(Tick(self.progress, self.all_steps, lr))

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
        began = time.perf_counter()
        figures = self._figures()
        if figures:
            figures["validation_seconds"] = round(time.perf_counter() - began, 3)
        better = progress.add_epoch(self.rate() * options.lr, figures, self.metric)
        epochs_since = progress.epoch - progress.best_epoch
        if options.patience is not None and figures and epochs_since >= options.patience:
            progress.stopped = True
        if self.processes.leads and better and options.keep == "best":
            self.saved.save_best(self.module)

    def _more_state(self) -> dict[str, str]:
        return {
            "scaler": json.dumps(self.scaler.state_dict()),
            "validated": self.validation_data,
            "batch_size": json.dumps(self.batch_size),
        }

    @property
    def epoch_to_keep(self) -> int:
        """Which epoch is written: the best where there is one and it is wanted, else the last."""
        progress = self.progress
        best = self.options.keep == "best" and progress.best_epoch
        return progress.best_epoch if best else progress.epoch

    def figures_of(self, epoch: int) -> dict[str, float]:
        """What was measured at the end of an epoch, counted from 1."""
        row = self.progress.curve[epoch - 1]
        return {name: value for name, value in row.items() if name not in _NO_FIGURES}

    def speed(self) -> dict[str, float]:
        """How long it took, and how fast it was, for training.json."""
        progress = self.progress
        return {
            "seconds": round(progress.seconds, 1),
            "steps": progress.steps,
            "processes": self.processes.count,
            **{name: round(rate, 3) for name, rate in progress.rates().items()},
        }


def schedule(step: int, steps: int, warmup: float) -> float:
    """Up from 0 over the first share of steps, then down to 0, as `transformers` does."""
    return decayed(step, steps, warm_up_share(steps, warmup))


def epoch_batches(
    lengths: Sequence[int], *, tokens: int | None, size: int | None, seed: int, epoch: int
) -> list[list[int]]:
    """Indices of items, batch by batch: all items once, at most `tokens` tokens or `size` of them.

    Items are shuffled, sorted by length within buckets of some batches, and the batches shuffled. One
    longer than the budget is a batch of its own.
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
