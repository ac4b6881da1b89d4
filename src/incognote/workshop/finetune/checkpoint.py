"""The folder that a run leaves: Hugging Face's layout, and beside it what only we have.

config.json, model.safetensors and the tokenizer's files are as others read them. `training.json`
says how the model was made and how it must be fed; `incognote.safetensors` has the word-shape
embedding, the CRF merged tokens and the early exit, where there are any.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from torch import Tensor

from incognote.align import joined_tokens, shapes
from incognote.align.note_reader import NoteReader
from incognote.align.word_tokenizer import AnyTokenizer
from incognote.base.errors import EncoderError, TrainError
from incognote.onnx.model_folder import FILE as MODEL
from incognote.workshop.encoders.checkpoints import load, save
from incognote.workshop.encoders.elmo import learned_mix
from incognote.workshop.encoders.tensor_files import read_tensor_file, write_tensors
from incognote.workshop.finetune.start import EXTRA
from incognote.workshop.finetune.tagger import Tagger
from incognote.workshop.training import run_folder
from incognote.workshop.training.run_folder import TRAINING, write_tokenizer, write_training
from incognote.workshop.training.starts import read_tokenizer

SCHEMA = 1


@dataclass(frozen=True, eq=False)
class Checkpoint:
    """A trained model, how notes are read for it, and what training.json says.

    `by_word` and `any_order` as a model folder has them: for models that others trained.
    """

    tagger: Tagger
    reader: NoteReader
    training: Mapping[str, Any]
    by_word: bool = False
    any_order: bool = False


def write_checkpoint(
    folder: Path, tagger: Tagger, tokenizer: AnyTokenizer, training: Mapping[str, Any]
) -> None:
    """Write all files; training.json comes last, so a folder that has it is whole."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / TRAINING).unlink(missing_ok=True)
    save(tagger.model, folder)
    config = tagger.model.config
    segmented = getattr(config, "segments", 1) > 1
    write_tokenizer(folder, tokenizer, config.longest, segmented=segmented)
    extra = _extra(tagger)
    if extra:
        write_tensors(extra, folder / EXTRA)
    else:
        (folder / EXTRA).unlink(missing_ok=True)
    write_training(folder, {"schema": SCHEMA, **training, **learned_mix(tagger.model.encoder)})


def load_checkpoint(folder: str | Path) -> Checkpoint:
    """What `write_checkpoint` wrote, ready to predict."""
    folder = Path(folder)
    training = read_training(folder)
    try:
        model = load(folder, heads=("tokens",))
    except EncoderError as error:
        raise TrainError(str(error)) from None
    _check(folder, training)
    shape = training["shape"]
    if shape is not None and shape["version"] != shapes.VERSION:
        raise TrainError(f"{folder}: made with word shapes of version {shape['version']}")
    join = training.get("join")
    if join not in (None, joined_tokens.VERSION):
        raise TrainError(f"{folder}: made with merged tokens of version {join}")
    tagger = Tagger(
        model,
        shape=shape is not None,
        crf=training["crf"],
        settle=training.get("settle"),
        join=join is not None,
    )
    extra = read_tensor_file(folder / EXTRA) if (folder / EXTRA).is_file() else {}
    if set(extra) != set(_extra(tagger)):
        raise TrainError(f"{folder}: {EXTRA} does not have what {TRAINING} says")
    tagger.load_state_dict(extra, strict=False)
    reader = NoteReader(
        read_tokenizer(folder),
        window=training["window"],
        overlap=training["overlap"],
        shape=shape is not None,
        join=join is not None,
    )
    return Checkpoint(tagger.eval(), reader, training)


def _check(folder: Path, training: Mapping[str, Any]) -> None:
    """What a model is built and fed by must be there, and of its kind."""
    shape, windows = training.get("shape"), (training.get("window"), training.get("overlap"))
    if not (
        (shape is None or (isinstance(shape, dict) and "version" in shape))
        and isinstance(training.get("crf"), bool)
        and isinstance(training.get("settle"), int | None)
        and all(isinstance(size, int) for size in windows)
    ):
        raise TrainError(f"{folder / TRAINING}: does not say how the model is built; it is damaged")


def read_training(folder: Path) -> dict[str, Any]:
    """The training.json of a checkpoint."""
    if not (folder / TRAINING).is_file():
        raise TrainError(f"{folder}: {_instead_of_a_checkpoint(folder)}")
    return run_folder.read_training(folder, SCHEMA)


def _instead_of_a_checkpoint(folder: Path) -> str:
    """What is at a path that has no checkpoint of ours, and what to give instead."""
    wanted = "give a checkpoint, as `incognote train` writes it"
    if not folder.is_dir():
        return f"{'a file' if folder.exists() else 'no such folder'}; {wanted}"
    if (folder / MODEL).is_file():
        return f"exported already, to be used with --model; to export again, {wanted}"
    return f"no checkpoint here ({TRAINING} is missing); {wanted}"


def shape_settings(shape: bool) -> dict[str, Any] | None:
    """What training.json says of word shapes."""
    return {"version": shapes.VERSION, "features": dict(shapes.FEATURES)} if shape else None


def _extra(tagger: Tagger) -> dict[str, Tensor]:
    state = tagger.state_dict()
    return {name: value for name, value in state.items() if not name.startswith("model.")}
