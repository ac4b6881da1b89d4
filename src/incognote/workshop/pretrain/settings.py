"""All that can be chosen for a pretraining run."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Self

from incognote.base.errors import TrainError
from incognote.workshop.training.chosen import Chosen, below_one, positive
from incognote.workshop.training.optimizers import OptimizerName, decayed, decayed_from_start

Decay = Literal["after-warmup", "from-start", "none"]
Precision = Literal["fp32", "bf16"]


@dataclass(frozen=True, kw_only=True)
class Phase:
    """Steps with sequences of one length: from the end of the one before up to `last`."""

    length: int
    last: int


@dataclass(frozen=True, kw_only=True)
class Settings(Chosen):
    """Settings of a run.

    steps, or hours: how long; hours become steps by a measurement at the start.
    batch_size: sequences in a step, or `batch_pieces` pieces; pack: pieces computed at once.
    lengths: pieces in a sequence, each with its share of the steps, in order.
    warmup: steps, or below 1 a share of them. decay: of the learning rate, to the given power.
    clip: the largest gradient norm; None, any. decay_all: norms and biases decay too.
    dropout, attention_dropout: the model's own if None.
    objective_options, example_options: changes of the objective's and its examples' defaults.
    evaluate_every: steps; None, twenty times in all. evaluate_length: the first length if None.
    evaluate_examples: held-out sequences each time, final_examples at the end.
    workers: processes that make examples ahead; None, none on a CPU and two beside a GPU.
    """

    objective: str
    steps: int | None = None
    hours: float | None = None
    batch_size: int | None = None
    batch_pieces: int | None = None
    pack: int = 2048
    lengths: tuple[tuple[int, float], ...] = ((128, 0.9), (512, 0.1))
    optimizer: OptimizerName = "adamw"
    lr: float = 1e-4
    betas: tuple[float, float] = (0.9, 0.999)
    eps: float = 1e-6
    weight_decay: float = 0.01
    decay_all: bool = False
    warmup: float = 0.01
    decay: Decay = "from-start"
    power: float = 1.0
    clip: float | None = 1.0
    dropout: float | None = None
    attention_dropout: float | None = None
    seed: int = 0
    precision: Precision = "fp32"
    objective_options: Mapping[str, Any] = field(default_factory=dict)
    example_options: Mapping[str, Any] = field(default_factory=dict)
    evaluate_every: int | None = None
    evaluate_length: int | None = None
    evaluate_examples: int = 500
    final_examples: int = 2000
    save_seconds: float = 300.0
    log_every: int | None = None
    workers: int | None = None

    free = frozenset({"save_seconds", "log_every", "workers"})

    def __post_init__(self) -> None:
        self.must("above 0", positive, "steps", "hours", "batch_size", "batch_pieces", "pack", "lr")
        self.must("above 0", positive, "eps", "power", "clip", "evaluate_every", "log_every")
        self.must("above 0", positive, "evaluate_examples", "final_examples")
        self.must("from 0 up to but not 1", below_one, "weight_decay", "dropout")
        self.must("from 0 up to but not 1", below_one, "attention_dropout")
        self.must("from 0 up to but not 1", lambda betas: all(map(below_one, betas)), "betas")
        self.must("0 or more", lambda n: 0 <= (n or 0) < math.inf, "warmup", "workers")
        self.must("0 or more", lambda n: n >= 0, "save_seconds")
        self.must("from 0 up to but not 2**63", lambda seed: 0 <= seed < 2**63, "seed")
        self.must("8 tokens or more", lambda n: n is None or n >= 8, "evaluate_length")
        self.must(
            "of 8 tokens or more, each with a share above 0",
            lambda lengths: lengths and all(n >= 8 and share > 0 for n, share in lengths),
            "lengths",
        )
        self.must_be_of(optimizer=OptimizerName, decay=Decay, precision=Precision)
        if (self.steps is None) == (self.hours is None):
            raise TrainError("give steps or hours, one of them")
        if (self.batch_size is None) == (self.batch_pieces is None):
            raise TrainError("give batch_size or batch_pieces, one of them")

    def phases(self, steps: int) -> list[Phase]:
        """The steps of each length."""
        whole = sum(share for _, share in self.lengths)
        phases: list[Phase] = []
        first, passed = 0, 0.0
        for length, share in self.lengths:
            passed += share
            last = round(steps * passed / whole)
            if last > first:
                phases.append(Phase(length=length, last=last))
            first = last
        return phases

    def sequences(self, length: int) -> int:
        """How many sequences of a length make a step."""
        return self.batch_size or max(1, round((self.batch_pieces or 0) / length))

    def rate(self, step: int, steps: int) -> float:
        """The learning rate's factor at a step."""
        warmup = round(self.warmup * steps) if self.warmup < 1 else int(self.warmup)
        if self.decay == "none":
            return step / warmup if step < warmup else 1.0
        schedule = decayed if self.decay == "after-warmup" else decayed_from_start
        return schedule(step, steps, warmup, power=self.power)

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Self:
        """From what `to_json` gave, through JSON or not."""
        lengths = tuple((int(length), float(share)) for length, share in values["lengths"])
        return super().from_json({**values, "lengths": lengths, "betas": tuple(values["betas"])})
