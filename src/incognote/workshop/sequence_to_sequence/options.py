"""The options of learning from pairs, with the paper's choices where a preset makes no other."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Annotated, ClassVar, Literal

from incognote.base.options import ABOVE_0, BELOW_1, SEED, Option, at_least
from incognote.workshop.training.run_options import RunOptions

_learning = partial(Option, panel="Learning")
_preset = partial(Option, panel="Learning", varies=True)
_evaluation = partial(Option, panel="Evaluation")
_machine = partial(Option, panel="Machine")


@dataclass(frozen=True, kw_only=True)
class LearningOptions(RunOptions):
    """Options of a run; where nothing else is said, the defaults are the paper's.

    A run that is resumed may have other `steps`, as the learning rate does not depend on them.
    """

    free: ClassVar[frozenset[str]] = frozenset({"steps", "save_seconds"})

    steps: Annotated[int, _preset("Number of steps; the preset's by default.", ABOVE_0)] = 100_000
    batch_tokens: Annotated[
        int,
        _preset(
            "Tokens of the longer side of a batch, padding included; the preset's by default.",
            at_least(16),
        ),
    ] = 25_000
    lr_scale: Annotated[
        float,
        _preset(
            "Factor on the learning rate size^-0.5 · min(step^-0.5, step·warmup^-1.5); the preset's by "
            "default.",
            ABOVE_0,
        ),
    ] = 1.0
    warmup: Annotated[
        int,
        _preset("Steps over which the learning rate rises; the preset's by default.", ABOVE_0),
    ] = 4000
    label_smoothing: Annotated[
        float, _learning("Share of the target that is spread over all vocabulary.", BELOW_1)
    ] = 0.1
    dropout: Annotated[
        float | None, _learning("Dropout; the preset's by default.", BELOW_1, varies=True)
    ] = None
    clip: Annotated[
        float | None,
        _learning(
            "Largest norm of the gradient; larger ones are scaled down. 0: no limit, as in the paper.",
            ABOVE_0,
            zero_is_none=True,
            varies=True,
        ),
    ] = None
    mean_of: Annotated[
        int, _learning("The result is the mean of so many checkpoints, the last ones.", ABOVE_0)
    ] = 5
    checkpoint_every: Annotated[
        int, _preset("Steps between those; the preset's by default.", ABOVE_0)
    ] = 1000
    precision: Annotated[
        Literal["fp32", "bf16"],
        _learning("Numbers of the products: bf16 is faster on processors that have it."),
    ] = "fp32"
    seed: Annotated[int, _learning("Seed for everything random.", SEED)] = 0
    evaluate_every: Annotated[
        int,
        _evaluation(
            "Steps between evaluations on the way; the preset's by default.", ABOVE_0, varies=True
        ),
    ] = 1000
    save_seconds: Annotated[
        float, _machine("Seconds between two savings of the state, for --resume.", ABOVE_0)
    ] = 300.0

    @property
    def averaged(self) -> tuple[int, ...]:
        """The steps after which a checkpoint is kept for the mean; the last is one."""
        regular = range(self.checkpoint_every, self.steps, self.checkpoint_every)
        return (*regular, self.steps)[-self.mean_of :]
