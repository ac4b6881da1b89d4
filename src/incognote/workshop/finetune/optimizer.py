"""AdamW with a linear schedule: which parameter learns how fast, and when."""

from __future__ import annotations

import re
from typing import Any

import torch

from incognote.workshop.encoders.layers import Stack
from incognote.workshop.finetune.options import Options
from incognote.workshop.finetune.tagger import Tagger
from incognote.workshop.training.optimizers import BASE, decayed, undecayed, warm_up_share

_LAYER = re.compile(r"\.(attentions|feed_forwards|forward_layers|backward_layers)\.(\d+)\.")


def adamw(tagger: Tagger, options: Options) -> torch.optim.AdamW:
    """Groups by learning rate and decay; norms and biases do not decay."""
    plain = undecayed(tagger)
    depths = _depths(tagger)
    groups: dict[tuple[float, float], dict[str, Any]] = {}
    for name, parameter in tagger.named_parameters():
        if not parameter.requires_grad:
            continue
        decays = name not in plain and not name.startswith("crf.")
        lr, decay = _rate(name, depths, options), options.weight_decay if decays else 0.0
        group = {"params": [], "lr": lr, BASE: lr, "weight_decay": decay}
        groups.setdefault((lr, decay), group)["params"].append(parameter)
    return torch.optim.AdamW(list(groups.values()), betas=(0.9, 0.999), eps=1e-8, fused=True)


def schedule(step: int, steps: int, warmup: float) -> float:
    """Up from 0 over the first share of steps, then down to 0, as `transformers` does."""
    return decayed(step, steps, warm_up_share(steps, warmup))


def _rate(name: str, depths: dict[str, int], options: Options) -> float:
    if not name.startswith("model.encoder."):
        return options.head_lr or options.lr
    top = 1 + max(depths.values(), default=0)
    depth = depths.get(name, 0)
    # The embeddings lie below the first layer.
    return options.lr * options.layer_decay ** (top - depth)


def _depths(tagger: Tagger) -> dict[str, int]:
    """The layer of each parameter of a layer, from 1; a shared one is as deep as its last use."""
    encoder = tagger.model.encoder
    last_use: dict[tuple[str, int], int] = {}
    stack = getattr(encoder, "stack", None)
    if isinstance(stack, Stack):
        for layer, (attention, feed_forward) in enumerate(stack.order, start=1):
            last_use["attentions", attention] = layer
            last_use["feed_forwards", feed_forward] = layer
    depths = {}
    for name, _ in tagger.named_parameters():
        if found := _LAYER.search(name):
            place = (found[1], int(found[2]))
            depths[name] = last_use.get(place, place[1] + 1)
    return depths
