"""A running mean of the weights: it forgets the noise of single steps, and often does better."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import Tensor, nn

_MEAN = "average"


class Average:
    """The mean of a module's weights over about the last 1 / (1 - decay) steps.

    It lies in the optimizer's state, beside the moments, so that it is saved and restored with
    them. Early on it is the mean of the steps there were.
    """

    def __init__(self, module: nn.Module, optimizer: torch.optim.Optimizer, decay: float) -> None:
        self.module, self.optimizer, self.decay = module, optimizer, decay

    @torch.no_grad()
    def update(self, steps: int) -> None:
        """Add the weights of now; `steps` have been taken with this one."""
        share = max(1 - self.decay, 1 / max(steps, 1))
        means, weights = [], []
        for parameter in self.module.parameters():
            state = self.optimizer.state[parameter]
            if _MEAN not in state:
                state[_MEAN] = parameter.detach().clone()
            means.append(state[_MEAN])
            weights.append(parameter.detach())
        torch._foreach_lerp_(means, weights, share)

    @torch.no_grad()
    def swap(self) -> None:
        """Put the mean where the weights are, and the weights where the mean was."""
        for parameter in self.module.parameters():
            state = self.optimizer.state[parameter]
            if isinstance(mean := state.get(_MEAN), Tensor):
                state[_MEAN] = parameter.detach().clone()
                parameter.copy_(mean)

    @contextmanager
    def instead(self) -> Iterator[None]:
        """The module with the mean of its weights, for a while."""
        self.swap()
        try:
            yield
        finally:
            self.swap()
