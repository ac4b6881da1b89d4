"""A shallower model that begins with some layers of a deeper one: where a student starts."""

from __future__ import annotations

import re
from collections.abc import Sequence

from torch import Tensor

from incognote.base.errors import TrainError
from incognote.workshop.encoders.model import Model

_LAYER = re.compile(r"^(encoder\.stack\.(?:attentions|feed_forwards)\.)(\d+)(\..+)$")


def keep_layers(model: Model, kept: Sequence[int]) -> Model:
    """The model with these layers only, counted from 1, in order; heads and embeddings stay.

    Where one module serves all layers, as in ALBERT, there are as many rounds of it as kept.
    """
    order = getattr(getattr(model.encoder, "stack", None), "order", None)
    if order is None:
        raise TrainError(f"layers of {model.family.name} cannot be left out")
    if not kept or list(kept) != sorted(set(kept)) or not 1 <= kept[0] <= kept[-1] <= len(order):
        raise TrainError(f"layers to keep must be some of 1 to {len(order)}, in order")
    own = [order[number - 1] for number in kept]
    shared = len(set(order)) == 1
    if not shared and order != tuple((layer, layer) for layer in range(len(order))):
        raise TrainError("layers in groups that share weights cannot be left out")
    shallow = model.resized(layers=len(kept))
    if shared:
        shallow.load_state_dict(model.state_dict())
        return shallow
    places = {attention: place for place, (attention, _) in enumerate(own)}
    shallow.load_state_dict(_renumbered(model.state_dict(), places))
    return shallow


def _renumbered(state: dict[str, Tensor], places: dict[int, int]) -> dict[str, Tensor]:
    """Names of the layers kept with their new numbers; those of the others are left out."""
    found = {}
    for name, value in state.items():
        match = _LAYER.match(name)
        if match is None:
            found[name] = value
        elif int(match[2]) in places:
            found[f"{match[1]}{places[int(match[2])]}{match[3]}"] = value
    return found
