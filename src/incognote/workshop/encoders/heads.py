"""From hidden states to logits. A head takes `Encoded` and knows nothing of losses.

The heads of a model go by these names: `tokens`, `sequence`, `choice`, `span`, `beams`, `answerable`, `mlm`,
`sop`, `nsp`, `rtd`, `permutation`. A family says which module serves each name.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

import torch
from torch import Tensor, nn
from torch.nn.functional import one_hot

from incognote.workshop.encoders.config import EncoderConfig
from incognote.workshop.encoders.dropout import Dropout
from incognote.workshop.encoders.encoder import Encoded
from incognote.workshop.encoders.layers import activation


class Head(nn.Module):
    """A module from `Encoded` to logits; `needs_pooler` if it reads the pooled vector."""

    needs_pooler: bool = False

    def forward(self, encoded: Encoded) -> Tensor:
        raise NotImplementedError


Source = Literal["hidden", "first", "mean", "pooled"]


class Sums(Head):
    """The hidden state is a score for each label already, and these are the logits."""

    def forward(self, encoded: Encoded) -> Tensor:
        return encoded.hidden


class Classification(Head):
    """Logits of every token's hidden state [*, labels], of the first's, of their mean, or of the pooled vector.

    All but the first are [batch, labels]. For multiple choice each choice is a sequence and has one
    logit: `.view(-1, choices)` is the caller's. `inner` is what the states go through before.
    """

    def __init__(
        self,
        size: int,
        labels: int,
        *,
        of: Source,
        dropout: float,
        inner: nn.Module | None = None,
    ) -> None:
        super().__init__()
        self.of = of
        self.needs_pooler = of == "pooled"
        self.inner = inner or nn.Identity()
        self.dropout = Dropout(dropout)
        self.classifier = nn.Linear(size, labels)

    def forward(self, encoded: Encoded) -> Tensor:
        source = getattr(encoded, self.of)
        if source is None:
            raise ValueError("this head needs an encoder with a pooler")
        logits: Tensor = self.classifier(self.dropout(self.inner(source)))
        return logits


class MergedClassification(Classification):
    """Logits of every token [*, kinds], where several labels are of one kind.

    A kind is as likely as its labels together. `kinds` has the number of each label's kind.
    """

    FLOOR = 1e-30
    """Added to a share, so that none is 0 and its logarithm is a number."""

    def __init__(self, head: Classification, kinds: Sequence[int]) -> None:
        size, dropout = head.classifier.in_features, head.dropout.p
        super().__init__(size, len(kinds), of=head.of, dropout=dropout, inner=head.inner)
        self.classifier = head.classifier
        # [labels, kinds]
        groups = one_hot(torch.tensor(kinds)).to(head.classifier.weight.dtype)
        self.register_buffer("groups", groups, persistent=False)

    def forward(self, encoded: Encoded) -> Tensor:
        logits = super().forward(encoded)
        most = logits.max(-1, keepdim=True).values
        shares = (logits - most).exp() @ self.get_buffer("groups")
        return (shares + self.FLOOR).log() + most


class DenseClassification(Head):
    """Logits of the first token through a layer of the head's own: [batch, labels].

    RoBERTa and ELECTRA have it in place of a pooler. `dropout` is of the first token's state and
    `inner_dropout` of the layer's output.
    """

    def __init__(
        self,
        size: int,
        labels: int,
        activation: Callable[[Tensor], Tensor],
        *,
        dropout: float,
        inner_dropout: float,
    ) -> None:
        super().__init__()
        self.activation = activation
        self.dropout = Dropout(dropout)
        self.dense = nn.Linear(size, size)
        self.inner_dropout = Dropout(inner_dropout)
        self.classifier = nn.Linear(size, labels)

    def forward(self, encoded: Encoded) -> Tensor:
        inner = self.activation(self.dense(self.dropout(encoded.first)))
        logits: Tensor = self.classifier(self.inner_dropout(inner))
        return logits


class Span(Head):
    """Start and end logits for every token: [*, 2]; `inner` as in `Classification`."""

    def __init__(self, size: int, *, dropout: float = 0.0, inner: nn.Module | None = None) -> None:
        super().__init__()
        self.inner = inner or nn.Identity()
        self.dropout = Dropout(dropout)
        self.classifier = nn.Linear(size, 2)

    def forward(self, encoded: Encoded) -> Tensor:
        logits: Tensor = self.classifier(self.dropout(self.inner(encoded.hidden)))
        return logits


def no_answer_score(logits: Tensor, encoded: Encoded) -> Tensor:
    """How well the span of the first token scores, [batch]: SQuAD 2's answer "there is none".

    An answer is to be given where its start plus end score exceeds this by a threshold. A model
    may instead learn the question with the head `answerable`.
    """
    return encoded.layout.first(logits).sum(-1)


class MaskedLanguage(Head):
    """Logits over the vocabulary, tied to the word embeddings, only at the chosen tokens."""

    def __init__(
        self,
        config: EncoderConfig,
        act: Callable[[Tensor], Tensor],
        *,
        inner: int,
        inner_bias: bool = True,
    ) -> None:
        super().__init__()
        self.activation = act
        self.dense = nn.Linear(config.hidden_size, inner, bias=inner_bias)
        self.norm = nn.LayerNorm(inner, eps=config.norm_epsilon, bias=inner_bias)
        self.bias = nn.Parameter(torch.zeros(config.vocabulary_size))

    def forward(
        self, encoded: Encoded, words: Tensor | None = None, chosen: Tensor | None = None
    ) -> Tensor:
        """To [chosen, vocabulary]; `words` is [vocabulary, embedding size].

        `chosen` [chosen] counts tokens along the batch as it lies in memory (in a padded batch,
        row · length + column). Without it, every token: [*, vocabulary].
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
        """[batch, targets, vocabulary], or of every token if there were no targets.

        `chosen` as in `MaskedLanguage`.
        """
        if words is None:
            raise ValueError("the permutation head is tied to the word embeddings: give them")
        hidden = encoded.hidden
        if chosen is not None:
            hidden = hidden.reshape(-1, hidden.shape[-1])[chosen]
        return nn.functional.linear(hidden, words, self.bias)


class ReplacedTokens(Head):
    """One logit for every token, high where it was replaced: [*]."""

    def __init__(self, config: EncoderConfig) -> None:
        super().__init__()
        self.activation = activation(config.activation)
        self.dense = nn.Linear(config.hidden_size, config.hidden_size)
        self.classifier = nn.Linear(config.hidden_size, 1)

    def forward(self, encoded: Encoded) -> Tensor:
        logits: Tensor = self.classifier(self.activation(self.dense(encoded.hidden)))
        return logits.squeeze(-1)
