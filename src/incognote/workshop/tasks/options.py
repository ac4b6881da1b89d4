"""The options of training for a task: help, bounds and defaults, for Python and `incognote task train`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Annotated

from incognote.base.options import ABOVE_0, BELOW_1, Option, at_least
from incognote.workshop.training.run_options import FACTOR, EpochOptions, learning

_data = partial(Option, panel="Data")
_model = partial(Option, panel="Model")


@dataclass(frozen=True, kw_only=True)
class TaskOptions(EpochOptions):
    """Options of a run; the help of each says what it does.

    Where the help says "by default the paper's", it is that of the family and the task (`settings.py`);
    the defaults here are BERT's.

    steps: all epochs if None.
    longest: tokens of a sequence, special ones included; stride: those that the windows of a long
        context share; longest_answer: tokens.
    """

    epochs: Annotated[
        int,
        learning(
            "Passes over the training part; by default the paper's.", at_least(1), varies=True
        ),
    ] = 3
    steps: Annotated[
        int | None,
        learning("Steps in all, instead of --epochs.", at_least(1), metavar="NUMBER", varies=True),
    ] = None
    lr: Annotated[
        float,
        learning("Learning rate; by default the paper's.", ABOVE_0, varies=True),
    ] = 3e-5
    batch_tokens: Annotated[
        int | None,
        learning("Tokens in a batch, instead of --batch-size.", ABOVE_0, varies=True),
    ] = None
    batch_size: Annotated[
        int | None,
        learning(
            "Examples in a batch, of a long context windows; by default the paper's.",
            ABOVE_0,
            varies=True,
        ),
    ] = 32
    warmup: Annotated[
        float,
        learning(
            "Share of the steps over which the learning rate rises; by default the paper's.",
            BELOW_1,
            varies=True,
        ),
    ] = 0.1
    weight_decay: Annotated[
        float,
        learning(
            "Weight decay; layer norms and biases have none. By default the paper's.",
            BELOW_1,
            varies=True,
        ),
    ] = 0.01
    layer_decay: Annotated[
        float,
        learning(
            "Factor on the learning rate from each layer to the one below: by default ELECTRA's 0.8, "
            "and 1 for others.",
            FACTOR,
            varies=True,
        ),
    ] = 1.0
    attention_dropout: Annotated[
        float | None,
        learning("Dropout of attention weights; the encoder's own by default.", BELOW_1),
    ] = None
    fix_encoder: Annotated[
        bool,
        _model(
            "Learn only the head, and of ELMo how its layers are mixed. By default so for ELMo, as in "
            "its paper.",
            varies=True,
        ),
    ] = False
    longest: Annotated[
        int,
        _data(
            "Tokens of a sequence, special ones included: by default 128 for texts and pairs, 384 "
            "for answers, 512 for multiple choice, or as many as the encoder takes.",
            at_least(8),
            flags=("--max-length",),
            varies=True,
        ),
    ] = 128
    stride: Annotated[
        int,
        _data(
            "Tokens that neighbouring windows of a long context share: 128 by default.",
            at_least(0),
            varies=True,
        ),
    ] = 128
    longest_answer: Annotated[
        int, _data("Tokens of an answer at most, where it is looked for.", at_least(1))
    ] = 30
