"""What lies beside the weights that a run leaves, so that others can load the folder."""

from __future__ import annotations

import json
import platform
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

from tokenizers import Tokenizer

from incognote.base.errors import TrainError
from incognote.base.whole_file import write_whole, writing
from incognote.workshop.encoders.tensor_files import read_json
from incognote.workshop.tokenization.folder import SETTINGS
from incognote.workshop.tokenization.tokenizer import write_tokenizer_json

TRAINING = "training.json"
TEST, LAST = "test.json", "last"
"""Figures of a test part, and the last epoch's checkpoint beside the best one's."""


def write_tokenizer(folder: Path, tokenizer: Tokenizer, longest: int) -> None:
    """tokenizer.json, and what `transformers` needs to load it by itself."""
    write_tokenizer_json(tokenizer, folder)
    settings: dict[str, Any] = {"tokenizer_class": "PreTrainedTokenizerFast"}
    if longest < 2**31:
        settings["model_max_length"] = longest
    for role, spellings in {
        "pad_token": ("[PAD]", "<pad>"),
        "unk_token": ("[UNK]", "<unk>"),
        "cls_token": ("[CLS]", "<s>", "<cls>"),
        "sep_token": ("[SEP]", "</s>", "<sep>"),
        "mask_token": ("[MASK]", "<mask>"),
    }.items():
        known = [piece for piece in spellings if tokenizer.token_to_id(piece) is not None]
        if known:
            settings[role] = known[0]
    with writing(folder / SETTINGS) as path:
        path.write_text(json.dumps(settings, indent=2) + "\n", encoding="utf-8")


def write_training(folder: Path, training: Mapping[str, Any]) -> None:
    """How the folder was made; written last, so a folder that has it is whole."""
    told = {**training, "versions": _versions()}
    text = json.dumps(told, indent=2, ensure_ascii=False)
    write_whole(folder / TRAINING, f"{text}\n".encode())


def read_training(folder: Path, schema: int) -> dict[str, Any]:
    """How the folder was made, as `write_training` wrote it."""
    path = folder / TRAINING
    training = read_json(path)
    if training.get("schema") != schema:
        raise TrainError(f"{path}: schema {training.get('schema')} is not {schema}")
    return training


def _versions() -> dict[str, str]:
    packages = ("incognote", "torch", "tokenizers", "numpy")
    return {"python": platform.python_version(), **{name: version(name) for name in packages}}
