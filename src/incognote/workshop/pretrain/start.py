"""Where a run begins: random weights of a preset's sizes, or a checkpoint with the heads it needs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import torch
from torch import nn

from incognote.base.errors import EncoderError, TrainError
from incognote.workshop.encoders.checkpoints import load
from incognote.workshop.encoders.families import PRESETS
from incognote.workshop.encoders.model import Model
from incognote.workshop.encoders.text_model import fits
from incognote.workshop.pretrain.objectives.objective import Objective
from incognote.workshop.tokenization.folder import has_tokenizer
from incognote.workshop.tokenization.folder import load as load_tokenizer
from incognote.workshop.tokenization.tokenizer import Tokenizer
from incognote.workshop.training.sources import checkpoint_folder, sized


@dataclass(frozen=True)
class Start:
    """What is trained, where it comes from, and what the user should know of that."""

    name: str
    module: nn.Module
    random: bool
    notes: tuple[str, ...] = ()


def from_preset(
    encoder: str, objective: Objective, tokenizer: Tokenizer, sizes: Mapping[str, Any], seed: int
) -> Start:
    """Random weights, drawn from the seed; the vocabulary is the tokenizer's."""
    known = {field.name for field in fields(PRESETS[encoder].config)}
    values = {"vocabulary_size": tokenizer.vocabulary_size, "pad_id": _pad_id(tokenizer)}
    config = sized(encoder, {k: v for k, v in values.items() if k in known}, sizes)
    torch.manual_seed(seed)
    try:
        return Start(encoder, objective.build(config), random=True)
    except EncoderError as error:
        raise TrainError(f"{encoder}: {error}") from None


def from_checkpoint(
    name: str | Path, objective: Objective, tokenizer: Tokenizer, seed: int
) -> Start:
    """A checkpoint's weights; heads that it lacks begin afresh, those not needed are left out."""
    folder = checkpoint_folder(name)
    if folder is None:
        raise TrainError(f"{name}: no such folder to begin from")
    torch.manual_seed(seed)
    try:
        there, config = _heads(folder)
        needed = objective.heads(config)
        new = tuple(head for head in needed if head not in there)
        present = tuple(head for head in needed if head in there)
        model = load(folder, heads=present, new=new)
        _check_tokenizer(folder, tokenizer, model)
        module = objective.wrap(model)
        notes = [*objective.read_more(module, folder)]
    except EncoderError as error:
        raise TrainError(str(error)) from None
    if new:
        notes.append(f"{folder} has no head for {', '.join(new)}: it starts from random weights")
    if spare := [head for head in there if head not in needed]:
        notes.append(f"the head for {', '.join(spare)} of {folder} is not needed and left out")
    return Start(str(name), module, random=False, notes=tuple(notes))


def _heads(folder: Path) -> tuple[tuple[str, ...], Any]:
    """The heads that a checkpoint has whole, and its configuration."""
    try:
        model = load(folder)
    except EncoderError:
        # Parts of heads that nobody names do not matter here; real damage does, and shows again.
        return (), load(folder, heads=()).config
    return tuple(model.heads), model.config


def _check_tokenizer(folder: Path, tokenizer: Tokenizer, model: Model) -> None:
    """Ids must mean what they meant: the checkpoint's own tokenizer if it has one, or its size."""
    rows: int | None = getattr(model.config, "vocabulary_size", None)
    if rows is None:  # ELMo reads characters
        return
    if not fits(rows, tokenizer.vocabulary_size):
        raise TrainError(
            f"{folder}: the encoder has {rows:,} tokens but the tokenizer "
            f"{tokenizer.vocabulary_size:,}: they are not of one model"
        )
    if not has_tokenizer(folder):
        return
    if load_tokenizer(folder, family=tokenizer.family).fingerprint != tokenizer.fingerprint:
        raise TrainError(
            f"{folder}: the encoder was made with another tokenizer, which it has beside it; "
            "leave out --tokenizer to take that one"
        )


def _pad_id(tokenizer: Tokenizer) -> int:
    batch = tokenizer.pad([tokenizer.encode(""), tokenizer.encode("a")])
    return int(batch.ids[batch.mask == 0][0])
