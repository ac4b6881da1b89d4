"""Bidirectional self-attention with its residual and norm."""

from __future__ import annotations

from torch import Tensor, nn

from incognote.encoders.config import EncoderConfig
from incognote.encoders.layers.dropout import Dropout
from incognote.encoders.layers.layout import Attending


class SelfAttention(nn.Module):
    """Every piece looks at every piece of its sequence; the norm comes after the residual."""

    def __init__(self, config: EncoderConfig) -> None:
        super().__init__()
        size = config.hidden_size
        self.head_size = size // config.heads
        self.attention_dropout = config.attention_dropout
        self.query = nn.Linear(size, size)
        self.key = nn.Linear(size, size)
        self.value = nn.Linear(size, size)
        self.output = nn.Linear(size, size)
        self.dropout = Dropout(config.dropout)
        self.norm = nn.LayerNorm(size, eps=config.norm_epsilon)

    def forward(self, hidden: Tensor, layout: Attending, asking: Tensor | None = None) -> Tensor:
        """[*, hidden size] to the same; or only for the rows `asking`, which look at all."""
        asking = hidden if asking is None else asking
        query, key, value = (
            project(rows).unflatten(-1, (-1, self.head_size))  # [*, heads, head size]
            for project, rows in ((self.query, asking), (self.key, hidden), (self.value, hidden))
        )
        dropout = self.attention_dropout if self.training else 0.0
        mixed = layout.attend(query, key, value, dropout).flatten(-2)  # [*, hidden size]
        normed: Tensor = self.norm(asking + self.dropout(self.output(mixed)))
        return normed
