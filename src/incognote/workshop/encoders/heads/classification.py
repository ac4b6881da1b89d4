"""Labels for pieces, and for whole sequences."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

import torch
from torch import Tensor, nn
from torch.nn.functional import one_hot

from incognote.workshop.encoders.encoder import Encoded
from incognote.workshop.encoders.heads.head import Head
from incognote.workshop.encoders.layers.dropout import Dropout


class Classification(Head):
    """Logits of every piece's hidden state [*, labels], of the first piece's, or of the pooled vector.

    The latter two are [batch, labels]. For multiple choice each choice is a sequence and has one
    logit: `.view(-1, choices)` is the caller's.
    """

    def __init__(
        self, size: int, labels: int, *, of: Literal["hidden", "first", "pooled"], dropout: float
    ) -> None:
        super().__init__()
        self.of = of
        self.needs_pooler = of == "pooled"
        self.dropout = Dropout(dropout)
        self.classifier = nn.Linear(size, labels)

    def forward(self, encoded: Encoded) -> Tensor:
        source = getattr(encoded, self.of)
        if source is None:
            raise ValueError("this head needs an encoder with a pooler")
        logits: Tensor = self.classifier(self.dropout(source))
        return logits


class MergedClassification(Classification):
    """Logits of every piece [*, kinds], where several labels are of one kind.

    A kind is as likely as its labels together. `kinds` has the number of each label's kind.
    """

    FLOOR = 1e-30
    """Added to a share, so that none is 0 and its logarithm is a number."""

    def __init__(self, classifier: nn.Linear, kinds: Sequence[int], *, dropout: float) -> None:
        super().__init__(classifier.in_features, len(kinds), of="hidden", dropout=dropout)
        self.classifier = classifier
        groups = one_hot(torch.tensor(kinds)).to(classifier.weight.dtype)  # [labels, kinds]
        self.register_buffer("groups", groups, persistent=False)

    def forward(self, encoded: Encoded) -> Tensor:
        logits = super().forward(encoded)
        most = logits.max(-1, keepdim=True).values
        shares = (logits - most).exp() @ self.get_buffer("groups")
        return (shares + self.FLOOR).log() + most


class DenseClassification(Head):
    """Logits of the first piece through a layer of the head's own: [batch, labels].

    RoBERTa and ELECTRA have it in place of a pooler. `dropout` is of the first piece's state and
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
