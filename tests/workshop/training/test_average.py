"""The running mean of weights: what it is, and that it stands in only for a while."""

from __future__ import annotations

from contextlib import suppress

import torch
from torch import nn

from incognote.workshop.training.average import Average


def test_it_is_the_mean_of_the_steps_and_then_forgets() -> None:
    module = nn.Linear(2, 1, bias=False)
    optimizer = torch.optim.AdamW(module.parameters(), lr=0.1)
    average = Average(module, optimizer, decay=0.75)
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
    average = Average(module, optimizer, decay=0.9)
    average.update(1)
    with torch.no_grad():
        module.weight.fill_(7)
    with suppress(ValueError), average.instead():
        assert module.weight.item() != 7
        raise ValueError
    assert module.weight.item() == 7
