"""Dropout that is cheap on a CPU, of hidden states and of attention weights.

torch draws a number for each value it may drop, which is a seventh of a training step; and it has
no fused attention with dropout on a CPU, so takes a slow way round. Here 16 bits decide, four values
to a draw, and attention is computed by its formula. On other devices, and without dropout, all is
torch's own. What is drawn depends on `torch.manual_seed` alone.
"""

from __future__ import annotations

import math
from typing import Any

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
        return hidden * dropout_mask(hidden, self.p)


def dropout_mask(like: Tensor, p: float) -> Tensor:
    """Of a tensor's shape: 0 with probability p, else what keeps the mean as it was."""
    count = like.numel()
    bits = torch.empty(-(-count // _PER_DRAW), dtype=torch.int64).random_(-(2**63), None)
    dropped = min(round(p * _LEVELS), _LEVELS - 1)
    keep = bits.view(torch.int16)[:count].view(like.shape).float().ge_(dropped - _LEVELS // 2)
    return keep.mul_(_LEVELS / (_LEVELS - dropped)).to(like.dtype)


def attend(
    query: Tensor, key: Tensor, value: Tensor, *, mask: Tensor | None = None, dropout: float = 0.0
) -> Tensor:
    """Scaled dot-product attention; all are [batch, heads, tokens, head size].

    The mask broadcasts to [batch, heads, queries, keys]: true where a query may look, or what is
    added to the scores.
    """
    if dropout == 0 or query.device.type != "cpu":
        return functional.scaled_dot_product_attention(
            query, key, value, attn_mask=mask, dropout_p=dropout
        )
    parts = [query.to(value.dtype), key.to(value.dtype), value]
    if mask is not None:
        parts.append(mask.expand(len(query), *mask.shape[1:]))
    at_once = max(1, _IN_CACHE // (query.shape[1] * query.shape[2] * key.shape[2]))
    groups = [torch.split(part, at_once) for part in parts]
    mixed = [_Formula.apply(dropout, *part) for part in zip(*groups, strict=True)]  # type: ignore[no-untyped-call]
    return mixed[0] if len(mixed) == 1 else torch.cat(mixed)


class _Formula(torch.autograd.Function):
    """Attention with dropout, remembering two tables of weights; torch would keep three."""

    @staticmethod
    def forward(
        ctx: Any,
        dropout: float,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        mask: Tensor | None = None,
    ) -> Tensor:
        scores = (query / math.sqrt(query.shape[-1])) @ key.transpose(-1, -2)
        if mask is not None and mask.dtype == torch.bool:
            scores = scores.masked_fill(~mask, -torch.inf)
        elif mask is not None:
            scores = scores + mask
        weights = scores.softmax(-1).to(value.dtype)
        dropped = weights * dropout_mask(weights, dropout)
        mixed = dropped @ value
        ctx.save_for_backward(query, key, value, weights, dropped, mixed)
        ctx.mask = None if mask is None or mask.dtype == torch.bool else mask.shape
        return mixed

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        query, key, value, weights, dropped, mixed = ctx.saved_tensors
        grad = grad.to(value.dtype)
        # Through the softmax: a row's weights times its gradients sum to its output times its own.
        rows = (grad * mixed).sum(-1, keepdim=True)
        scores = (grad @ value.transpose(-1, -2)).mul_(dropped).addcmul_(weights, rows, value=-1)
        root = math.sqrt(query.shape[-1])
        return (
            None,
            scores @ key / root,
            scores.transpose(-1, -2) @ query / root,
            dropped.transpose(-1, -2) @ grad,
            None if ctx.mask is None else scores.sum_to_size(ctx.mask),
        )
