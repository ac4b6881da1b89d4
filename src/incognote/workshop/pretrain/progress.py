"""What a pretraining run knows of itself: where it is, what it costs, how fast it goes."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from incognote.workshop.training.loop import RunProgress, check_bounds, check_finite, moving_average


@dataclass
class Progress(RunProgress):
    """Kept with the weights, so that a continued run is told from an unbroken one by nothing.

    steps: of the whole run. step: steps done. epoch, place: where in the examples of the current
    length the next step begins. averages: moving average of each part of the loss; lost, terms:
    sums since the last row of the log. Times are of training alone. curve: held-out figures.
    """

    steps: int
    step: int = 0
    epoch: int = 0
    place: int = 0
    pieces: int = 0
    averages: dict[str, float] = field(default_factory=dict)
    lost: dict[str, float] = field(default_factory=dict)
    terms: dict[str, float] = field(default_factory=dict)
    logged: tuple[float, int] = (0.0, 0)

    @property
    def done(self) -> int:
        return self.step

    def add_step(
        self,
        lost: Mapping[str, float],
        terms: Mapping[str, float],
        norm: float,
        guessing: Mapping[str, float],
    ) -> None:
        """Count a step; a loss that is no number, or far above guessing, ends the run."""
        place = f"step {self.step + 1}"
        check_finite(sum(lost.values()), norm, place)
        self.step += 1
        for part, value in lost.items():
            mean = value / max(1.0, terms[part])
            self.averages[part] = moving_average(self.averages.get(part, mean), mean, self.step)
            check_bounds(self.averages[part], guessing[part], self.step, f"{place} ({part})")
            self.lost[part] = self.lost.get(part, 0.0) + value
            self.terms[part] = self.terms.get(part, 0.0) + terms[part]

    def log_row(self) -> dict[str, float]:
        """The mean loss of each part and the speed since the last row; then they begin anew."""
        seconds, pieces = self.logged
        row: dict[str, float] = {
            f"{part}_loss": value / max(1.0, self.terms[part]) for part, value in self.lost.items()
        }
        row["pieces"] = self.pieces
        row["seconds"] = round(self.seconds, 2)
        row["pieces_per_second"] = (self.pieces - pieces) / ((self.seconds - seconds) or math.inf)
        self.lost, self.terms = {}, {}
        self.logged = (self.seconds, self.pieces)
        return row

    @property
    def pieces_per_second(self) -> float:
        """The speed of the whole run so far."""
        return self.pieces / (self.seconds or math.inf)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """What `to_json` wrote."""
        values: dict[str, Any] = json.loads(text)
        seconds, pieces = values["logged"]
        return cls(**{**values, "logged": (seconds, pieces)})
