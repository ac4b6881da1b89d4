"""Where an answer starts and ends, and whether there is one."""

from __future__ import annotations

from torch import Tensor, nn

from incognote.workshop.encoders.encoder import Encoded
from incognote.workshop.encoders.heads.head import Head
from incognote.workshop.encoders.layers.dropout import Dropout


class Span(Head):
    """Start and end logits for every piece: [*, 2]."""

    def __init__(self, size: int, *, dropout: float = 0.0) -> None:
        super().__init__()
        self.dropout = Dropout(dropout)
        self.classifier = nn.Linear(size, 2)

    def forward(self, encoded: Encoded) -> Tensor:
        logits: Tensor = self.classifier(self.dropout(encoded.hidden))
        return logits


def no_answer_score(logits: Tensor, encoded: Encoded) -> Tensor:
    """How well the span of the first piece scores, [batch]: SQuAD 2's answer "there is none".

    An answer is to be given where its start plus end score exceeds this by a threshold. A model
    may instead learn the question with the head `answerable`.
    """
    return encoded.layout.first(logits).sum(-1)
