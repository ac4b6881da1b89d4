"""Dropout that is cheap on a CPU, of hidden states and of attention weights.

torch draws a number for each value it may drop, which is a seventh of a training step; and it has
no fused attention with dropout on a CPU, so takes a slow way round. Here 16 bits decide, four values
to a draw, and attention is computed by its formula. On other devices, and without dropout, all is
torch's own. What is drawn depends on `torch.manual_seed` alone.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn
from torch.nn import functional

_LEVELS = 2**16
_PER_DRAW = 4
_IN_CACHE = 2**20
"""How many weights of attention are computed at once: more would leave the processor's cache."""


class Dropout(nn.Dropout):
    """As torch's; the share dropped is `p` to the nearest 1/65,536."""

    def forward(self, hidden: Tensor) -> Tensor:
        """Any shape."""
        if not self.training or self.p == 0:
            return hidden
        if hidden.device.type != "cpu":
            return functional.dropout(hidden, self.p)
        return hidden * kept(hidden, self.p)


def kept(like: Tensor, p: float) -> Tensor:
    """Of a tensor's shape: 0 with probability p, else what keeps the mean as it was."""
    count = like.numel()
    drawn = torch.empty(-(-count // _PER_DRAW), dtype=torch.int64).random_(-(2**63), None)
    dropped = min(round(p * _LEVELS), _LEVELS - 1)
    keep = drawn.view(torch.int16)[:count].view(like.shape).float().ge_(dropped - _LEVELS // 2)
    return keep.mul_(_LEVELS / (_LEVELS - dropped)).to(like.dtype)


def attend(
    query: Tensor, key: Tensor, value: Tensor, *, mask: Tensor | None = None, dropout: float = 0.0
) -> Tensor:
    """Scaled dot-product attention; all are [batch, heads, pieces, head size].

    The mask broadcasts to [batch, heads, queries, keys]: true where a query may look, or what is
    added to the scores.
    """
    if dropout == 0 or query.device.type != "cpu":
        return functional.scaled_dot_product_attention(
            query, key, value, attn_mask=mask, dropout_p=dropout
        )
    parts = [query, key, value]
    if mask is not None:
        parts.append(mask.expand(len(query), *mask.shape[1:]))
    at_once = max(1, _IN_CACHE // (query.shape[1] * query.shape[2] * key.shape[2]))
    cut = [torch.split(part, at_once) for part in parts]
    mixed = [_by_formula(dropout, *part) for part in zip(*cut, strict=True)]
    return mixed[0] if len(mixed) == 1 else torch.cat(mixed)


def _by_formula(
    dropout: float, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> Tensor:
    scores = (query / math.sqrt(query.shape[-1])) @ key.transpose(-1, -2)
    if mask is not None:
        scores = (
            scores.masked_fill(~mask, -torch.inf) if mask.dtype == torch.bool else scores + mask
        )
    weights = scores.softmax(-1)
    return (weights * kept(weights, dropout)) @ value
