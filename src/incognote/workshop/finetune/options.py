"""The options of fine-tuning: help, bounds and defaults, for Python, `incognote train` and grids."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Literal

from incognote.base.errors import TrainError
from incognote.base.options import (
    ABOVE_0,
    BELOW_1,
    SEED,
    Bound,
    Option,
    PathText,
    at_least,
    between,
)
from incognote.workshop.training.run_options import RunOptions

ClassWeights = Literal["none", "root", "balanced"]
Keep = Literal["best", "last"]
Precision = Literal["fp32", "bf16", "fp16"]
AUTO: Literal["auto"] = "auto"

_data = partial(Option, panel="Data")
_learning = partial(Option, panel="Learning")
_model = partial(Option, panel="Model")
_machine = partial(Option, panel="Machine")

_FACTOR = Bound("above 0 and at most 1", lambda factor: 0 < factor <= 1)
_DECAY = Bound("between 0 and 1", lambda decay: not decay or 0 < decay < 1)


def parse_batch_size(text: str) -> int | Literal["auto"]:
    """A number of windows, or 'auto'."""
    if text == AUTO:
        return AUTO
    if not text.isdecimal():
        raise ValueError("write a number, or auto")
    return int(text)


def parse_folder(text: str) -> str:
    """A path as it is kept with the run."""
    return str(Path(text))


@dataclass(frozen=True, kw_only=True)
class Options(RunOptions):
    """Options of a run; the help of each says what it does.

    Where the help names a default that depends on the encoder or the notes, it is that of `incognote
    train` (`starting_points.learning_options`); the defaults here are plain ones.

    batch_tokens, batch_size: one of them is None; `accumulate` batches make a step.
    head_lr: `lr` if None. dropout: the checkpoint's own if None, and so for attention.
    class_weights: by inverse frequency, by its root, or none.
    average: the running mean is what is evaluated and kept.
    units: of each feed-forward layer, those that weigh most; all if None.
    window, overlap: without special tokens; an exported model uses the same. More overlap than 16 was
        not better on annotated notes, and is computed twice (docs/performance.md).
    """

    epochs: Annotated[
        int,
        _learning(
            "Passes over the notes: 4 by default, up to 20 if there are few notes.",
            at_least(1),
            varies=True,
        ),
    ] = 4
    lr: Annotated[
        float,
        _learning(
            "Learning rate. By default 1e-4 for small encoders and for models that were trained "
            "before, 5e-5 up to a hidden size of 768, 2e-5 above.",
            ABOVE_0,
            varies=True,
        ),
    ] = 5e-5
    head_lr: Annotated[
        float | None,
        _learning(
            "Learning rate of classifier, word shapes and CRF; ten times --lr by default.", ABOVE_0
        ),
    ] = None
    batch_tokens: Annotated[
        int | None,
        _learning(
            "Tokens in a batch: 4096 by default, down to 512 if there are few notes.",
            ABOVE_0,
            varies=True,
        ),
    ] = 4096
    batch_size: Annotated[
        int | Literal["auto"] | None,
        _learning(
            "Windows in a batch, instead of --batch-tokens; 'auto': as many as fit into the "
            "device's memory.",
            ABOVE_0,
            metavar="NUMBER|auto",
            parse=parse_batch_size,
        ),
    ] = None
    accumulate: Annotated[
        int, _learning("Batches whose gradients are summed for a step.", at_least(1))
    ] = 1
    warmup: Annotated[
        float, _learning("Share of the steps over which the learning rate rises.", BELOW_1)
    ] = 0.1
    weight_decay: Annotated[
        float, _learning("Weight decay; layer norms and biases have none.", BELOW_1)
    ] = 0.01
    layer_decay: Annotated[
        float,
        _learning(
            "Factor on the learning rate from each layer to the one below.",
            _FACTOR,
        ),
    ] = 1.0
    clip: Annotated[
        float, _learning("Largest norm of the gradient; larger ones are scaled down.", ABOVE_0)
    ] = 1.0
    dropout: Annotated[
        float | None, _learning("Dropout; the encoder's own by default.", BELOW_1)
    ] = None
    attention_dropout: Annotated[
        float | None,
        _learning(
            "Dropout of attention weights. At 0, the default, attention takes a third of the time "
            "on a CPU.",
            BELOW_1,
        ),
    ] = None
    label_smoothing: Annotated[
        float,
        _learning("Share of the probability that is taken from the right label.", BELOW_1),
    ] = 0.0
    class_weights: Annotated[
        ClassWeights, _learning("Give rare labels more weight in the loss.")
    ] = "none"
    crf: Annotated[bool, _model("Add a CRF, which learns the order of labels.", varies=True)] = (
        False
    )
    shape: Annotated[
        bool,
        _model(
            "Add word-shape features: capitals, digits, accents and line ends. By default if the "
            "tokenizer drops capitals.",
            varies=True,
        ),
    ] = False
    settle: Annotated[
        int | None,
        _model(
            "Early exit: after this layer, tokens that are certainly no identifier are not computed "
            "further. A third less work when the model is used.",
            at_least(1),
            metavar="LAYER",
        ),
    ] = None
    join: Annotated[
        bool,
        _model(
            "Merge the tokens of a word, and the punctuation that closes it, into one: a third less "
            "to compute, in training and in use.",
            varies=True,
        ),
    ] = False
    units: Annotated[
        int | None,
        _model(
            "Start with only this many feed-forward units in each layer of the checkpoint, those "
            "with the largest weights; such as 768 of 1536.",
            at_least(1),
            flags=("--keep-units",),
            metavar="NUMBER",
        ),
    ] = None
    fix_words: Annotated[
        bool,
        _model(
            "Keep the word embeddings as they are, so that `incognote export` writes them once for "
            "a model and its faster variants."
        ),
    ] = False
    window: Annotated[
        int,
        _data(
            "Tokens in a window (with --join, words): 254 by default, or as in the checkpoint.",
            at_least(8),
            varies=True,
        ),
    ] = 254
    overlap: Annotated[
        int,
        _data(
            "Tokens that neighbouring windows share, at least: 16 by default, or as in the "
            "checkpoint.",
            at_least(0),
            varies=True,
        ),
    ] = 16
    patience: Annotated[
        int | None, _learning("Stop after this many epochs without a better F1.", at_least(1))
    ] = None
    average: Annotated[
        float | None,
        _learning(
            "Keep a running average of the weights with this decay per step, such as 0.998.",
            _DECAY,
        ),
    ] = None
    teacher: Annotated[
        str | None,
        _learning(
            "A trained model that this one learns from, besides the notes.",
            metavar="CHECKPOINT",
            path=PathText(),
            parse=parse_folder,
        ),
    ] = None
    teacher_share: Annotated[
        float, _learning("Share of the loss that comes from the teacher.", between(0, 1))
    ] = 0.7
    temperature: Annotated[
        float, _learning("Temperature that softens the teacher's probabilities.", ABOVE_0)
    ] = 2.0
    keep: Annotated[
        Keep, _learning("Which epoch to write: the best on the validation notes, or the last.")
    ] = "best"
    seed: Annotated[int, _learning("Seed for everything random.", SEED)] = 0
    precision: Annotated[Precision, _machine("Precision of the matrix multiplications.")] = "fp32"
    save_seconds: Annotated[
        float,
        _machine("Seconds between saved states, from which --resume continues.", at_least(0)),
    ] = 300.0

    free = frozenset({"save_seconds"})

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.overlap >= self.window:
            raise TrainError(f"overlap must be less than the window, not {self.overlap}")
        if (self.batch_tokens is None) == (self.batch_size is None):
            raise TrainError("give batch_tokens or batch_size, one of them")
        if self.crf and (self.label_smoothing or self.class_weights != "none"):
            raise TrainError("a CRF takes neither label smoothing nor class weights")
