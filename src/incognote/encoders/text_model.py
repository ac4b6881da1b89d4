"""A model together with the tokenizer that its folder has: what text goes into."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor

from incognote.encoders.checkpoints import load
from incognote.encoders.errors import CheckpointError
from incognote.encoders.model import Model
from incognote.tokenization import Encoding, Tokenizer
from incognote.tokenization import load as load_tokenizer

PADDED_TO = 128
"""Vocabularies are padded with unused rows up to a multiple of 8, at most of this."""


@dataclass(frozen=True)
class TextModel:
    """The tokenizer is None for ELMo, which reads characters.

    >>> text_model = TextModel.load("albert-base-v2/")  # doctest: +SKIP
    >>> fill_mask("Hello I'm a [MASK] model.", text_model)  # doctest: +SKIP
    """

    model: Model
    tokenizer: Tokenizer | None

    @classmethod
    def load(cls, folder: str | Path) -> TextModel:
        """From a folder with a checkpoint and its tokenizer's files, which must fit each other."""
        folder = Path(folder)
        model = load(folder)
        if model.family.name == "elmo":
            return cls(model, None)
        tokenizer = load_tokenizer(folder, family=model.family.name)
        rows, pieces = model.config.vocabulary_size, tokenizer.vocabulary_size
        if not fits(rows, pieces):
            raise CheckpointError(
                f"{folder}: the tokenizer has {pieces} pieces but the encoder {rows}: "
                "they are not of one model"
            )
        return cls(model, tokenizer)

    @property
    def pieces(self) -> Tokenizer:
        """The tokenizer, where the model reads pieces."""
        if self.tokenizer is None:
            raise CheckpointError("ELMo reads characters and has no tokenizer")
        return self.tokenizer

    def inputs(self, encoding: Encoding) -> dict[str, Tensor]:
        """A batch of one: ids, and segments where the family has them; [1, pieces]."""
        inputs = {"ids": torch.from_numpy(encoding.ids)[None]}
        if self.model.config.segments > 1:
            inputs["segments"] = torch.from_numpy(encoding.segments)[None]
        return inputs


def fits(rows: int, pieces: int) -> bool:
    """Whether a tokenizer of so many pieces can be of the model with an embedding of so many rows."""
    return rows == pieces or (rows % 8 == 0 and 0 <= rows - pieces < PADDED_TO)
