"""The optimizers of the papers, which parameters decay, the learning rate by step, a mean of weights.

Libraries' optimizers differ in detail from what the papers' code has:

- `adamw`: BERT's, ELECTRA's, XLNet's. Decoupled decay, no bias correction.
- `adam`: fairseq's, with which RoBERTa was trained: bias correction, and ε beside the raw root.
- `lamb`: ALBERT's. A layer's step is as long as its weights; no bias correction.
- `adagrad`: ELMo's. Sums of squares begin at 1.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, get_args

import torch
from torch import Tensor, nn

from incognote.base.errors import TrainError
from incognote.workshop.training.run_options import OptimizerName

BASE = "base_lr"
"""A group's own learning rate, which the schedule multiplies."""

Groups = list[dict[str, Any]]

# A float32 counts no further than this, and β to its power is 0: nothing is left to correct.
_UNCORRECTED = float(2**24)
_MEAN = "average"


class AdamW(torch.optim.AdamW):
    """w ← w − lr·(m / (√v + ε) + decay·w), in one pass over memory.

    With `correct_bias` as fairseq has it: lr·√(1 − β₂ᵗ) / (1 − β₁ᵗ) in place of the first lr.
    """

    def __init__(
        self, groups: Groups, *, betas: tuple[float, float], eps: float, correct_bias: bool
    ) -> None:
        super().__init__(groups, betas=betas, eps=eps, fused=True)
        self._root_eps = eps if correct_bias else None
        first_step = 0.0 if correct_bias else _UNCORRECTED
        for parameter in _parameters(self):
            self.state[parameter] = {
                "step": torch.tensor(first_step, dtype=torch.float32, device=parameter.device),
                "exp_avg": torch.zeros_like(parameter),
                "exp_avg_sq": torch.zeros_like(parameter),
            }

    def step(self, closure: Callable[[], float] | None = None) -> float | None:  # type: ignore[override]
        """Take a step."""
        if self._root_eps is not None:
            first = next(_parameters(self))
            steps = float(self.state[first]["step"]) + 1
            for group in self.param_groups:
                # The library adds ε to the corrected root.
                group["eps"] = self._root_eps / math.sqrt(1 - group["betas"][1] ** steps)
        loss: float | None = super().step(closure)
        return loss


class StableAdamW(torch.optim.Optimizer):
    """w ← w − η·(û + decay·w) with û = m̂ / (√v̂ + ε) and η = lr / max(1, √mean(g² / max(v̂, ε²))).

    The rate of a tensor is cut where its gradients are larger than they were (Wortsman et al., 2023), so
    that no gradient need be clipped. m̂ and v̂ are corrected for their beginning at 0.
    """

    def __init__(self, groups: Groups, *, betas: tuple[float, float], eps: float) -> None:
        super().__init__(groups, {"betas": betas, "eps": eps, "weight_decay": 0.0})
        for parameter in _parameters(self):
            self.state[parameter] = {
                "step": torch.tensor(0.0),
                "exp_avg": torch.zeros_like(parameter),
                "exp_avg_sq": torch.zeros_like(parameter),
            }

    @torch.no_grad()
    def step(self, closure: Callable[[], float] | None = None) -> None:  # type: ignore[override]
        """Take a step."""
        for group in self.param_groups:
            for weight in group["params"]:
                if weight.grad is not None:
                    self._change(weight, weight.grad, group)

    def _change(self, weight: Tensor, grad: Tensor, group: dict[str, Any]) -> None:
        state, eps = self.state[weight], group["eps"]
        state["step"] += 1
        steps = float(state["step"])
        first, second = group["betas"]
        mean = state["exp_avg"].lerp_(grad, 1 - first)
        square = state["exp_avg_sq"].mul_(second).addcmul_(grad, grad, value=1 - second)
        corrected = square / (1 - second**steps)
        size = float((grad.square() / corrected.clamp(min=eps**2)).mean().sqrt())
        rate = group["lr"] / max(1.0, size)
        weight.mul_(1 - rate * group["weight_decay"])
        weight.addcdiv_(mean, corrected.sqrt_().add_(eps), value=-rate / (1 - first**steps))


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
        parameters = [p for own, p in module.named_parameters() if (own not in plain) == decays]
        if parameters:
            decay = weight_decay if decays or decay_all else 0.0
            groups.append({"params": parameters, "lr": lr, BASE: lr, "weight_decay": decay})
            if name == "lamb":
                groups[-1]["adapt"] = decays
    if name == "lamb":
        return Lamb(groups, betas=betas, eps=eps)
    if name == "stable-adamw":
        return StableAdamW(groups, betas=betas, eps=eps)
    if name == "adagrad":
        return torch.optim.Adagrad(groups, initial_accumulator_value=1.0, eps=eps, foreach=True)
    return AdamW(groups, betas=betas, eps=eps, correct_bias=name == "adam")


def _parameters(optimizer: torch.optim.Optimizer) -> Iterator[nn.Parameter]:
    for group in optimizer.param_groups:
        yield from group["params"]


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


def warm_up_share(steps: int, share: float) -> int:
    """The steps of a warm-up that is given as a share of all."""
    return math.ceil(steps * share)


def decayed(step: int, steps: int, warmup: int, *, power: float = 1.0) -> float:
    """The factor at a step (from 0): linear up to 1, then down from there to 0.

    This is fairseq's, XLNet's and `transformers`' schedule.
    """
    if step < warmup:
        return step / warmup
    remaining = max(0, steps - step) / max(1, steps - warmup)
    return float(remaining**power)


def decayed_from_start(step: int, steps: int, warmup: int, *, power: float = 1.0) -> float:
    """The same, but the decay runs from step 0, hidden at first by the warm-up: BERT's and ALBERT's."""
    if step < warmup:
        return step / warmup
    return float((max(0, steps - step) / max(1, steps)) ** power)


def decayed_at_end(
    step: int, steps: int, warmup: int, *, share: float, power: float = 1.0
) -> float:
    """Linear up to 1, level, and down to 0 over the last share of steps by 1 − (what is done)^power.

    With a power of ½ it is ModernBERT's. A run can be stopped anywhere before, and go on with other text.
    """
    if step < warmup:
        return step / warmup
    last = max(1, round(steps * share))
    done = max(0, step - (steps - last)) / last
    return float(1.0 - min(1.0, done) ** power)


def inverse_root(step: int, size: int, warmup: int) -> float:
    """The rate at a step (from 0) itself: up to the warm-up's end, then down with the root of steps.

    The original Transformer's, where `size` is that of its hidden states.
    """
    number = step + 1
    return float(size**-0.5 * min(number**-0.5, number * warmup**-1.5))


def set_rates(optimizer: torch.optim.Optimizer, factor: float) -> None:
    """Put the schedule's factor on every group's own rate."""
    groups: list[dict[str, Any]] = optimizer.param_groups
    for group in groups:
        group["lr"] = group[BASE] * factor


class WeightAverage:
    """A running mean of a module's weights over about the last 1 / (1 - decay) steps.

    It forgets the noise of single steps, and often does better.

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
