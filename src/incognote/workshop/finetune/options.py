"""The options of fine-tuning: help, bounds and defaults, for Python, `incognote train` and grids."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Literal

from incognote.base.errors import TrainError
from incognote.base.options import ABOVE_0, Option, PathText, at_least, between
from incognote.workshop.training.run_options import EpochOptions, Keep, learning

ClassWeights = Literal["none", "root", "balanced"]
AUTO: Literal["auto"] = "auto"

_data = partial(Option, panel="Data")
_model = partial(Option, panel="Model")


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
class Options(EpochOptions):
    """Options of a run; the help of each says what it does.

    Where the help names a default that depends on the encoder or the notes, it is that of `incognote
    train` (`starting_points.learning_options`); the defaults here are plain ones.

    class_weights: by inverse frequency, by its root, or none.
    units: of each feed-forward layer, those that weigh most; all if None.
    min_count, l1, l2, iterations: of taggers that begin with notes alone (`from_notes.py`).
    window, overlap: without special tokens; an exported model uses the same. More overlap than 16 was
        not better on annotated notes, and is computed twice (docs/performance.md).
    """

    epochs: Annotated[
        int,
        learning(
            "Passes over the notes: 4 by default, up to 20 if there are few notes.",
            at_least(1),
            varies=True,
        ),
    ] = 4
    lr: Annotated[
        float,
        learning(
            "Learning rate. By default 1e-4 for small encoders and for models that were trained "
            "before, 5e-5 up to a hidden size of 768, 2e-5 above.",
            ABOVE_0,
            varies=True,
        ),
    ] = 5e-5
    head_lr: Annotated[
        float | None,
        learning(
            "Learning rate of classifier, word shapes and CRF; ten times --lr by default.", ABOVE_0
        ),
    ] = None
    batch_tokens: Annotated[
        int | None,
        learning(
            "Tokens in a batch: 4096 by default, down to 512 if there are few notes.",
            ABOVE_0,
            varies=True,
        ),
    ] = 4096
    batch_size: Annotated[
        int | Literal["auto"] | None,
        learning(
            "Windows in a batch, instead of --batch-tokens; 'auto': as many as fit into the "
            "device's memory.",
            ABOVE_0,
            metavar="NUMBER|auto",
            parse=parse_batch_size,
        ),
    ] = None
    class_weights: Annotated[
        ClassWeights, learning("Give rare labels more weight in the loss.")
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
    min_count: Annotated[
        int | None,
        learning(
            "Times that a word or feature must occur in the training notes to be known: 2 for crf, 1 "
            "for bilstm-crf by default.",
            at_least(1),
        ),
    ] = None
    l1: Annotated[
        float, learning("Penalty of crf on the size of weights; it makes many 0.", at_least(0))
    ] = 0.1
    l2: Annotated[float, learning("Penalty of crf on the squares of weights.", at_least(0))] = 0.1
    iterations: Annotated[int, learning("Iterations of L-BFGS for crf, at most.", at_least(1))] = (
        100
    )
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
        int | None, learning("Stop after this many epochs without a better F1.", at_least(1))
    ] = None
    teacher: Annotated[
        str | None,
        learning(
            "A trained model that this one learns from, besides the notes.",
            metavar="CHECKPOINT",
            path=PathText(),
            parse=parse_folder,
        ),
    ] = None
    teacher_share: Annotated[
        float, learning("Share of the loss that comes from the teacher.", between(0, 1))
    ] = 0.7
    temperature: Annotated[
        float, learning("Temperature that softens the teacher's probabilities.", ABOVE_0)
    ] = 2.0
    keep: Annotated[
        Keep, learning("Which epoch to write: the best on the validation notes, or the last.")
    ] = "best"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.overlap >= self.window:
            raise TrainError(f"overlap must be less than the window, not {self.overlap}")
        if self.crf and (self.label_smoothing or self.class_weights != "none"):
            raise TrainError("a CRF takes neither label smoothing nor class weights")
