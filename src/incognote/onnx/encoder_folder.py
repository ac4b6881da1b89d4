"""The folder that an encoder lives in when it runs without torch.

    encoder/
      encoder.json       what is described below
      encoder.onnx       the network
      tokenizer.json     its tokenizer; words.json of an encoder that reads words

Beside them may lie the checkpoint that it was made of (config.json, model.safetensors). The schema
has a version; a folder of another version is refused, never guessed at.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from incognote.base.errors import ModelError
from incognote.onnx.described import read_described, write_described

SCHEMA = 1
FILE, NETWORK, TOKENIZER, WORDS = "encoder.json", "encoder.onnx", "tokenizer.json", "words.json"

IDS, SEGMENTS, CHOSEN = "ids", "segments", "chosen"
"""Inputs of the network."""
MLM, PLM, SOP, NSP = "mlm", "permutation", "sop", "nsp"
"""Outputs: guesses for chosen tokens (PLM is XLNet's), which of two texts comes first, and whether one
follows.
"""
HEADS = frozenset({MLM, PLM, SOP, NSP})
MIXED = "mixed"
"""The output that has ELMo's layers, mixed as was learned."""


def state_name(layer: int) -> str:
    """The output that has a layer's states; 0 are the embeddings."""
    return f"state.{layer}"


@dataclass(frozen=True, kw_only=True)
class EncoderFolder:
    """An encoder's sizes, and what its network has beside the states of its layers.

    longest: tokens of a sequence at most, special ones included; None where there is no end, as of
    relative positions. vocabulary_size: 0 of an encoder that reads words. `files` has the SHA-256 of the
    network and the tokenizer; `card` says how the encoder was made and how good it is.
    """

    family: str
    vocabulary_size: int
    hidden_size: int
    layers: int
    longest: int | None
    heads: tuple[str, ...]
    files: Mapping[str, str]
    card: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if NETWORK not in self.files or self.files.keys().isdisjoint({TOKENIZER, WORDS}):
            raise ModelError(f"the files must be {NETWORK}, and {TOKENIZER} or {WORDS}")
        if not set(self.heads) <= HEADS:
            raise ModelError(f"the heads must be among {', '.join(sorted(HEADS))}")

    @property
    def reads_words(self) -> bool:
        """Whether it reads words, each by its letters, and no tokens."""
        return WORDS in self.files


def has_encoder(folder: Path) -> bool:
    """Whether there is an encoder here that runs without torch."""
    return (folder / FILE).is_file()


def write_encoder_folder(encoder: EncoderFolder, folder: Path) -> None:
    """Write `encoder.json`, whole or not at all."""
    write_described(encoder, folder / FILE, SCHEMA, indent=1)


def read_encoder_folder(folder: Path) -> EncoderFolder:
    """Read and check `encoder.json`, and that the files are those that it was made with."""
    return read_described(folder / FILE, SCHEMA, "encoder", EncoderFolder)
