"""A model together with the tokenizer that its folder has: what text goes into."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from incognote.align.tokens import Integers
from incognote.align.word_tokenizer import character_ids
from incognote.base.errors import CheckpointError, InputError
from incognote.workshop.encoders.checkpoints import load
from incognote.workshop.encoders.model import Model
from incognote.workshop.encoders.text_encoder import (
    NO_MASKS,
    NO_NEXT_SENTENCE,
    NO_TOKENS,
    Floats,
    Layers,
    chosen_layers,
    finite,
    wanted_layers,
)
from incognote.workshop.tokenization import Encoding, Tokenizer
from incognote.workshop.tokenization import load as load_tokenizer

PADDED_TO = {8: 128, 100: 100, 1000: 1000}
"""Vocabularies are padded with unused rows up to a multiple of 8, of 100 (DeBERTa-v3) or of 1,000
(its multilingual one), by fewer than so many.
"""


@dataclass(frozen=True)
class TextModel:
    """The tokenizer is None for ELMo, which reads characters. Heads that are unknown here are left out.

    >>> text_model = TextModel.load("albert-base-v2/")  # doctest: +SKIP
    >>> fill_mask("Hello I'm a [MASK] model.", text_model)  # doctest: +SKIP
    """

    model: Model
    tokenizer: Tokenizer | None

    @classmethod
    def load(cls, folder: str | Path) -> TextModel:
        """From a folder with a checkpoint and its tokenizer's files, which must fit each other."""
        folder = Path(folder)
        model = load(folder, strict=False)
        if model.family.name == "elmo":
            return cls(model, None)
        tokenizer = load_tokenizer(folder, family=model.family.name)
        rows, tokens = model.config.vocabulary_size, tokenizer.vocabulary_size
        if not fits(rows, tokens):
            raise CheckpointError(
                f"{folder}: the tokenizer has {tokens} tokens but the encoder {rows}: "
                "they are not of one model"
            )
        return cls(model, tokenizer)

    @property
    def pieces(self) -> Tokenizer:
        """The tokenizer, where the model reads tokens."""
        if self.tokenizer is None:
            raise InputError(NO_TOKENS)
        return self.tokenizer

    @property
    def vocabulary_size(self) -> int:
        """How many tokens can be guessed."""
        return int(self.model.config.vocabulary_size)

    @property
    def hidden_size(self) -> int:
        """The width of a vector."""
        return int(self.model.config.hidden_size)

    @property
    def longest(self) -> int:
        """The most tokens of one sequence."""
        return int(self.model.config.longest)

    def inputs(self, encoding: Encoding) -> dict[str, Tensor]:
        """A batch of one: ids, and segments where the family has them; [1, tokens]."""
        inputs = {"ids": torch.from_numpy(encoding.ids)[None]}
        if self.model.config.segments > 1:
            inputs["segments"] = torch.from_numpy(encoding.segments)[None]
        return inputs

    @torch.no_grad()
    def mask_logits(self, encoding: Encoding, places: Integers) -> Floats:
        """[places, vocabulary], computed there only."""
        model, inputs, chosen = self.model, self.inputs(encoding), torch.from_numpy(places)
        if "mlm" in model.heads:
            return _numbers(model(**inputs, chosen=chosen)["mlm"])
        if "permutation" not in model.heads:
            raise InputError(NO_MASKS)
        length = len(encoding)
        hidden = torch.zeros(1, length, length)
        hidden[:, :, chosen] = 1  # nobody sees what stands at a mask
        targets = torch.eye(length)[chosen][None]
        logits = model(**inputs, perm_mask=hidden, target_mapping=targets)["permutation"]
        return _numbers(logits[0])

    @torch.no_grad()
    def order_logits(self, encoding: Encoding) -> Floats:
        """In order, and swapped: [2]."""
        if "sop" not in self.model.heads:
            raise InputError("this encoder has no sentence-order head (ALBERT's has)")
        return _numbers(self.model(**self.inputs(encoding))["sop"][0])

    @torch.no_grad()
    def next_logits(self, encoding: Encoding) -> Floats:
        """Follows, and does not: [2]."""
        if "nsp" not in self.model.heads:
            raise InputError(NO_NEXT_SENTENCE)
        return _numbers(self.model(**self.inputs(encoding))["nsp"][0])

    def vectors(self, encoding: Encoding, layers: Layers) -> Floats:
        """[tokens, size], or [tokens, layers, size] of several layers."""
        return self._vectors(self.inputs(encoding), layers)

    def word_vectors(self, words: Sequence[str], layers: Layers) -> Floats:
        """Those of words that are read by their characters."""
        ids = torch.from_numpy(character_ids(words))[None]
        return self._vectors({"ids": ids}, layers)[1:-1]

    @torch.no_grad()
    def _vectors(self, inputs: dict[str, Tensor], layers: Layers) -> Floats:
        encoded = self.model.encoder(**inputs, states=layers is not None)
        if layers is None:  # ELMo's own output is none of its layers, but their mix
            return _numbers(encoded.hidden[0])
        states = encoded.states
        rows = [_numbers(states[n][0]) for n in wanted_layers(layers, len(states) - 1)]
        return chosen_layers(rows, layers)


def fits(rows: int, tokens: int) -> bool:
    """Whether a tokenizer of so many tokens can be of the model with an embedding of so many rows."""
    spare = rows - tokens
    return spare == 0 or any(
        rows % unit == 0 and 0 < spare < most for unit, most in PADDED_TO.items()
    )


def _numbers(tensor: Tensor) -> Floats:
    return finite(np.asarray(tensor.float().numpy()))
