"""The learning rate by step: up from 0, then down to 0."""

from __future__ import annotations

import math
from typing import Any

import torch

BASE = "base_lr"


def warm_up_share(steps: int, share: float) -> int:
    """The steps of a warm-up that is given as a share of all."""
    return math.ceil(steps * share)


def decayed(step: int, steps: int, warmup: int, *, power: float = 1.0) -> float:
    """The factor at a step (from 0): linear up to 1, then down from there to 0.

    This is fairseq's, XLNet's and `transformers`' schedule.
    """
    if step < warmup:
        return step / warmup
    left = max(0, steps - step) / max(1, steps - warmup)
    return float(left**power)


def decayed_from_start(step: int, steps: int, warmup: int, *, power: float = 1.0) -> float:
    """The same, but the decay runs from step 0, hidden at first by the warm-up: BERT's and ALBERT's."""
    if step < warmup:
        return step / warmup
    return float((max(0, steps - step) / max(1, steps)) ** power)


def set_rates(optimizer: torch.optim.Optimizer, factor: float) -> None:
    """Put the schedule's factor on every group's own rate."""
    groups: list[dict[str, Any]] = optimizer.param_groups
    for group in groups:
        group["lr"] = group[BASE] * factor
