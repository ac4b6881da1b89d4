"""The optimizers of the papers, as their code has them; libraries' differ in detail.

- `adamw`: BERT's, ELECTRA's, XLNet's. Decoupled decay, no bias correction.
- `adam`: fairseq's, with which RoBERTa was trained: bias correction, and ε beside the raw root.
- `lamb`: ALBERT's. A layer's step is as long as its weights; no bias correction.
- `adagrad`: ELMo's. Sums of squares begin at 1.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any, Literal, get_args

import torch
from torch import Tensor, nn

from incognote.base.errors import TrainError
from incognote.workshop.training.groups import undecayed
from incognote.workshop.training.schedules import BASE

OptimizerName = Literal["adamw", "adam", "lamb", "adagrad"]
Groups = list[dict[str, Any]]

# A float32 counts no further than this, and β to its power is 0: nothing is left to correct.
_UNCORRECTED = float(2**24)


class AdamW(torch.optim.AdamW):
    """w ← w − lr·(m / (√v + ε) + decay·w), in one pass over memory.

    With `correct_bias` as fairseq has it: lr·√(1 − β₂ᵗ) / (1 − β₁ᵗ) in place of the first lr.
    """

    def __init__(
        self, groups: Groups, *, betas: tuple[float, float], eps: float, correct_bias: bool
    ) -> None:
        super().__init__(groups, betas=betas, eps=eps, fused=True)
        self._root_eps = eps if correct_bias else None
        begun = 0.0 if correct_bias else _UNCORRECTED
        for parameter in _parameters(self):
            self.state[parameter] = {
                "step": torch.tensor(begun, dtype=torch.float32, device=parameter.device),
                "exp_avg": torch.zeros_like(parameter),
                "exp_avg_sq": torch.zeros_like(parameter),
            }

    def step(self, closure: Callable[[], float] | None = None) -> float | None:  # type: ignore[override]
        """Take a step."""
        if self._root_eps is not None:
            first = next(_parameters(self))
            taken = float(self.state[first]["step"]) + 1
            for group in self.param_groups:
                # The library adds ε to the corrected root.
                group["eps"] = self._root_eps / math.sqrt(1 - group["betas"][1] ** taken)
        loss: float | None = super().step(closure)
        return loss


class Lamb(torch.optim.Optimizer):
    """w ← w − lr·(‖w‖ / ‖u‖)·u with u = m / (√v + ε) + decay·w.

    A group without `adapt` steps by lr·u, and so does a tensor that is all zero or has no update.
    """

    def __init__(self, groups: Groups, *, betas: tuple[float, float], eps: float) -> None:
        super().__init__(groups, {"betas": betas, "eps": eps, "weight_decay": 0.0, "adapt": True})
        for parameter in _parameters(self):
            self.state[parameter] = {
                "exp_avg": torch.zeros_like(parameter),
                "exp_avg_sq": torch.zeros_like(parameter),
            }

    @torch.no_grad()
    def step(self, closure: Callable[[], float] | None = None) -> None:  # type: ignore[override]
        """Take a step."""
        for group in self.param_groups:
            weights = [weight for weight in group["params"] if weight.grad is not None]
            if not weights:
                continue
            grads = [weight.grad for weight in weights]
            means = [self.state[weight]["exp_avg"] for weight in weights]
            squares = [self.state[weight]["exp_avg_sq"] for weight in weights]
            keep_mean, keep_square = group["betas"]
            torch._foreach_lerp_(means, grads, 1 - keep_mean)
            torch._foreach_mul_(squares, keep_square)
            torch._foreach_addcmul_(squares, grads, grads, 1 - keep_square)
            roots = torch._foreach_sqrt(squares)
            torch._foreach_add_(roots, group["eps"])
            updates = torch._foreach_div(means, roots)
            if group["weight_decay"]:
                torch._foreach_add_(updates, weights, alpha=group["weight_decay"])
            if group["adapt"]:
                for update, trust in zip(updates, _trust(weights, updates), strict=True):
                    update.mul_(trust)
            torch._foreach_add_(weights, updates, alpha=-group["lr"])


def _trust(weights: list[Tensor], updates: tuple[Tensor, ...]) -> list[Tensor]:
    """How much longer each tensor is than its update; 1 where one of them is nothing."""
    sizes, steps = torch._foreach_norm(weights), torch._foreach_norm(updates)
    return [
        torch.where((size > 0) & (step > 0), size / step, 1.0)
        for size, step in zip(sizes, steps, strict=True)
    ]


def optimizer_of(
    module: nn.Module,
    name: OptimizerName,
    *,
    lr: float,
    betas: tuple[float, float],
    eps: float,
    weight_decay: float,
    decay_all: bool = False,
) -> torch.optim.Optimizer:
    """The optimizer of that name for a module; norms and biases decay only with `decay_all`."""
    if name not in get_args(OptimizerName):
        raise TrainError(f"no optimizer {name!r}; there are {', '.join(get_args(OptimizerName))}")
    plain = undecayed(module)
    groups: Groups = []
    for decays in (True, False):
        chosen = [p for own, p in module.named_parameters() if (own not in plain) == decays]
        if chosen:
            decay = weight_decay if decays or decay_all else 0.0
            groups.append({"params": chosen, "lr": lr, BASE: lr, "weight_decay": decay})
            if name == "lamb":
                groups[-1]["adapt"] = decays
    if name == "lamb":
        return Lamb(groups, betas=betas, eps=eps)
    if name == "adagrad":
        return torch.optim.Adagrad(groups, initial_accumulator_value=1.0, eps=eps, foreach=True)
    return AdamW(groups, betas=betas, eps=eps, correct_bias=name == "adam")


def _parameters(optimizer: torch.optim.Optimizer) -> Iterator[nn.Parameter]:
    for group in optimizer.param_groups:
        yield from group["params"]
