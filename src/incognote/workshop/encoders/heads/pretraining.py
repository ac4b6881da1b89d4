"""The heads that pretraining uses and fine-tuning drops."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor, nn

from incognote.workshop.encoders.config import EncoderConfig
from incognote.workshop.encoders.encoder import Encoded
from incognote.workshop.encoders.heads.head import Head
from incognote.workshop.encoders.layers import activation


class MaskedLanguage(Head):
    """Logits over the vocabulary, tied to the word embeddings, only at the chosen pieces."""

    def __init__(
        self, config: EncoderConfig, act: Callable[[Tensor], Tensor], *, inner: int
    ) -> None:
        super().__init__()
        self.activation = act
        self.dense = nn.Linear(config.hidden_size, inner)
        self.norm = nn.LayerNorm(inner, eps=config.norm_epsilon)
        self.bias = nn.Parameter(torch.zeros(config.vocabulary_size))

    def forward(
        self, encoded: Encoded, words: Tensor | None = None, chosen: Tensor | None = None
    ) -> Tensor:
        """To [chosen, vocabulary]; `words` is [vocabulary, embedding size].

        `chosen` [chosen] counts pieces along the batch as it lies in memory (in a padded batch,
        row · length + column). Without it, every piece: [*, vocabulary].
        """
        if words is None:
            raise ValueError("the masked-language head is tied to the word embeddings: give them")
        hidden = encoded.hidden
        if chosen is not None:
            hidden = hidden.reshape(-1, hidden.shape[-1])[chosen]
        inner = self.norm(self.activation(self.dense(hidden)))
        return nn.functional.linear(inner, words, self.bias)


class PermutationLanguage(Head):
    """XLNet's: tied to the word embeddings, so that only the bias is its own."""

    def __init__(self, config: EncoderConfig) -> None:
        super().__init__()
        self.bias = nn.Parameter(torch.zeros(config.vocabulary_size))

    def forward(
        self, encoded: Encoded, words: Tensor | None = None, chosen: Tensor | None = None
    ) -> Tensor:
        """[batch, targets, vocabulary], or of every piece if there were no targets.

        `chosen` as in `MaskedLanguage`.
        """
        if words is None:
            raise ValueError("the permutation head is tied to the word embeddings: give them")
        hidden = encoded.hidden
        if chosen is not None:
            hidden = hidden.reshape(-1, hidden.shape[-1])[chosen]
        return nn.functional.linear(hidden, words, self.bias)


class ReplacedTokens(Head):
    """One logit for every piece, high where it was replaced: [*]."""

    def __init__(self, config: EncoderConfig) -> None:
        super().__init__()
        self.activation = activation(config.activation)
        self.dense = nn.Linear(config.hidden_size, config.hidden_size)
        self.classifier = nn.Linear(config.hidden_size, 1)

    def forward(self, encoded: Encoded) -> Tensor:
        logits: Tensor = self.classifier(self.activation(self.dense(encoded.hidden)))
        return logits.squeeze(-1)
