"""How large a model is and how much it computes, found without memory for its weights."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils.flop_counter import FlopCounterMode

from incognote.workshop.encoders.elmo import Elmo
from incognote.workshop.encoders.encoder import Encoder
from incognote.workshop.encoders.families import family_of
from incognote.workshop.encoders.model import Model


@dataclass(frozen=True)
class Size:
    """tensors: each parameter's name and shape; flops: multiply and add, per token."""

    tensors: dict[str, tuple[int, ...]]
    flops: float

    @property
    def parameters(self) -> int:
        """Numbers learned."""
        return sum(torch.Size(shape).numel() for shape in self.tensors.values())

    @property
    def bytes(self) -> int:
        """Memory for them in float32."""
        return 4 * self.parameters


def size_of(
    config: Any,
    *,
    heads: Sequence[str] = (),
    labels: int = 2,
    pooler: bool | None = None,
    length: int = 512,
) -> Size:
    """The size of an encoder with these heads; a bare one has its pooler, if its family does.

    FLOPs are those of the encoder's matrix multiplications for one sequence of `length` tokens (or
    the longest it takes), divided by its tokens.
    """
    if pooler is None:
        pooler = not heads and family_of(config).has_pooler
    with torch.device("meta"):
        model = Model(config, heads=heads, labels=labels, pooler=pooler).eval()
        ids = torch.zeros(1, min(length, config.longest), *config.row, dtype=torch.long)
    tensors = {name: tuple(parameter.shape) for name, parameter in model.named_parameters()}
    return Size(tensors, _flops(model.encoder, ids) / ids.shape[1])


def _flops(encoder: nn.Module, ids: Tensor) -> int:
    """In closed form where there is one: counting by running takes half a second a model."""
    if isinstance(encoder, Elmo):  # every word costs the same, so four tell
        return counted_flops(encoder, ids[:, :4]) * ids.shape[1] // ids[:, :4].shape[1]
    if not isinstance(encoder, Encoder):
        return counted_flops(encoder, ids)
    stack = encoder.stack
    each = _linear(encoder.embeddings)
    for attention, feed_forward in stack.order:
        each += _linear(stack.attentions[attention]) + _linear(stack.feed_forwards[feed_forward])
        each += 4 * ids.shape[1] * encoder.config.hidden_size  # query · key, weights · value
    return ids.numel() * each + (_linear(encoder.pooler) if encoder.pooler is not None else 0)


def _linear(module: nn.Module) -> int:
    layers = (layer for layer in module.modules() if isinstance(layer, nn.Linear))
    return sum(2 * layer.weight.numel() for layer in layers)


@torch.no_grad()
def counted_flops(encoder: nn.Module, ids: Tensor) -> int:
    """By running the encoder on ids [1, length] and counting its matrix multiplications."""
    with FlopCounterMode(display=False) as counter:
        encoder(ids)
    return int(counter.get_total_flops())
