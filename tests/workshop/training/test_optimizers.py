"""Ten steps of each optimizer equal the papers' formulas, written in numpy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from incognote.base.errors import TrainError
from incognote.workshop.training.optimizers import OptimizerName, optimizer_of
from incognote.workshop.training.schedules import decayed, decayed_from_start, set_rates

STEPS, LR, BETAS, EPS, DECAY = 10, 0.05, (0.9, 0.98), 1e-6, 0.1
Array = np.ndarray[Any, np.dtype[np.float64]]


class Small(nn.Module):
    """A matrix, its bias, a norm, and a matrix that is all zero."""

    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(1)
        self.dense = nn.Linear(5, 3)
        self.norm = nn.LayerNorm(3)
        self.still = nn.Linear(3, 2, bias=False)
        nn.init.zeros_(self.still.weight)


def gradients(step: int, module: nn.Module) -> dict[str, torch.Tensor]:
    torch.manual_seed(100 + step)
    return {
        name: torch.randn(value.shape, dtype=torch.float64)
        for name, value in module.named_parameters()
    }


def reference(name: OptimizerName, decay_all: bool) -> dict[str, Array]:
    """The formulas, one tensor at a time, in float64."""
    module = Small().double()
    ends = {}
    for parameter, begun in module.named_parameters():
        plain = parameter in ("dense.bias", "norm.weight", "norm.bias")
        decay = DECAY if decay_all or not plain else 0.0
        w = begun.detach().numpy().copy()
        m, v, sums = np.zeros_like(w), np.zeros_like(w), np.ones_like(w)
        for step in range(STEPS):
            g = gradients(step, module)[parameter].numpy()
            lr = LR * decayed_from_start(step, STEPS, 3)
            m = BETAS[0] * m + (1 - BETAS[0]) * g
            v = BETAS[1] * v + (1 - BETAS[1]) * g * g
            update = m / (np.sqrt(v) + EPS) + decay * w
            if name == "adamw":
                w = w - lr * update
            elif name == "adam":
                t = step + 1
                rate = lr * np.sqrt(1 - BETAS[1] ** t) / (1 - BETAS[0] ** t)
                w = w - lr * decay * w - rate * m / (np.sqrt(v) + EPS)
            elif name == "lamb":
                size, length = np.linalg.norm(w), np.linalg.norm(update)
                trust = size / length if size > 0 and length > 0 and not plain else 1.0
                w = w - lr * trust * update
            else:
                g = g + decay * w
                sums = sums + g * g
                w = w - lr * g / (np.sqrt(sums) + EPS)
        ends[parameter] = w
    return ends


@pytest.mark.parametrize("decay_all", [False, True])
@pytest.mark.parametrize("name", ["adamw", "adam", "lamb", "adagrad"])
def test_ten_steps_equal_the_formulas(name: OptimizerName, decay_all: bool) -> None:
    module = Small().double()
    optimizer = optimizer_of(
        module, name, lr=LR, betas=BETAS, eps=EPS, weight_decay=DECAY, decay_all=decay_all
    )
    for step in range(STEPS):
        set_rates(optimizer, decayed_from_start(step, STEPS, 3))
        for parameter, gradient in gradients(step, module).items():
            module.get_parameter(parameter).grad = gradient
        optimizer.step()
    for parameter, wanted in reference(name, decay_all).items():
        found = module.get_parameter(parameter).detach().numpy()
        np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-12, err_msg=parameter)


@pytest.mark.parametrize("name", ["adamw", "adam", "lamb", "adagrad"])
def test_a_parameter_without_gradient_stays(name: OptimizerName) -> None:
    module = Small()
    optimizer = optimizer_of(module, name, lr=LR, betas=BETAS, eps=EPS, weight_decay=DECAY)
    module.dense.weight.grad = torch.ones_like(module.dense.weight)
    before = {key: value.clone() for key, value in module.state_dict().items()}
    optimizer.step()
    moved = {key for key, value in module.state_dict().items() if not value.equal(before[key])}
    assert moved == {"dense.weight"}


def test_an_unknown_optimizer_is_refused() -> None:
    unknown: Any = "sgd"
    with pytest.raises(TrainError, match="no optimizer 'sgd'; there are adamw"):
        optimizer_of(Small(), unknown, lr=LR, betas=BETAS, eps=EPS, weight_decay=0.0)


def test_schedules_rise_and_fall() -> None:
    assert [decayed(step, 10, 4) for step in (0, 2, 4, 7, 10)] == [0, 0.5, 1, 0.5, 0]
    assert [decayed_from_start(step, 10, 4) for step in (0, 2, 4, 9)] == [0, 0.5, 0.6, 0.1]
    assert decayed(7, 10, 4, power=2) == 0.25
    assert decayed(0, 10, 0) == 1
