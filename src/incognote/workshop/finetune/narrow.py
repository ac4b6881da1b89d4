"""Narrower feed-forward layers that begin with the weightiest units of wider ones: a quick student.

Two thirds of a layer's work are its feed-forward units. Some notes tell which of them say the same
wherever they are asked: these are left out, and what they say is put into the bias. All around them
stays as it was.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import torch
from torch import Tensor, nn

from incognote.base.errors import TrainError
from incognote.workshop.finetune.batches import Packed
from incognote.workshop.finetune.tagger import Tagger


@torch.no_grad()
def keep_units(tagger: Tagger, count: int, notes: Iterable[Packed]) -> None:
    """Leave this many units in each feed-forward layer, as what they say of the notes tells."""
    model = tagger.model
    config: Any = model.config
    stack: Any = getattr(model.encoder, "stack", None)
    if stack is None:
        raise TrainError(f"layers of {model.family.name} cannot be made narrower")
    if not 0 < count < config.feed_forward_size:
        raise TrainError(
            f"the units to keep must be from 1 to {config.feed_forward_size - 1}, not {count}"
        )
    narrow = model.resized(feed_forward_size=count)
    state = model.state_dict()
    for number, said in enumerate(_said(tagger, stack.feed_forwards, notes)):
        given, name = stack.feed_forwards[number], f"encoder.stack.feed_forwards.{number}"
        down = given.down.weight
        kept = (said.variance * down.square().sum(dim=0)).topk(count).indices.sort().values
        left_out = torch.ones(config.feed_forward_size, dtype=torch.bool, device=down.device)
        left_out[kept] = False
        state[f"{name}.up.weight"] = given.up.weight[kept]
        state[f"{name}.up.bias"] = given.up.bias[kept]
        state[f"{name}.down.weight"] = down[:, kept]
        state[f"{name}.down.bias"] = given.down.bias + down[:, left_out] @ said.mean[left_out]
    narrow.load_state_dict(state)
    tagger.model = narrow.to(next(model.parameters()).device).train(model.training)


class Said:
    """Mean and variance of what units say, gathered row by row."""

    def __init__(self) -> None:
        self._rows = 0
        self._sum: Tensor | float = 0.0
        self._squares: Tensor | float = 0.0

    def add(self, down: nn.Module, given: tuple[Tensor]) -> None:
        """Rows [*, units] that a layer's second half is given."""
        rows = given[0].flatten(0, -2).double()
        self._rows += len(rows)
        self._sum = self._sum + rows.sum(dim=0)
        self._squares = self._squares + rows.square().sum(dim=0)

    @property
    def mean(self) -> Tensor:
        """[units]."""
        return (torch.as_tensor(self._sum) / self._rows).float()

    @property
    def variance(self) -> Tensor:
        """[units]."""
        mean = torch.as_tensor(self._sum) / self._rows
        return (torch.as_tensor(self._squares) / self._rows - mean.square()).float()


def _said(tagger: Tagger, layers: Any, notes: Iterable[Packed]) -> list[Said]:
    found = [Said() for _ in layers]
    hooks = [
        layer.down.register_forward_pre_hook(said.add)
        for layer, said in zip(layers, found, strict=True)
    ]
    was = tagger.training
    tagger.eval()
    for packed in notes:
        tagger(**packed.fed)
    tagger.train(was)
    for hook in hooks:
        hook.remove()
    return found
