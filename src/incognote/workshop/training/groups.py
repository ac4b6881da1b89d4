"""Which parameters decay: matrices, not norms and biases."""

from __future__ import annotations

from torch import nn


def undecayed(module: nn.Module) -> set[str]:
    """The names of all norms' parameters, and of whatever is no matrix, as biases are not.

    The biases of XLNet's attention are matrices, a row for each head, and decay: its code names
    r_w_bias, r_r_bias and r_s_bias as the only biases that do.
    """
    norms = {
        f"{name}.{own}" if name else own
        for name, part in module.named_modules()
        if isinstance(part, nn.LayerNorm)
        for own, _ in part.named_parameters(recurse=False)
    }
    return norms | {name for name, value in module.named_parameters() if value.dim() < 2}
