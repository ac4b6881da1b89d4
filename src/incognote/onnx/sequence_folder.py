"""The folder that a sequence-to-sequence model lives in when it runs without torch.

    restorer/
      sequence.json      what is described below
      encoder.onnx       sources in, what decoding needs of them out
      decoder.onnx       the last tokens and what went before in, logits of the next out
      tokenizer.json     its vocabulary

Beside them may lie the checkpoint that they were made of. The schema has a version; a folder of another
version is refused, never guessed at.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from incognote.base.errors import ModelError
from incognote.onnx.described import read_described, write_described
from incognote.onnx.network_file import check_network
from incognote.onnx.sessions import open_session

SCHEMA = 1
FILE, ENCODER, DECODER, TOKENIZER = (
    "sequence.json",
    "encoder.onnx",
    "decoder.onnx",
    "tokenizer.json",
)
IDS, MASK, SOURCE = "ids", "mask", "source"
"""Inputs of the encoder, and its output: keys and values of every decoder layer, one after the other,
[2 · layers, batch, heads, source length, head size]. The mask is 1 at tokens."""
TOKENS, BEFORE = "tokens", "before"
"""Of the decoder's inputs, the last tokens [batch], and keys and values of the targets so far."""
LOGITS, AFTER = "logits", "after"
"""The decoder's outputs: [batch, vocabulary], and `before` with one token more."""

Floats = npt.NDArray[np.float32]
Integers = npt.NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class SequenceFolder:
    """A model's sizes; `task` is what it was trained for.

    longest: tokens of a source or a target at most. `files` has the SHA-256 of the others; `card`
    says how the model was made and how good it is.
    """

    task: str
    vocabulary_size: int
    decoder_layers: int
    heads: int
    head_size: int
    longest: int
    pad_id: int
    start_id: int
    end_id: int
    files: Mapping[str, str]
    card: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not {ENCODER, DECODER, TOKENIZER} <= self.files.keys():
            raise ModelError(f"the files must be {ENCODER}, {DECODER} and {TOKENIZER}")
        rows = (self.pad_id, self.start_id, self.end_id)
        if not all(row < self.vocabulary_size for row in rows) or not self.longest:
            raise ModelError("the special tokens must be rows of the vocabulary")


def write_sequence_folder(described: SequenceFolder, folder: Path) -> None:
    """Write `sequence.json`, whole or not at all."""
    write_described(described, folder / FILE, SCHEMA, indent=1)


def read_sequence_folder(folder: Path) -> SequenceFolder:
    """Read and check `sequence.json`, and that the files are those that it was made with."""
    described = read_described(folder / FILE, SCHEMA, "model", SequenceFolder)
    for name in (ENCODER, DECODER):
        check_network(folder / name, ())
    return described


@dataclass(frozen=True)
class Kept:
    """What decoding has so far; shapes as above, the mask [batch, source length]."""

    source: Floats
    mask: Integers
    before: Floats


class SequenceNetworks:
    """Encoder and decoder as a search asks them, without torch."""

    def __init__(self, folder: Path, *, threads: int = 1) -> None:
        self.described = read_sequence_folder(folder)
        self._encoder = open_session(folder / ENCODER, threads)
        self._decoder = open_session(folder / DECODER, threads)

    def begin(self, sources: Sequence[Sequence[int]]) -> Kept:
        """The memory of targets that are empty, a row for each source."""
        described = self.described
        ids = np.full((len(sources), max(map(len, sources))), described.pad_id, np.int64)
        mask = np.zeros_like(ids)
        for row, source in enumerate(sources):
            ids[row, : len(source)], mask[row, : len(source)] = source, 1
        (states,) = self._encoder.run([SOURCE], {IDS: ids, MASK: mask})
        layers, heads, size = described.decoder_layers, described.heads, described.head_size
        return Kept(states, mask, np.zeros((2 * layers, len(ids), heads, 0, size), np.float32))

    def step(self, tokens: Integers, kept: Kept) -> tuple[Floats, Kept]:
        """The last token of each row; to logits [rows, vocabulary] and the memory with it."""
        inputs = {TOKENS: tokens, MASK: kept.mask, SOURCE: kept.source, BEFORE: kept.before}
        logits, after = self._decoder.run([LOGITS, AFTER], inputs)
        return logits, Kept(kept.source, kept.mask, after)

    def rows(self, kept: Kept, rows: Integers) -> Kept:
        """Of these rows, in this order."""
        return Kept(kept.source[:, rows], kept.mask[rows], kept.before[:, rows])
