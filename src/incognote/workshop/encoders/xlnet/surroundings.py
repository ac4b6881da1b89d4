"""What XLNet's attention must know beside the hidden states; the same in all layers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from incognote.workshop.encoders.errors import InputError
from incognote.workshop.encoders.xlnet.config import XlnetConfig


@dataclass(frozen=True)
class Surroundings:
    """Queries are the pieces of the batch, keys those of the memory and of the batch.

    distances: [keys + queries, hidden size], the sinusoids of keys … 1 − queries.
    apart: [batch, queries, keys], true where query and key lie in different segments.
    content_hidden, query_hidden: [batch, queries or 1, keys], true where a query of that stream
    must not look. target_mapping: [batch, targets, queries], which piece each target stands at.
    """

    distances: Tensor
    apart: Tensor | None = None
    content_hidden: Tensor | None = None
    query_hidden: Tensor | None = None
    target_mapping: Tensor | None = None


def surroundings(
    config: XlnetConfig,
    shape: tuple[int, int],
    like: Tensor,
    *,
    segments: Tensor | None = None,
    mask: Tensor | None = None,
    perm_mask: Tensor | None = None,
    target_mapping: Tensor | None = None,
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
        distances(config, length, length + remembered, like, backward=backward),
        apart,
        content_hidden,
        query_hidden,
        None if target_mapping is None else target_mapping.to(like.dtype),
    )


def distances(
    config: XlnetConfig, queries: int, keys: int, like: Tensor, *, backward: bool = False
) -> Tensor:
    """Sinusoids in single precision, as the published models were trained with.

    Text that is given `backward` has its distances the other way round, as they stand in it.
    """
    steps = torch.arange(keys, -queries, -1, device=like.device).float()
    if backward:
        steps = -steps
    if config.clamp is not None and config.clamp > 0:
        steps = steps.clamp(-config.clamp, config.clamp)
    size = config.hidden_size
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


def remembered_pieces(memory: Sequence[Tensor] | None, config: XlnetConfig, batch: int) -> int:
    """How many pieces a memory holds."""
    if not memory:
        return 0
    expected = (batch, memory[0].shape[1], config.hidden_size)
    if len(memory) != config.layers or any(states.shape != expected for states in memory):
        raise InputError(
            f"the memory must have, for each of {config.layers} layers, "
            f"[{batch}, tokens, {config.hidden_size}]"
        )
    return expected[1]
