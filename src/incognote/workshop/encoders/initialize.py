"""How a new encoder begins."""

from __future__ import annotations

import torch
from torch import nn


@torch.no_grad()
def initialize(model: nn.Module, spread: float) -> None:
    """Weights from a normal cut at two standard deviations, biases 0, norms 1: BERT's own start.

    Repeatable under `torch.manual_seed`. Nothing is done to parameters without memory.
    """
    for module in model.modules():
        if isinstance(module, nn.Linear | nn.Embedding) and not module.weight.is_meta:
            nn.init.trunc_normal_(module.weight, std=spread, a=-2 * spread, b=2 * spread)
            if isinstance(module, nn.Linear):
                if module.bias is not None:
                    nn.init.zeros_(module.bias)
            elif module.padding_idx is not None:
                module.weight[module.padding_idx].zero_()
