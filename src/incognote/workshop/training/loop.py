"""One training loop under fine-tuning and pretraining: steps that can be taken again, exactly.

A run draws from where it is, not from what went before: the seed of each step is a function of the
run's seed and the step's number, so there is no state of random generators to keep. Weights, moments
and progress are saved between two steps, so that a killed run ends as an unbroken one, bit for bit.

- `Loop`: a step, saving on time, going on after a kill; `RunProgress`: what a run knows of itself.
- `pause_on_signal`: stops a run after a step, where all of it can be kept.
- `check_finite`, `check_bounds`: end a run that can come to nothing, with a sentence, and soon.
"""

from __future__ import annotations

import json
import math
import os
import signal
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any, Generic, Self, TypeVar

import numpy as np
import torch
from torch import nn
from torch.nn.utils import clip_grad_norm_

from incognote.base.errors import DivergedError
from incognote.workshop.encoders.layers import SelfAttention
from incognote.workshop.training.optimizers import WeightAverage, set_rates
from incognote.workshop.training.processes import Processes
from incognote.workshop.training.run_folder import BEGINS_ANEW, SavedState
from incognote.workshop.training.run_options import RunOptions

Tick = TypeVar("Tick")
Step = TypeVar("Step")

_MEMORY = 0.95
_PATIENT_STEPS = 20
_BOUND = 4.0
_ADVICE = "try a lower learning rate or more warm-up"


@dataclass
class RunProgress(ABC):
    """Kept with the weights, so that nothing tells a continued run from an unbroken one.

    seconds: of training alone. curve: figures on held-out text on the way.
    """

    seconds: float = field(default=0.0, kw_only=True)
    curve: list[dict[str, float]] = field(default_factory=list, kw_only=True)

    @property
    @abstractmethod
    def done(self) -> int:
        """Steps taken so far."""

    def to_json(self) -> str:
        """Exactly: floats come back as they were."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> Self:
        """What `to_json` wrote."""
        return cls(**json.loads(text))


class Loop(ABC, Generic[Step]):
    """The steps of one run, from its start to the end or from where it was killed.

    A kind of training says what a step is made of, how its gradients are computed and what is counted
    and told of it; all else that happens in a step is here. `data` is a fingerprint of what is learned
    from; `chosen` with it decides whether a saved state belongs to this run.
    """

    progress: RunProgress

    def __init__(
        self,
        module: nn.Module,
        optimizer: torch.optim.Optimizer,
        chosen: RunOptions,
        folder: Path,
        *,
        data: str,
        processes: Processes,
        seed: int,
        lr: float,
        clip: float | None,
        save_seconds: float,
        half: bool = False,
        average: float | None = None,
    ) -> None:
        self.module, self.optimizer, self.chosen = module, optimizer, chosen
        self.data, self.processes = data, processes
        self.seed, self.lr, self.clip, self.save_seconds = seed, lr, clip, save_seconds
        self.scaler = torch.amp.GradScaler(processes.device.type, enabled=half)
        self.average = WeightAverage(module, optimizer, average) if average else None
        self.saved = SavedState(folder)
        self._last_save = time.monotonic()

    other_data: str
    """How a user is told that a saved state is of other data."""

    @property
    @abstractmethod
    def all_steps(self) -> int:
        """Steps of the whole run."""

    @abstractmethod
    def rate(self) -> float:
        """The schedule's factor on the learning rate, now."""

    @abstractmethod
    def _gradients(self, step: Step) -> Sequence[float]:
        """Compute this process' gradients; figures that are then summed over all processes."""

    @abstractmethod
    def _count(self, step: Step, sums: Sequence[float], norm: float) -> None:
        """Count the step with its summed figures; a run that has diverged ends here."""

    @abstractmethod
    def _tell(self, step: Step, lr: float, norm: float) -> None:
        """Log the step and tell whoever watches, who may raise `Paused`."""

    def _more_state(self) -> dict[str, str]:
        """What else is saved with the run."""
        return {}

    def begin(self, *, resume: bool, say: Callable[[str], None]) -> None:
        """Go on from the state on disk if that is wanted and there is one; `say` which it is."""
        if resume and self.saved.exists:
            self.resume()
            say(f"continuing at step {self.progress.done:,} of {self.all_steps:,}")
        elif resume:
            say(BEGINS_ANEW)

    def resume(self) -> dict[str, str]:
        """Go on from the state on disk; returns what was saved beside the weights."""
        metadata = self.saved.restore_run(
            self.module,
            self.optimizer,
            self.chosen,
            self.data,
            self.processes.count,
            others=self.other_data,
        )
        self.progress = type(self.progress).from_json(metadata["progress"])
        return metadata

    def save(self) -> None:
        """Keep this moment on disk."""
        self._last_save = time.monotonic()
        if self.processes.leads:
            self.saved.save_run(
                self.module,
                self.optimizer,
                self.progress.to_json(),
                self.chosen,
                self.data,
                self.processes.count,
                **self._more_state(),
            )

    def step(self, step: Step) -> None:
        """Take a step; save the state if it is time, or if the run is to stop after it."""
        began = time.perf_counter()
        workers, scaler = self.processes, self.scaler
        factor = self.rate()
        set_rates(self.optimizer, factor)
        torch.manual_seed(seed_at(self.seed, self.progress.done, workers.rank))
        sums = self._gradients(step)
        workers.sum_gradients(self.module.parameters())
        scaler.unscale_(self.optimizer)
        norm = float(clip_grad_norm_(self.module.parameters(), self.clip or math.inf))
        due = time.monotonic() - self._last_save >= self.save_seconds
        *sums, save = workers.total(*sums, float(due and workers.leads))
        if scaler.is_enabled() and not math.isfinite(norm):
            norm = 0.0  # the scaler leaves this step out and tries a smaller scale
        self._count(step, sums, norm)
        scaler.step(self.optimizer)
        scaler.update()
        if self.average is not None:
            self.average.update(self.progress.done)
        self.progress.seconds += time.perf_counter() - began
        try:
            self._tell(step, factor * self.lr, norm)
        except Paused:
            self.save()
            raise
        if save:
            self.save()


def seed_at(*place: int) -> int:
    """A seed for a place in the run, far from those of its neighbours."""
    return int(np.random.SeedSequence(place).generate_state(1, np.uint64)[0]) >> 1


def set_dropout(module: nn.Module, share: float | None, attention: float | None) -> None:
    """The dropout of hidden states and of attention weights; None leaves it."""
    for part in module.modules():
        if isinstance(part, nn.Dropout) and share is not None:
            part.p = share
        if isinstance(part, SelfAttention) and attention is not None:
            part.attention_dropout = attention


def moving_average(before: float, loss: float, steps: int) -> float:
    """The loss smoothed, after so many steps with this one."""
    return loss if steps == 1 else _MEMORY * before + (1 - _MEMORY) * loss


def check_finite(loss: float, norm: float, place: str) -> None:
    """A loss or a gradient that is no number ends the run."""
    if math.isfinite(loss) and math.isfinite(norm):
        return
    what = "loss" if not math.isfinite(loss) else "gradient"
    kind = "NaN" if math.isnan(loss + norm) else "infinite"
    raise DivergedError(f"the {what} became {kind} at {place}: {_ADVICE}")


def check_bounds(average: float, uniform: float, steps: int, place: str) -> None:
    """A smoothed loss far above that of guessing (`uniform`) ends the run."""
    if steps >= _PATIENT_STEPS and average > _BOUND * uniform:
        raise DivergedError(
            f"the loss diverged: {average:.3g} at {place}, where guessing gives {uniform:.3g}: "
            f"{_ADVICE}"
        )


class Paused(BaseException):
    """Raised by a watcher: the run stops after this step, and keeps where it is."""


@contextmanager
def pause_on_signal(watch: Callable[[Tick], None]) -> Iterator[Callable[[Tick], None]]:
    """The watcher, which also stops the run once SIGINT or SIGTERM has come.

    Before the first step, and at a second signal, what was there before answers it. Of several
    processes none may stop at another step than the others, so they are left alone: the state that
    was saved last is theirs.
    """
    alone = os.environ.get("WORLD_SIZE", "1") == "1"
    if not alone or threading.current_thread() is not threading.main_thread():
        yield watch
        return
    stopping = stepping = False
    before: dict[signal.Signals, Any] = {}

    def answer(number: int, frame: FrameType | None) -> None:
        nonlocal stopping
        handler = before[signal.Signals(number)]
        if stepping and not stopping:
            stopping = True
        elif callable(handler):
            handler(number, frame)
        elif handler != signal.SIG_IGN:
            raise KeyboardInterrupt

    def watched(tick: Tick) -> None:
        nonlocal stepping
        stepping = True
        watch(tick)
        if stopping:
            raise Paused

    for number in (signal.SIGINT, signal.SIGTERM):
        before[number] = signal.signal(number, answer)
    try:
        yield watched
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
