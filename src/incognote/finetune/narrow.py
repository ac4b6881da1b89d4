"""A narrower model that begins with the weightiest parts of a wider one: where a quick student starts.

Words keep their width, so that the two models can share them; what comes after them is cut down to
some of the hidden numbers, some heads and some feed-forward units, those that weigh most.
"""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import torch
from torch import Tensor, nn

from incognote.encoders.bert import BertConfig
from incognote.encoders.electra import ElectraConfig
from incognote.encoders.model import Model
from incognote.training.errors import TrainError


@torch.no_grad()
def keep_width(model: Model, width: int) -> Model:
    """The model with layers of this width. Of BERT's kind only; it becomes one of ELECTRA's, whose
    layers may be narrower than its words.
    """
    wide: Any = model.config
    if type(wide) is not BertConfig:  # RoBERTa's positions begin elsewhere
        raise TrainError(f"layers of {model.family.name} cannot be made narrower")
    size, head = wide.hidden_size, wide.hidden_size // wide.heads
    if not 0 < width < size or width % head:
        raise TrainError(f"a width to keep must be a multiple of {head} below {size}")
    same = {each.name: getattr(wide, each.name) for each in fields(wide)}
    cut = {
        "hidden_size": width,
        "heads": width // head,
        "feed_forward_size": wide.feed_forward_size * width // size,
    }
    narrow = Model(
        ElectraConfig(**{**same, **cut}, embedding_size=size),
        heads=tuple(model.heads),
        labels=model.labels,
    )
    old: Any = model.encoder
    new: Any = narrow.encoder
    heads: Any = narrow.heads
    kept = _weightiest(_seen(old), width)
    new.embeddings.load_state_dict(old.embeddings.state_dict(), strict=False)
    new.embeddings.projection.weight.copy_(torch.eye(size)[kept])
    new.embeddings.projection.bias.zero_()
    for own, given in zip(new.stack.attentions, old.stack.attentions, strict=True):
        _cut_attention(own, given, kept, head)
    for own, given in zip(new.stack.feed_forwards, old.stack.feed_forwards, strict=True):
        _cut_feed_forward(own, given, kept)
    for name, given in model.heads.items():
        _cut(heads[name].classifier, given.classifier, slice(None), kept)
    return narrow


def _seen(encoder: Any) -> Tensor:
    """How much each hidden number weighs in what the layers read, [hidden size]."""
    stack, norm = encoder.stack, encoder.embeddings.norm
    total = torch.zeros_like(norm.weight)
    for attention, feed_forward in zip(stack.attentions, stack.feed_forwards, strict=True):
        for layer in (attention.query, attention.key, attention.value):
            total += (layer.weight * norm.weight).square().sum(dim=0)
        total += (feed_forward.up.weight * attention.norm.weight).square().sum(dim=0)
        norm = feed_forward.norm
    return total


def _cut_attention(own: Any, given: Any, kept: Tensor, head: int) -> None:
    told = given.value.weight.square().sum(dim=1) * given.output.weight.square().sum(dim=0)
    heads = _weightiest(told.unflatten(0, (-1, head)).sum(dim=1), len(own.query.weight) // head)
    rows = (heads[:, None] * head + torch.arange(head)).flatten()
    for name in ("query", "key", "value"):
        _cut(getattr(own, name), getattr(given, name), rows, kept)
    _cut(own.output, given.output, kept, rows)
    _cut_norm(own.norm, given.norm, kept)


def _cut_feed_forward(own: Any, given: Any, kept: Tensor) -> None:
    told = given.up.weight.square().sum(dim=1) * given.down.weight.square().sum(dim=0)
    units = _weightiest(told, len(own.up.weight))
    _cut(own.up, given.up, units, kept)
    _cut(own.down, given.down, kept, units)
    _cut_norm(own.norm, given.norm, kept)


def _cut(own: Any, given: Any, rows: Tensor | slice, columns: Tensor) -> None:
    """Some rows and columns, made larger by what the others take away."""
    weight = given.weight[rows]
    part = weight[:, columns]
    own.weight.copy_(part * (weight.norm() / part.norm()))
    own.bias.copy_(given.bias[rows])


def _cut_norm(own: nn.LayerNorm, given: nn.LayerNorm, kept: Tensor) -> None:
    own.weight.copy_(given.weight[kept])
    own.bias.copy_(given.bias[kept])


def _weightiest(weights: Tensor, count: int) -> Tensor:
    """The places of the largest, in order."""
    return weights.topk(count).indices.sort().values
