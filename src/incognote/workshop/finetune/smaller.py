"""Smaller models that begin with some of the weights of larger ones: where a quick student starts.

`keep_layers` makes a model shallower, `keep_units` its feed-forward layers narrower. Two thirds of a
layer's work are its feed-forward units. On some notes it is seen which of them give the same wherever
they are asked: these are left out, and what they give is put into the bias. All around them stays as it
was.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from incognote.base.errors import TrainError
from incognote.workshop.encoders.layers import FeedForward
from incognote.workshop.encoders.model import Model
from incognote.workshop.finetune.examples import Packed
from incognote.workshop.finetune.tagger import Tagger

_LAYER = re.compile(r"^(encoder\.stack\.(?:attentions|feed_forwards)\.)(\d+)(\..+)$")


def keep_layers(model: Model, layers: Sequence[int]) -> Model:
    """The model with these layers only, counted from 1, in order; heads and embeddings stay.

    Where one module serves all layers, as in ALBERT, there are as many rounds of it as layers.
    """
    order = getattr(getattr(model.encoder, "stack", None), "order", None)
    if order is None:
        raise TrainError(f"layers of {model.family.name} cannot be left out")
    if (
        not layers
        or list(layers) != sorted(set(layers))
        or not 1 <= layers[0] <= layers[-1] <= len(order)
    ):
        raise TrainError(f"layers to keep must be some of 1 to {len(order)}, in order")
    own = [order[number - 1] for number in layers]
    shared = len(set(order)) == 1
    if not shared and order != tuple((layer, layer) for layer in range(len(order))):
        raise TrainError("layers in groups that share weights cannot be left out")
    shallow = model.resized(layers=len(layers), **_kinds(model.config, layers))
    if shared:
        shallow.load_state_dict(model.state_dict())
        return shallow
    places = {attention: place for place, (attention, _) in enumerate(own)}
    shallow.load_state_dict(_renumber(model.state_dict(), places))
    return shallow


def _kinds(config: Any, layers: Sequence[int]) -> dict[str, Any]:
    """What layers that stay must still be, where they are not all of one kind, as in ModernBERT."""
    types = getattr(config, "attention_types", None)
    if types is None:
        return {}
    if layers[0] != 1:
        raise TrainError("layer 1 of ModernBERT must be kept: it reads the embeddings as they are")
    return {"layer_types": tuple(types[number - 1] for number in layers)}


def _renumber(state: dict[str, Tensor], places: dict[int, int]) -> dict[str, Tensor]:
    """Names of the layers kept with their new numbers; those of the others are left out."""
    renumbered = {}
    for name, value in state.items():
        match = _LAYER.match(name)
        if match is None:
            renumbered[name] = value
        elif int(match[2]) in places:
            renumbered[f"{match[1]}{places[int(match[2])]}{match[3]}"] = value
    return renumbered


@torch.no_grad()
def keep_units(tagger: Tagger, count: int, notes: Iterable[Packed]) -> None:
    """Leave this many units in each feed-forward layer, those that weigh most on these notes."""
    model = tagger.model
    config: Any = model.config
    stack: Any = getattr(model.encoder, "stack", None)
    if stack is None or not all(isinstance(each, FeedForward) for each in stack.feed_forwards):
        raise TrainError(f"layers of {model.family.name} cannot be made narrower")
    if not 0 < count < config.feed_forward_size:
        raise TrainError(
            f"the units to keep must be from 1 to {config.feed_forward_size - 1}, not {count}"
        )
    narrow = model.resized(feed_forward_size=count)
    state = model.state_dict()
    for number, output in enumerate(_outputs(tagger, stack.feed_forwards, notes)):
        layer, name = stack.feed_forwards[number], f"encoder.stack.feed_forwards.{number}"
        down = layer.down.weight
        units = (output.variance * down.square().sum(dim=0)).topk(count).indices.sort().values
        left_out = torch.ones(config.feed_forward_size, dtype=torch.bool, device=down.device)
        left_out[units] = False
        state[f"{name}.up.weight"] = layer.up.weight[units]
        state[f"{name}.up.bias"] = layer.up.bias[units]
        state[f"{name}.down.weight"] = down[:, units]
        state[f"{name}.down.bias"] = layer.down.bias + down[:, left_out] @ output.mean[left_out]
    narrow.load_state_dict(state)
    tagger.model = narrow.to(next(model.parameters()).device).train(model.training)


class UnitOutput:
    """Mean and variance of what the units of a layer give, gathered row by row."""

    def __init__(self) -> None:
        self._rows = 0
        self._sum: Tensor | float = 0.0
        self._squares: Tensor | float = 0.0

    def add(self, down: nn.Module, inputs: tuple[Tensor]) -> None:
        """Rows [*, units] that go into a layer's second half."""
        rows = inputs[0].flatten(0, -2).double()
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


def _outputs(tagger: Tagger, layers: Any, notes: Iterable[Packed]) -> list[UnitOutput]:
    outputs = [UnitOutput() for _ in layers]
    hooks = [
        layer.down.register_forward_pre_hook(output.add)
        for layer, output in zip(layers, outputs, strict=True)
    ]
    training = tagger.training
    tagger.eval()
    for packed in notes:
        tagger(**packed.inputs)
    tagger.train(training)
    for hook in hooks:
        hook.remove()
    return outputs
