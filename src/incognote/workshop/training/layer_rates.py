"""AdamW for fine-tuning: which parameter learns how fast, by its depth, and which decay."""

from __future__ import annotations

import re
from typing import Any

import torch
from torch import nn

from incognote.workshop.encoders.layers import Stack
from incognote.workshop.training.optimizers import BASE, undecayed
from incognote.workshop.training.run_options import EpochOptions

_LAYER = re.compile(r"\.(attentions|feed_forwards|forward_layers|backward_layers)\.(\d+)\.")


def fine_tuning_adamw(
    module: nn.Module,
    encoder: nn.Module,
    options: EpochOptions,
    *,
    undecaying: tuple[str, ...] = (),
) -> torch.optim.AdamW:
    """AdamW with groups by learning rate and decay; norms and biases do not decay.

    encoder: the part of the module that is there already; the others, its heads, have a rate of their
    own. undecaying: what names of other parameters that do not decay begin with.
    """
    plain = undecayed(module)
    depths = _depths(encoder)
    own = {id(parameter): depths[name] for name, parameter in encoder.named_parameters()}
    top = 1 + max(depths.values(), default=0)
    groups: dict[tuple[float, float], dict[str, Any]] = {}
    for name, parameter in module.named_parameters():
        if not parameter.requires_grad:
            continue
        if id(parameter) in own:
            lr = options.lr * options.layer_decay ** (top - own[id(parameter)])
        else:
            lr = options.head_lr or options.lr
        decays = name not in plain and not name.startswith(undecaying)
        decay = options.weight_decay if decays else 0.0
        group = {"params": [], "lr": lr, BASE: lr, "weight_decay": decay}
        groups.setdefault((lr, decay), group)["params"].append(parameter)
    return torch.optim.AdamW(list(groups.values()), betas=(0.9, 0.999), eps=1e-8, fused=True)


def _depths(encoder: nn.Module) -> dict[str, int]:
    """The layer of each parameter, from 1; a shared one is as deep as its last use.

    The embeddings, at 0, lie below the first layer.
    """
    last_use: dict[tuple[str, int], int] = {}
    stack = getattr(encoder, "stack", None)
    if isinstance(stack, Stack):
        for layer, (attention, feed_forward) in enumerate(stack.order, start=1):
            last_use["attentions", attention] = layer
            last_use["feed_forwards", feed_forward] = layer
    depths = {}
    for name, _ in encoder.named_parameters():
        match = _LAYER.search(f".{name}")
        place = (match[1], int(match[2])) if match else None
        depths[name] = last_use.get(place, place[1] + 1) if place else 0
        if name.startswith("stack.norm.") and isinstance(stack, Stack):
            depths[name] = len(stack.order)  # after the last layer
    return depths
