"""Attention by content and by distance, for two streams."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from incognote.workshop.encoders.layers.dropout import Dropout, attend
from incognote.workshop.encoders.xlnet.config import XlnetConfig
from incognote.workshop.encoders.xlnet.surroundings import Surroundings


class RelativeAttention(nn.Module):
    """One layer's attention; both streams share its weights, and the content stream its keys."""

    def __init__(self, config: XlnetConfig) -> None:
        super().__init__()
        heads, size = config.heads, config.hidden_size // config.heads

        def weights(*shape: int) -> nn.Parameter:
            return nn.Parameter(torch.empty(shape).normal_(std=config.initializer_range))

        self.query = weights(config.hidden_size, heads, size)
        self.key = weights(config.hidden_size, heads, size)
        self.value = weights(config.hidden_size, heads, size)
        self.output = weights(config.hidden_size, heads, size)
        self.distance = weights(config.hidden_size, heads, size)
        self.content_bias = weights(heads, size)
        self.distance_bias = weights(heads, size)
        self.segment_bias = weights(heads, size)
        self.segments = weights(2, heads, size)
        self.dropout = Dropout(config.dropout)
        self.norm = nn.LayerNorm(config.hidden_size, eps=config.norm_epsilon)

    def forward(
        self, content: Tensor, query: Tensor | None, memory: Tensor | None, around: Surroundings
    ) -> tuple[Tensor, Tensor | None]:
        """Content [batch, queries, hidden size], query stream [batch, targets, hidden size].

        Memory is [batch, keys − queries, hidden size].
        """
        seen = content if memory is None else torch.cat([memory, content], dim=1)
        keys = _project(seen, self.key)  # [batch, keys, heads, head size]
        values = _project(seen, self.value)
        distances = _project(around.distances, self.distance)  # [distances, heads, head size]

        def told_by(asking: Tensor, hidden: Tensor | None) -> Tensor:
            bias = self._bias(asking, distances, around.apart, hidden)
            mixed = attend(
                (asking + self.content_bias).transpose(1, 2),  # [batch, heads, queries, head size]
                keys.transpose(1, 2),
                values.transpose(1, 2),
                mask=bias,
                dropout=self.dropout.p if self.training else 0.0,
            )
            return mixed.transpose(1, 2)

        told = told_by(_project(content, self.query), around.content_hidden)
        content_out = self._finish(content, told)
        if query is None:
            return content_out, None
        asking = _project(query, self.query)
        mapping = around.target_mapping
        if mapping is not None:
            asking = torch.einsum("btnd,btq->bqnd", asking, mapping)
        told = told_by(asking, around.query_hidden)
        if mapping is not None:
            told = torch.einsum("bqnd,btq->btnd", told, mapping)
        return content_out, self._finish(query, told)

    def _bias(
        self, asking: Tensor, distances: Tensor, apart: Tensor | None, hidden: Tensor | None
    ) -> Tensor:
        """What distance and segments add to the scores, [batch, heads, queries, keys]."""
        queries = asking.shape[1]
        keys = distances.shape[0] - queries
        by_distance = torch.einsum("bqnd,rnd->bnqr", asking + self.distance_bias, distances)
        bias = _shifted(by_distance, keys)
        if apart is not None:
            by_segment = torch.einsum(
                "bqnd,snd->sbnq", asking + self.segment_bias, self.segments
            ).unsqueeze(-1)
            bias = bias + torch.where(apart[:, None], by_segment[1], by_segment[0])
        bias = bias / math.sqrt(self.query.shape[-1])
        if hidden is not None:
            # Finite, so that a query with nothing to look at gives a mean and not a NaN.
            bias = bias.masked_fill(hidden[:, None], torch.finfo(bias.dtype).min / 2)
        return bias

    def _finish(self, stream: Tensor, told: Tensor) -> Tensor:
        out = torch.einsum("bqnd,hnd->bqh", told, self.output)
        normed: Tensor = self.norm(stream + self.dropout(out))
        return normed


def _project(states: Tensor, weights: Tensor) -> Tensor:
    """[…, hidden size] by [hidden size, heads, head size] to […, heads, head size]."""
    projected = states @ weights.flatten(1)
    return projected.view(*projected.shape[:-1], *weights.shape[1:])


def _shifted(scores: Tensor, keys: int) -> Tensor:
    """Row q moved left by (queries − q), so that column k holds the score of their distance.

    [batch, heads, queries, keys + queries] to [batch, heads, queries, keys].
    """
    batch, heads, queries, distances = scores.shape
    moved = scores.reshape(batch, heads, distances, queries)[:, :, 1:]
    return moved.reshape(batch, heads, queries, distances - 1)[..., :keys]
