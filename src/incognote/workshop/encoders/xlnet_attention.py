"""Attention by content and by distance, for two streams, and what it must know of a batch."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from incognote.base.errors import InputError
from incognote.workshop.encoders.config import EncoderConfig
from incognote.workshop.encoders.dropout import Dropout, attend


@dataclass(frozen=True)
class Surroundings:
    """Queries are the tokens of the batch, keys those of the memory and of the batch.

    distances: [keys + queries, hidden size], the sinusoids of keys … 1 − queries.
    apart: [batch, queries, keys], true where query and key lie in different segments.
    content_hidden, query_hidden: [batch, queries or 1, keys], true where a query of that stream
    must not look. target_mapping: [batch, targets, queries], which token each target stands at.
    """

    distances: Tensor
    apart: Tensor | None = None
    content_hidden: Tensor | None = None
    query_hidden: Tensor | None = None
    target_mapping: Tensor | None = None


def surroundings(
    shape: tuple[int, int],
    like: Tensor,
    *,
    segments: Tensor | None = None,
    mask: Tensor | None = None,
    perm_mask: Tensor | None = None,
    target_mapping: Tensor | None = None,
    clamp: int | None,
    remembered: int = 0,
    backward: bool = False,
) -> Surroundings:
    """For a batch of that shape and states of the dtype and device of `like`."""
    length = shape[1]
    _check_shapes(shape, perm_mask, target_mapping)
    query_hidden = None
    if mask is not None:
        query_hidden = ~mask[:, None]  # [batch, 1, length]
    if perm_mask is not None:
        unseen = perm_mask > 0
        query_hidden = unseen if query_hidden is None else query_hidden | unseen
    content_hidden = None
    if query_hidden is not None:
        query_hidden = _beside_memory(query_hidden, remembered)
        oneself = torch.eye(length, dtype=torch.bool, device=like.device)
        content_hidden = query_hidden & ~_beside_memory(oneself, remembered)
    apart = None
    if segments is not None:
        keys = _beside_memory(segments, remembered)
        apart = segments[:, :, None] != keys[:, None, :]
    return Surroundings(
        distances(length, length + remembered, like, clamp=clamp, backward=backward),
        apart,
        content_hidden,
        query_hidden,
        None if target_mapping is None else target_mapping.to(like.dtype),
    )


def distances(
    queries: int, keys: int, like: Tensor, *, clamp: int | None, backward: bool = False
) -> Tensor:
    """Sinusoids in single precision, as the published models were trained with.

    Text that is given `backward` has its distances the other way round, as they stand in it.
    """
    steps = torch.arange(keys, -queries, -1, device=like.device).float()
    if backward:
        steps = -steps
    if clamp is not None and clamp > 0:
        steps = steps.clamp(-clamp, clamp)
    size = like.shape[-1]
    rates = 1 / torch.pow(10000, torch.arange(0, size, 2, device=like.device).float() / size)
    angles = steps[:, None] * rates
    return torch.cat([angles.sin(), angles.cos()], dim=-1).to(like.dtype)


def _beside_memory(values: Tensor, remembered: int) -> Tensor:
    """Memory is never hidden, and of segment 0: zeros before the last dimension."""
    return torch.nn.functional.pad(values, (remembered, 0)) if remembered else values


def _check_shapes(
    shape: tuple[int, int], perm_mask: Tensor | None, target_mapping: Tensor | None
) -> None:
    batch, length = shape
    if perm_mask is not None and perm_mask.shape != (batch, length, length):
        raise InputError(f"perm_mask is {list(perm_mask.shape)}, not {[batch, length, length]}")
    if target_mapping is None:
        return
    if target_mapping.dim() != 3 or target_mapping.shape[::2] != shape:
        raise InputError(
            f"target_mapping is {list(target_mapping.shape)}, not [{batch}, targets, {length}]"
        )


def remembered_tokens(memory: Sequence[Tensor] | None, config: EncoderConfig, batch: int) -> int:
    """How many tokens a memory holds."""
    if not memory:
        return 0
    expected = (batch, memory[0].shape[1], config.hidden_size)
    if len(memory) != config.layers or any(states.shape != expected for states in memory):
        raise InputError(
            f"the memory must have, for each of {config.layers} layers, "
            f"[{batch}, tokens, {config.hidden_size}]"
        )
    return expected[1]


class RelativeAttention(nn.Module):
    """One layer's attention; both streams share its weights, and the content stream its keys."""

    def __init__(self, config: EncoderConfig) -> None:
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
        context = content if memory is None else torch.cat([memory, content], dim=1)
        keys = _project(context, self.key)  # [batch, keys, heads, head size]
        values = _project(context, self.value)
        distances = _project(around.distances, self.distance)  # [distances, heads, head size]

        def attended(queries: Tensor, hidden: Tensor | None) -> Tensor:
            bias = self._bias(queries, distances, around.apart, hidden)
            mixed = attend(
                (queries + self.content_bias).transpose(1, 2),  # [batch, heads, queries, head size]
                keys.transpose(1, 2),
                values.transpose(1, 2),
                mask=bias,
                dropout=self.dropout.p if self.training else 0.0,
            )
            return mixed.transpose(1, 2)

        mixed = attended(_project(content, self.query), around.content_hidden)
        content_out = self._finish(content, mixed)
        if query is None:
            return content_out, None
        queries = _project(query, self.query)
        mapping = around.target_mapping
        if mapping is not None:
            queries = torch.einsum("btnd,btq->bqnd", queries, mapping)
        mixed = attended(queries, around.query_hidden)
        if mapping is not None:
            mixed = torch.einsum("bqnd,btq->btnd", mixed, mapping)
        return content_out, self._finish(query, mixed)

    def _bias(
        self, queries: Tensor, distances: Tensor, apart: Tensor | None, hidden: Tensor | None
    ) -> Tensor:
        """What distance and segments add to the scores, [batch, heads, queries, keys]."""
        keys = distances.shape[0] - queries.shape[1]
        by_distance = torch.einsum("bqnd,rnd->bnqr", queries + self.distance_bias, distances)
        bias = _shifted(by_distance, keys)
        if apart is not None:
            by_segment = torch.einsum(
                "bqnd,snd->sbnq", queries + self.segment_bias, self.segments
            ).unsqueeze(-1)
            bias = bias + torch.where(apart[:, None], by_segment[1], by_segment[0])
        bias = bias / math.sqrt(self.query.shape[-1])
        if hidden is not None:
            # Finite, so that a query with nothing to look at gives a mean and not a NaN.
            bias = bias.masked_fill(hidden[:, None], torch.finfo(bias.dtype).min / 2)
        return bias

    def _finish(self, stream: Tensor, mixed: Tensor) -> Tensor:
        out = torch.einsum("bqnd,hnd->bqh", mixed, self.output)
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
    rows = scores.reshape(batch, heads, distances, queries)[:, :, 1:]
    return rows.reshape(batch, heads, queries, distances - 1)[..., :keys]
