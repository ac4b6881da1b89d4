"""Bidirectional self-attention with its residual and norm."""

from __future__ import annotations

from torch import Tensor, nn

from incognote.workshop.encoders.config import EncoderConfig
from incognote.workshop.encoders.layers.dropout import Dropout
from incognote.workshop.encoders.layers.layout import Attending


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

    def forward(self, hidden: Tensor, layout: Attending, rows: Tensor | None = None) -> Tensor:
        """[*, hidden size] to the same; or only of these `rows`, which look at all."""
        rows = hidden if rows is None else rows
        query, key, value = (
            project(given).unflatten(-1, (-1, self.head_size))  # [*, heads, head size]
            for project, given in ((self.query, rows), (self.key, hidden), (self.value, hidden))
        )
        dropout = self.attention_dropout if self.training else 0.0
        mixed = layout.attend(query, key, value, dropout).flatten(-2)  # [*, hidden size]
        normed: Tensor = self.norm(rows + self.dropout(self.output(mixed)))
        return normed
