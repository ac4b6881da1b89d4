"""Looking at the heads of attention: what each attends to, and what an encoder is without some.

For the families with a stack of layers: all but XLNet and ELMo.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from typing import Any

import torch
from torch import Tensor, nn

from incognote.base.errors import InputError
from incognote.workshop.encoders.deberta import TERMS, DisentangledAttention
from incognote.workshop.encoders.encoder import Encoder
from incognote.workshop.encoders.layers import SelfAttention
from incognote.workshop.encoders.layout import Padded
from incognote.workshop.encoders.local_attention import near
from incognote.workshop.encoders.modernbert import RotaryAttention

LOOKED_AT = (SelfAttention, RotaryAttention)


@torch.no_grad()
def attention_weights(
    encoder: nn.Module, ids: Tensor, *, mask: Tensor | None = None, segments: Tensor | None = None
) -> tuple[Tensor, ...]:
    """Of each layer, how much each token of a padded batch looks at each: [batch, heads, length, length].

    The shares of a row add up to 1. Layers that share their weights look at different things, as
    they are given different states.
    """
    stack = _stacked(encoder).stack
    found: list[Tensor] = []

    def keep(module: nn.Module, inputs: tuple[Any, ...], around: dict[str, Any]) -> None:
        hidden, layout = inputs[:2]
        assert isinstance(layout, Padded)
        scores, sees = _scores(module, hidden, around), layout.sees()
        if (reach := getattr(module, "reach", None)) is not None:
            sees = sees & near(layout.length, reach, layout.device)
        least = torch.finfo(scores.dtype).min  # padding that sees nothing sees all alike
        found.append(scores.masked_fill(~sees, least).softmax(-1))

    hooks = [
        module.register_forward_pre_hook(keep, with_kwargs=True) for module in stack.attentions
    ]
    try:
        encoder(ids, mask=mask, segments=segments)
    finally:
        for hook in hooks:
            hook.remove()
    return tuple(found)


def _scores(module: nn.Module, hidden: Tensor, around: Mapping[str, Any]) -> Tensor:
    """[batch, heads, length, length], before anything is masked."""
    bias = None
    if isinstance(module, RotaryAttention):
        rotation = around["surroundings"][module.attention_type].rotation
        query, key = (rotation(part).transpose(1, 2) for part in module.projected(hidden)[:2])
    else:
        assert isinstance(module, SelfAttention)
        if isinstance(module, DisentangledAttention):
            bias = module.bias(around["distances"])
        query, key = (
            project(hidden).unflatten(-1, (-1, module.head_size)).transpose(1, 2)
            for project in (module.query, module.key)
        )  # [batch, heads, length, head size]
        if bias is not None:
            query = query / math.sqrt(TERMS)
    scores: Tensor = query @ key.transpose(-1, -2) / module.head_size**0.5
    return scores if bias is None else scores + bias(query, key, None)


@torch.no_grad()
def prune_heads(encoder: nn.Module, heads: Mapping[int, Collection[int]]) -> None:
    """Make these heads count for nothing, by layer; both count from 0.

    What they found enters the layer's output through columns of one matrix, and these become 0: the
    encoder computes what it would without them, keeps its sizes, and is saved and loaded as before.
    Where layers share an attention, pruning it in one prunes it in all of them.
    """
    stack = _stacked(encoder).stack
    for layer, numbers in heads.items():
        if not 0 <= layer < len(stack.order):
            raise InputError(
                f"there is no layer {layer}: the encoder has 0 to {len(stack.order) - 1}"
            )
        attention = stack.attentions[stack.order[layer][0]]
        assert isinstance(attention, LOOKED_AT)
        size = attention.head_size
        count = attention.output.in_features // size
        for number in numbers:
            if not 0 <= number < count:
                raise InputError(f"there is no head {number}: a layer has 0 to {count - 1}")
            attention.output.weight[:, number * size : (number + 1) * size] = 0


def _stacked(encoder: nn.Module) -> Encoder:
    attentions = encoder.stack.attentions if isinstance(encoder, Encoder) else ()
    if not attentions or not all(isinstance(each, LOOKED_AT) for each in attentions):
        raise InputError(
            "the heads of this family cannot be looked at: take any but XLNet and ELMo"
        )
    assert isinstance(encoder, Encoder)
    return encoder
