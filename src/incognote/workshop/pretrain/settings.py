"""The settings of pretraining: help, bounds and defaults, for Python and for `incognote pretrain`."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Annotated, Any, Literal, Self

from incognote.base.errors import TrainError
from incognote.base.options import (
    ABOVE_0,
    BELOW_1,
    SEED,
    Bound,
    Option,
    at_least,
    named_values,
)
from incognote.workshop.training.run_options import OptimizerName, RunOptions

Decay = Literal["after-warmup", "from-start", "at-end", "none"]
Precision = Literal["fp32", "bf16"]

# Presets decide the defaults, so that the command leaves out what is not given.
_model = partial(Option, panel="Model", varies=True)
_learning = partial(Option, panel="Learning", varies=True)
_evaluation = partial(Option, panel="Evaluation", varies=True)
_machine = partial(Option, panel="Machine", varies=True)

_STEPS_OR_SHARE = Bound("0 or more", lambda steps: 0 <= steps < math.inf)
_SHARE = Bound("above 0 and at most 1", lambda share: 0 < share <= 1)
_BETAS = Bound(BELOW_1.words, lambda betas: all(map(BELOW_1.holds, betas)))
_LENGTHS = Bound(
    "of 8 tokens or more, each with a share above 0",
    lambda lengths: lengths and all(length >= 8 and share > 0 for length, share in lengths),
)


def parse_lengths(text: str) -> tuple[tuple[int, float], ...]:
    """Lengths with their shares, as in 128:0.9,512:0.1."""
    pairs = []
    for part in text.split(","):
        length, _, share = part.partition(":")
        try:
            pairs.append((int(length), float(share or 1)))
        except ValueError:
            raise ValueError("write LENGTH:SHARE,…, such as 128:0.9,512:0.1") from None
    return tuple(pairs)


def parse_betas(text: str) -> tuple[float, float]:
    """Two numbers with a comma."""
    try:
        first, second = map(float, text.split(","))
    except ValueError:
        raise ValueError("write two, such as 0.9,0.999") from None
    return first, second


@dataclass(frozen=True, kw_only=True)
class Phase:
    """Steps with sequences of one length: from the end of the one before up to `last`."""

    length: int
    last: int


@dataclass(frozen=True, kw_only=True)
class Settings(RunOptions):
    """Settings of a run; the help of each says what it does, and presets hold the papers' choices.

    steps, hours: one of them is None; hours become steps by a measurement at the start.
    batch_size, batch_pieces: one of them is None too.
    lengths: in the order in which they are trained.
    clip: any norm if None. dropout, attention_dropout: the model's own if None.
    objective_options, example_options: changes of the objective's and its examples' defaults.
    evaluate_every: twenty times in all if None. evaluate_length: the first length if None.
    workers: if None, none on a CPU and two beside a GPU.
    """

    objective: Annotated[
        str,
        _model(
            "Objective: mlm, mlm+nsp, mlm+sop, electra (or electra-15, replace-mlm, "
            "all-tokens-mlm), xlnet or elmo; the preset's by default."
        ),
    ]
    objective_options: Annotated[
        Mapping[str, Any],
        _model(
            "Change the objective, such as --objective-option context=7. For mlm: mask, random "
            "(shares of the chosen tokens: 0.8, 0.1, the rest stay). For mlm+nsp and mlm+sop: these, "
            "and weight (of the sentence loss). For electra: mask, random, weight (of the "
            "discriminator), generator_size, sharing. For xlnet: context (K), longest (span), "
            "memory, both_ways. For elmo: words, samples.",
            flags=("--objective-option",),
            metavar="NAME=VALUE",
            parse=named_values,
            repeated=True,
        ),
    ] = field(default_factory=dict)
    steps: Annotated[
        int | None, _learning("Number of steps; the preset's by default.", ABOVE_0)
    ] = None
    hours: Annotated[
        float | None,
        _learning(
            "Hours to train, instead of --steps: as many steps as fit, measured at the start.",
            ABOVE_0,
        ),
    ] = None
    batch_size: Annotated[int | None, _learning("Sequences in a step.", ABOVE_0)] = None
    batch_pieces: Annotated[
        int | None, _learning("Tokens in a step, instead of --batch-size.", ABOVE_0)
    ] = None
    lengths: Annotated[
        tuple[tuple[int, float], ...],
        _learning(
            "Tokens in a sequence, each length with its share of the steps: 128:0.9,512:0.1",
            _LENGTHS,
            metavar="LENGTH[:SHARE],…",
            parse=parse_lengths,
        ),
    ] = ((128, 0.9), (512, 0.1))
    optimizer: Annotated[
        OptimizerName,
        _learning(
            "Optimizer: adamw (BERT's), stable-adamw (ModernBERT's), adam (RoBERTa's), lamb (ALBERT's) "
            "or adagrad (ELMo's); the preset's by default."
        ),
    ] = "adamw"
    lr: Annotated[
        float,
        _learning(
            "Learning rate; the preset's by default, which suits the preset's batch size.", ABOVE_0
        ),
    ] = 1e-4
    warmup: Annotated[
        float,
        _learning(
            "Steps over which the learning rate rises, or below 1 their share.",
            _STEPS_OR_SHARE,
        ),
    ] = 0.01
    decay: Annotated[
        Decay,
        _learning(
            "When the learning rate falls to 0: after the warm-up, (BERT, ALBERT) from the first "
            "step, or (ModernBERT) at the end, over the last --decay-share of the steps."
        ),
    ] = "from-start"
    decay_share: Annotated[
        float,
        _learning("Share of the steps over which --decay at-end falls; 0.1 by default.", _SHARE),
    ] = 0.1
    power: Annotated[
        float,
        _learning(
            "Power of the decay of the learning rate; 1 is linear, and at-end 0.5 falls fast at first.",
            ABOVE_0,
        ),
    ] = 1.0
    betas: Annotated[
        tuple[float, float],
        _learning(
            "Betas of Adam and LAMB, such as 0.9,0.999",
            _BETAS,
            metavar="B1,B2",
            parse=parse_betas,
        ),
    ] = (0.9, 0.999)
    eps: Annotated[float, _learning("Epsilon of the optimizer.", ABOVE_0)] = 1e-6
    weight_decay: Annotated[
        float,
        _learning("Weight decay; layer norms and biases have none, unless --decay-all.", BELOW_1),
    ] = 0.01
    decay_all: Annotated[
        bool, _learning("Apply weight decay to layer norms and biases too, as RoBERTa does.")
    ] = False
    clip: Annotated[
        float | None,
        _learning(
            "Largest norm of the gradient; larger ones are scaled down. 0: no limit.",
            ABOVE_0,
            zero_is_none=True,
        ),
    ] = 1.0
    dropout: Annotated[
        float | None, _learning("Dropout; the encoder's own by default.", BELOW_1)
    ] = None
    attention_dropout: Annotated[
        float | None,
        _learning("Dropout of attention weights; the encoder's own by default.", BELOW_1),
    ] = None
    seed: Annotated[int, _learning("Seed for everything random.", SEED)] = 0
    example_options: Mapping[str, Any] = field(default_factory=dict)
    evaluate_every: Annotated[
        int | None,
        _evaluation("Steps between evaluations; by default 20 evaluations in all.", ABOVE_0),
    ] = None
    evaluate_length: Annotated[
        int | None,
        _evaluation(
            "Tokens in a held-out sequence; by default the first of --lengths.",
            at_least(8, "8 tokens or more"),
        ),
    ] = None
    evaluate_examples: Annotated[
        int, _evaluation("Held-out sequences in each evaluation; 500 by default.", ABOVE_0)
    ] = 500
    final_examples: Annotated[
        int, _evaluation("Held-out sequences in the last evaluation; 2000 by default.", ABOVE_0)
    ] = 2000
    pack: Annotated[
        int,
        _machine(
            "Tokens that are computed at once; 2048 by default. A larger step is computed in parts.",
            ABOVE_0,
        ),
    ] = 2048
    workers: Annotated[
        int | None,
        _machine(
            "Number of processes that prepare examples; by default none on a CPU, two with a GPU.",
            at_least(0),
        ),
    ] = None
    precision: Annotated[
        Precision, _machine("Precision of the matrix multiplications; fp32 by default.")
    ] = "fp32"
    save_seconds: Annotated[
        float,
        _machine(
            "Seconds between saved states, from which --resume continues; 300 by default.",
            at_least(0),
        ),
    ] = 300.0
    log_every: Annotated[int | None, ABOVE_0] = None

    free = frozenset({"save_seconds", "log_every", "workers"})

    def __post_init__(self) -> None:
        super().__post_init__()
        if (self.steps is None) == (self.hours is None):
            raise TrainError("give steps or hours, one of them")
        if (self.batch_size is None) == (self.batch_pieces is None):
            raise TrainError("give batch_size or batch_pieces, one of them")

    def phases(self, steps: int) -> list[Phase]:
        """The steps of each length."""
        whole = sum(share for _, share in self.lengths)
        phases: list[Phase] = []
        first, total = 0, 0.0
        for length, share in self.lengths:
            total += share
            last = round(steps * total / whole)
            if last > first:
                phases.append(Phase(length=length, last=last))
            first = last
        return phases

    def sequences(self, length: int) -> int:
        """How many sequences of a length make a step."""
        return self.batch_size or max(1, round((self.batch_pieces or 0) / length))

    def rate(self, step: int, steps: int) -> float:
        """The learning rate's factor at a step."""
        # Late, since `incognote pretrain --help` needs no torch.
        from incognote.workshop.training.optimizers import (
            decayed,
            decayed_at_end,
            decayed_from_start,
        )

        warmup = round(self.warmup * steps) if self.warmup < 1 else int(self.warmup)
        if self.decay == "none":
            return step / warmup if step < warmup else 1.0
        if self.decay == "at-end":
            return decayed_at_end(step, steps, warmup, share=self.decay_share, power=self.power)
        schedule = decayed if self.decay == "after-warmup" else decayed_from_start
        return schedule(step, steps, warmup, power=self.power)

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Self:
        """From what `to_json` gave, through JSON or not."""
        lengths = tuple((int(length), float(share)) for length, share in values["lengths"])
        return super().from_json({**values, "lengths": lengths, "betas": tuple(values["betas"])})
