"""XLNet classifies a sequence by its last piece."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from incognote.workshop.encoders.encoder import Encoded
from incognote.workshop.encoders.heads import Head
from incognote.workshop.encoders.layers.dropout import Dropout
from incognote.workshop.encoders.xlnet.config import XlnetConfig
from incognote.workshop.encoders.xlnet.encoder import XlnetEncoded


class LastClassification(Head):
    """Logits of the last piece, <cls>, through a layer of the head's own: [batch, labels]."""

    def __init__(self, config: XlnetConfig, labels: int) -> None:
        super().__init__()
        self.dense = nn.Linear(config.hidden_size, config.hidden_size)
        self.dropout = Dropout(config.summary_dropout)
        self.classifier = nn.Linear(config.hidden_size, labels)

    def forward(self, encoded: Encoded) -> Tensor:
        if not isinstance(encoded, XlnetEncoded):
            raise TypeError("this head reads what an XLNet encoded")
        inner = torch.tanh(self.dense(encoded.last))
        logits: Tensor = self.classifier(self.dropout(inner))
        return logits
