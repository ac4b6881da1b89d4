"""How a Transformer learns: smoothed labels, the paper's schedule, and the mean of the last checkpoints.

What a run shares with others, such as going on after a kill to the same weights, is `training/loop.py`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import torch
from torch import Tensor, nn
from torch.nn import functional

from incognote.align.tokens import Integers
from incognote.base.errors import TrainError
from incognote.workshop.encoders.tensor_files import read_tensor_file, write_safetensors
from incognote.workshop.sequence_to_sequence.options import LearningOptions
from incognote.workshop.sequence_to_sequence.pairs import Batch, Pairs, batch_of, batches
from incognote.workshop.sequence_to_sequence.transformer import Transformer
from incognote.workshop.training.loop import (
    Loop,
    RunProgress,
    check_bounds,
    check_finite,
    moving_average,
    set_dropout,
)
from incognote.workshop.training.optimizers import inverse_root, optimizer_of
from incognote.workshop.training.processes import Processes

BETAS, EPSILON = (0.9, 0.98), 1e-9
CHECKPOINTS = "checkpoints"


def smoothed_loss(logits: Tensor, wanted: Tensor, share: float) -> Tensor:
    """The summed cross-entropy of logits [tokens, vocabulary] with smoothed labels [tokens].

    A label counts 1 - share, and every token, the label too, share / vocabulary.
    """
    return functional.cross_entropy(logits.float(), wanted, label_smoothing=share, reduction="sum")


@torch.no_grad()
def mean_of(states: Sequence[Mapping[str, Tensor]]) -> dict[str, Tensor]:
    """The mean of the weights of several checkpoints."""
    return {
        name: torch.stack([state[name].double() for state in states]).mean(0).to(value.dtype)
        for name, value in states[0].items()
    }


@dataclass
class Progress(RunProgress):
    """step: steps done. epoch, place: the batch that comes next. loss: its moving average.

    tokens: read and written so far.
    """

    step: int = 0
    epoch: int = 0
    place: int = 0
    loss: float = 0.0
    tokens: int = 0

    @property
    def done(self) -> int:
        return self.step

    @classmethod
    def from_json(cls, text: str) -> Self:
        """What `to_json` wrote."""
        return cls(**json.loads(text))


@dataclass(frozen=True)
class Tick:
    """What a watcher gets after each step."""

    progress: Progress
    steps: int
    lr: float


Evaluate = Callable[[Transformer], dict[str, float]]


class TransformerRun(Loop[Batch]):
    """Learn from pairs; `evaluate` gives the figures that join the curve on the way."""

    progress: Progress
    other_data = "with another text or vocabulary"

    def __init__(
        self,
        model: Transformer,
        pairs: Pairs,
        options: LearningOptions,
        folder: Path,
        *,
        processes: Processes | None = None,
        evaluate: Evaluate | None = None,
        watch: Callable[[Tick], None] = lambda tick: None,
    ) -> None:
        self.model, self.pairs, self.options = model, pairs, options
        self.evaluate, self.watch = evaluate, watch
        processes = processes or Processes(torch.device("cpu"))
        set_dropout(model, options.dropout, None)
        model.to(processes.device).train()
        rate = options.lr_scale
        super().__init__(
            model,
            optimizer_of(model, "adam", lr=rate, betas=BETAS, eps=EPSILON, weight_decay=0.0),
            options,
            folder,
            data=pairs.fingerprint,
            processes=processes,
            seed=options.seed,
            lr=rate,
            clip=options.clip,
            save_seconds=options.save_seconds,
        )
        self.progress = Progress()
        self._checkpoints = self.saved.folder / CHECKPOINTS
        self._guessing = float(torch.tensor(float(model.config.vocabulary_size)).log())

    @property
    def all_steps(self) -> int:
        return self.options.steps

    def rate(self) -> float:
        return inverse_root(self.progress.step, self.model.config.hidden_size, self.options.warmup)

    def train(self) -> None:
        """Run to the last step, then put the mean of the last checkpoints in the model."""
        if self.progress.step > self.options.steps:
            raise TrainError(
                f"the run has taken {self.progress.step:,} steps already: say --steps of as many or more"
            )
        while self.progress.step < self.options.steps:
            planned = batches(
                self.pairs, self.progress.epoch, self.options.batch_tokens, self.options.seed
            )
            if not planned:
                raise TrainError("the text gives no pairs to learn from: give more text")
            while self.progress.place < len(planned) and self.progress.step < self.options.steps:
                self.step(self._batch(planned[self.progress.place]))
            if self.progress.place >= len(planned):
                self.progress.epoch, self.progress.place = self.progress.epoch + 1, 0
        states = [read_tensor_file(self._checkpoint(step)) for step in self.options.averaged]
        self.model.load_state_dict(mean_of(states))

    def _batch(self, numbers: Integers) -> Batch:
        epoch = self.progress.epoch
        pairs = [self.pairs.pair(epoch, number) for number in numbers.tolist()]
        return batch_of(pairs, self.model.config).to(self.processes.device)

    def _gradients(self, step: Batch) -> list[float]:
        self.optimizer.zero_grad(set_to_none=True)
        half = self.options.precision == "bf16"
        device = self.processes.device.type
        with torch.autocast(device, torch.bfloat16) if half else nullcontext():
            loss = batch_loss(self.model, step, self.options.label_smoothing)
        loss = loss / len(step.wanted)
        backward: Any = loss.backward
        backward()
        return [float(loss.detach())]

    def _count(self, step: Batch, sums: Sequence[float], norm: float) -> None:
        progress = self.progress
        place = f"step {progress.step + 1}"
        check_finite(sums[0], norm, place)
        progress.step += 1
        progress.place += 1
        progress.tokens += step.tokens
        progress.loss = moving_average(progress.loss, sums[0], progress.step)
        check_bounds(progress.loss, self._guessing, progress.step, place)

    def _tell(self, step: Batch, lr: float, norm: float) -> None:
        progress, options = self.progress, self.options
        if progress.step % options.checkpoint_every == 0 or progress.step == options.steps:
            self._keep_checkpoint(progress.step)
        if self.evaluate is not None and progress.step % options.evaluate_every == 0:
            figures = self.evaluate(self.model)
            self.model.train()
            row = {"step": progress.step, "seconds": round(progress.seconds, 1), **figures}
            progress.curve.append(row)
        self.watch(Tick(progress, self.options.steps, lr))

    def _keep_checkpoint(self, step: int) -> None:
        """Write one, and remove those that will be in no mean."""
        self._checkpoints.mkdir(parents=True, exist_ok=True)
        write_safetensors(self.model.state_dict(), self._checkpoint(step), {})
        self._checkpoint(step - self.options.mean_of * self.options.checkpoint_every).unlink(
            missing_ok=True
        )

    def _checkpoint(self, step: int) -> Path:
        return self._checkpoints / f"step-{step}.safetensors"


def batch_loss(model: Transformer, batch: Batch, smoothing: float) -> Tensor:
    """The summed loss of a batch; logits are computed where a token is wanted only."""
    states, layout = model.encode(batch.source, batch.mask)
    hidden = model.decode(batch.target, states, layout)
    return smoothed_loss(model.logits(hidden[batch.places]), batch.wanted, smoothing)


@torch.inference_mode()
def held_out_figures(model: nn.Module, pairs: Sequence[Batch], half: bool) -> dict[str, float]:
    """Mean loss without smoothing, and the share of tokens foreseen, given those before."""
    assert isinstance(model, Transformer)
    model.eval()
    lost = right = tokens = 0.0
    for batch in pairs:
        device = batch.source.device.type
        with torch.autocast(device, torch.bfloat16) if half else nullcontext():
            states, layout = model.encode(batch.source, batch.mask)
            logits = model.logits(model.decode(batch.target, states, layout)[batch.places])
        lost += float(smoothed_loss(logits, batch.wanted, 0.0))
        right += float((logits.argmax(-1) == batch.wanted).sum())
        tokens += len(batch.wanted)
    return {"loss": lost / tokens, "accuracy": right / tokens}
