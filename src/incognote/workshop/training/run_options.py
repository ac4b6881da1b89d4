"""The options of a run: checked when they are made, saved with it, compared when it is resumed.

`RunOptions` is under all of them, `EpochOptions` under those of training that goes over its data some
times: fine-tuning for notes and for tasks.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from functools import partial
from typing import Annotated, Any, ClassVar, Literal, Self

from incognote.base.errors import TrainError
from incognote.base.options import ABOVE_0, BELOW_1, SEED, Bound, Option, at_least, check

OptimizerName = Literal["adamw", "stable-adamw", "adam", "lamb", "adagrad"]
Keep = Literal["best", "last"]
Precision = Literal["fp32", "bf16", "fp16"]

learning = partial(Option, panel="Learning")
machine = partial(Option, panel="Machine")

FACTOR = Bound("above 0 and at most 1", lambda factor: 0 < factor <= 1)
_DECAY = Bound("between 0 and 1", lambda decay: not decay or 0 < decay < 1)


@dataclass(frozen=True, kw_only=True)
class RunOptions:
    """What fine-tuning's and pretraining's options have in common.

    `free` are options that may differ when a run is resumed: they change no weight.
    """

    free: ClassVar[frozenset[str]]

    def __post_init__(self) -> None:
        check(self, TrainError)

    def to_json(self) -> dict[str, Any]:
        """Plain values, by the names of the fields."""
        return asdict(self)

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Self:
        """The options of `to_json`; those that only a later version knows are an error."""
        if unknown := set(values) - {field.name for field in fields(cls)}:
            raise TrainError(
                f"{cls.__name__.lower()} that this version does not know: {', '.join(unknown)}"
            )
        return cls(**values)

    def differences(self, other: Self) -> list[str]:
        """The options for which a resumed run would end with other weights."""
        mine, theirs = self.to_json(), other.to_json()
        return [name for name in mine if name not in self.free and mine[name] != theirs[name]]


@dataclass(frozen=True, kw_only=True)
class EpochOptions(RunOptions):
    """Options of a run over epochs. Those whose defaults a kind of training chooses have its help there.

    batch_tokens, batch_size: one of them is None; `accumulate` batches make a step.
    head_lr: `lr` if None. dropout: the checkpoint's own if None, and so for attention.
    average: the running mean is what is evaluated and kept.
    """

    epochs: Annotated[int, learning("Passes over the training data.", at_least(1))] = 4
    lr: Annotated[float, learning("Learning rate.", ABOVE_0)] = 5e-5
    head_lr: Annotated[
        float | None, learning("Learning rate of the head; --lr by default.", ABOVE_0)
    ] = None
    batch_tokens: Annotated[int | None, learning("Tokens in a batch.", ABOVE_0)] = 4096
    batch_size: Annotated[
        int | Literal["auto"] | None, learning("Windows in a batch.", ABOVE_0)
    ] = None
    accumulate: Annotated[
        int, learning("Batches whose gradients are summed for a step.", at_least(1))
    ] = 1
    warmup: Annotated[
        float, learning("Share of the steps over which the learning rate rises.", BELOW_1)
    ] = 0.1
    weight_decay: Annotated[
        float, learning("Weight decay; layer norms and biases have none.", BELOW_1)
    ] = 0.01
    layer_decay: Annotated[
        float,
        learning(
            "Factor on the learning rate from each layer to the one below.",
            FACTOR,
        ),
    ] = 1.0
    clip: Annotated[
        float, learning("Largest norm of the gradient; larger ones are scaled down.", ABOVE_0)
    ] = 1.0
    dropout: Annotated[
        float | None, learning("Dropout; the encoder's own by default.", BELOW_1)
    ] = None
    attention_dropout: Annotated[
        float | None,
        learning(
            "Dropout of attention weights. At 0, the default, attention takes a third of the time "
            "on a CPU.",
            BELOW_1,
        ),
    ] = None
    label_smoothing: Annotated[
        float,
        learning("Share of the probability that is taken from the right label.", BELOW_1),
    ] = 0.0
    patience: Annotated[
        int | None, learning("Stop after this many epochs without a better figure.", at_least(1))
    ] = None
    average: Annotated[
        float | None,
        learning(
            "Keep a running average of the weights with this decay per step, such as 0.998.",
            _DECAY,
        ),
    ] = None
    keep: Annotated[
        Keep, learning("Which epoch to write: the best on the validation part, or the last.")
    ] = "best"
    seed: Annotated[int, learning("Seed for everything random.", SEED)] = 0
    precision: Annotated[Precision, machine("Precision of the matrix multiplications.")] = "fp32"
    save_seconds: Annotated[
        float,
        machine("Seconds between saved states, from which --resume continues.", at_least(0)),
    ] = 300.0

    free = frozenset({"save_seconds"})

    def __post_init__(self) -> None:
        super().__post_init__()
        if (self.batch_tokens is None) == (self.batch_size is None):
            raise TrainError("give batch_tokens or batch_size, one of them")
