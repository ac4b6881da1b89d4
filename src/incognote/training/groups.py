"""Which parameters decay: matrices, not norms and biases."""

from __future__ import annotations

from torch import nn


def undecayed(module: nn.Module) -> set[str]:
    """The names of all norms' parameters, of biases, and of whatever is no matrix."""
    norms = {
        f"{name}.{own}" if name else own
        for name, part in module.named_modules()
        if isinstance(part, nn.LayerNorm)
        for own, _ in part.named_parameters(recurse=False)
    }
    return norms | {
        name
        for name, parameter in module.named_parameters()
        if parameter.dim() < 2 or name.rpartition(".")[2].endswith("bias")
    }
