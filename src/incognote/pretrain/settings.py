"""All that can be chosen for a pretraining run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Literal, Self, get_args

from incognote.training.errors import TrainError
from incognote.training.optimizers import OptimizerName
from incognote.training.schedules import decayed, decayed_from_start

Decay = Literal["after-warmup", "from-start", "none"]
Precision = Literal["fp32", "bf16"]

# What may differ between a run and its continuation: it changes no weight.
FREE = frozenset({"save_seconds", "log_every", "workers"})


@dataclass(frozen=True, kw_only=True)
class Phase:
    """Steps with sequences of one length: from `first` up to `last`, which is not in it."""

    length: int
    first: int
    last: int


@dataclass(frozen=True, kw_only=True)
class Settings:
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

    def __post_init__(self) -> None:
        for name, holds, must in self._rules():
            if not holds:
                raise TrainError(f"{name} must be {must}, not {getattr(self, name)!r}")
        if (self.steps is None) == (self.hours is None):
            raise TrainError("give steps or hours, one of them")
        if (self.batch_size is None) == (self.batch_pieces is None):
            raise TrainError("give batch_size or batch_pieces, one of them")

    def _rules(self) -> list[tuple[str, bool, str]]:
        def positive(value: float | None) -> bool:
            return value is None or 0 < value < float("inf")

        above = (
            *("steps", "hours", "batch_size", "batch_pieces", "pack", "lr", "eps", "power"),
            *("clip", "evaluate_every", "evaluate_examples", "final_examples", "log_every"),
        )
        below_one = ("weight_decay", "dropout", "attention_dropout")
        chosen = (("optimizer", OptimizerName), ("decay", Decay), ("precision", Precision))
        return [
            *((name, positive(getattr(self, name)), "above 0") for name in above),
            *(
                (name, 0 <= (getattr(self, name) or 0) < 1, "from 0 up to but not 1")
                for name in below_one
            ),
            ("betas", all(0 <= beta < 1 for beta in self.betas), "from 0 up to but not 1"),
            ("warmup", self.warmup >= 0, "0 or more"),
            ("workers", (self.workers or 0) >= 0, "0 or more"),
            ("save_seconds", self.save_seconds >= 0, "0 or more"),
            (
                "lengths",
                bool(self.lengths) and all(n >= 8 and share > 0 for n, share in self.lengths),
                "of 8 pieces or more, each with a share above 0",
            ),
            *(
                (name, getattr(self, name) in get_args(kind), f"one of {', '.join(get_args(kind))}")
                for name, kind in chosen
            ),
        ]

    def phases(self, steps: int) -> list[Phase]:
        """The steps of each length."""
        whole = sum(share for _, share in self.lengths)
        phases: list[Phase] = []
        first, passed = 0, 0.0
        for length, share in self.lengths:
            passed += share
            last = round(steps * passed / whole)
            if last > first:
                phases.append(Phase(length=length, first=first, last=last))
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

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        return asdict(self)

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Self:
        """From what `to_json` gave, through JSON or not."""
        unknown = set(values) - {each.name for each in fields(cls)}
        if unknown:
            raise TrainError(f"settings that this version does not know: {', '.join(unknown)}")
        lengths = tuple((int(length), float(share)) for length, share in values["lengths"])
        return cls(**{**values, "lengths": lengths, "betas": tuple(values["betas"])})

    def differences(self, other: Settings) -> list[str]:
        """The settings by which a continued run would end elsewhere."""
        mine, theirs = self.to_json(), other.to_json()
        return [name for name in mine if name not in FREE and mine[name] != theirs[name]]
