"""Where an answer starts and ends."""

from __future__ import annotations

from torch import Tensor, nn

from incognote.encoders.encoder import Encoded
from incognote.encoders.heads.head import Head


class Span(Head):
    """Start and end logits for every piece: [*, 2]."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self.classifier = nn.Linear(size, 2)

    def forward(self, encoded: Encoded) -> Tensor:
        logits: Tensor = self.classifier(encoded.hidden)
        return logits
