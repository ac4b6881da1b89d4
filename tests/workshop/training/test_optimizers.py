"""Ten steps of each optimizer equal the papers' formulas, written in numpy."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from incognote.base.errors import TrainError
from incognote.workshop.encoders.families import PRESETS
from incognote.workshop.encoders.model import Model
from incognote.workshop.encoders.naming import pairs
from incognote.workshop.training.optimizers import (
    WeightAverage,
    decayed,
    decayed_at_end,
    decayed_from_start,
    optimizer_of,
    set_rates,
    undecayed,
)
from incognote.workshop.training.run_options import OptimizerName

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
            elif name == "stable-adamw":
                mean, square = m / (1 - BETAS[0] ** (step + 1)), v / (1 - BETAS[1] ** (step + 1))
                rate = lr / max(1.0, np.sqrt((g * g / np.maximum(square, EPS**2)).mean()))
                w = w - rate * decay * w - rate * mean / (np.sqrt(square) + EPS)
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
@pytest.mark.parametrize("name", ["adamw", "stable-adamw", "adam", "lamb", "adagrad"])
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


@pytest.mark.parametrize("name", ["adamw", "stable-adamw", "adam", "lamb", "adagrad"])
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


def test_a_rate_that_falls_at_the_end_is_level_before() -> None:
    def rates(power: float) -> list[float]:
        steps = (0, 2, 4, 50, 80, 85, 90, 100)
        return [decayed_at_end(step, 100, 4, share=0.2, power=power) for step in steps]

    assert rates(1.0) == [0, 0.5, 1, 1, 1, 0.75, 0.5, 0]
    assert rates(0.5) == pytest.approx([0, 0.5, 1, 1, 1, 0.5, 1 - 0.5**0.5, 0])


def test_a_leap_of_the_gradients_is_a_short_step() -> None:
    """The rate is cut by how much larger they are than they were; without a leap it is not."""
    moves = {}
    for leap in (1.0, 1000.0):
        module = nn.Linear(4, 1, bias=False)
        optimizer = optimizer_of(
            module, "stable-adamw", lr=0.1, betas=(0.9, 0.99), eps=1e-6, weight_decay=0.0
        )
        for size in (1.0, 1.0, 1.0, leap):
            before = module.weight.detach().clone()
            module.weight.grad = torch.full_like(module.weight, size)
            optimizer.step()
        moves[leap] = float((module.weight.detach() - before).abs().max())
    assert moves[1.0] == pytest.approx(0.1, rel=1e-4)
    assert moves[1000.0] < 0.05


EXCLUDED = re.compile("LayerNorm|layer_norm|bias")
INCLUDED = re.compile("r_s_bias|r_r_bias|r_w_bias")
"""XLNet's `include_in_weight_decay`, which goes before what is excluded; no other has such names."""


@pytest.mark.parametrize("name", ["xlnet-base-cased", "bert-base-uncased", "albert-base-v2"])
def test_what_decays_is_what_the_papers_code_decays(name: str) -> None:
    config = replace(PRESETS[name].config, layers=2)
    with torch.device("meta"):
        model = Model(config, heads=("tokens",), labels=("O", "B-NAME"))
    plain = undecayed(model)
    names = list(pairs(model, model.family, config, ("tokens",)))
    for ours, theirs in names:
        excluded = EXCLUDED.search(theirs)
        assert (ours in plain) == bool(excluded and not INCLUDED.search(theirs)), theirs
    biases = [theirs for _, theirs in names if INCLUDED.search(theirs)]
    assert len(biases) == (6 if name.startswith("xlnet") else 0)


def test_it_is_the_mean_of_the_steps_and_then_forgets() -> None:
    module = nn.Linear(2, 1, bias=False)
    optimizer = torch.optim.AdamW(module.parameters(), lr=0.1)
    average = WeightAverage(module, optimizer, decay=0.75)
    seen: list[torch.Tensor] = []
    expected = torch.zeros(1, 2)
    for step in range(1, 9):
        optimizer.zero_grad()
        module(torch.randn(4, 2)).sum().backward()
        optimizer.step()
        average.update(step)
        seen.append(module.weight.detach().clone())
        share = max(0.25, 1 / step)
        expected = expected + share * (seen[-1] - expected)
        if step <= 4:
            torch.testing.assert_close(expected, torch.stack(seen).mean(0))
    with average.instead():
        torch.testing.assert_close(module.weight.detach(), expected)
    assert torch.equal(module.weight, seen[-1])


def test_weights_come_back_after_an_error() -> None:
    module = nn.Linear(1, 1)
    optimizer = torch.optim.AdamW(module.parameters())
    average = WeightAverage(module, optimizer, decay=0.9)
    average.update(1)
    with torch.no_grad():
        module.weight.fill_(7)
    with suppress(ValueError), average.instead():
        assert module.weight.item() != 7
        raise ValueError
    assert module.weight.item() == 7
