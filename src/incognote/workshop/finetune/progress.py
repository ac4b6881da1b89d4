"""What a run knows of itself: where it is, how well it does, how fast it goes."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from incognote.workshop.training import loop as training_loop
from incognote.workshop.training.loop import check_bounds, check_finite, moving_average

NEVER = -1.0


@dataclass
class Progress(training_loop.Progress):
    """Kept with the weights, so that a continued run is told from an unbroken one by nothing.

    epoch: epochs done; step: steps done of the current one; steps: of all. best: the best F1, and
    best_epoch (from 1) when it was. loss: its moving average. Times are of training alone.
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
        """Pieces, windows and steps per second of training."""
        time = self.seconds or math.inf
        return {
            "tokens_per_second": self.tokens / time,
            "samples_per_second": self.windows / time,
            "steps_per_second": self.steps / time,
        }
