"""Change the dropout of a model that is made already."""

from __future__ import annotations

from torch import nn

from incognote.workshop.encoders.layers import SelfAttention


def set_dropout(module: nn.Module, share: float | None, attention: float | None) -> None:
    """The dropout of hidden states and of attention weights; None leaves it."""
    for part in module.modules():
        if isinstance(part, nn.Dropout) and share is not None:
            part.p = share
        if isinstance(part, SelfAttention) and attention is not None:
            part.attention_dropout = attention
