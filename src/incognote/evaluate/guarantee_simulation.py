"""Whether promises are kept, seen by drawing many samples from notes whose risk is known."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from incognote.evaluate.guarantee import Bound, Losses, p_value


@dataclass(frozen=True)
class Simulation:
    """Of so many draws: in how many the promise held (also by being refused), and how many were
    refused; the mean true risk where one was made.
    """

    draws: int
    kept: int
    refused: int
    mean_risk: float


def simulate(
    losses: Losses,
    risk: float,
    bound: Bound,
    confidence: float,
    *,
    size: int,
    draws: int = 500,
    seed: int = 0,
) -> Simulation:
    """Calibrate on `draws` samples of `size` notes, drawn independently from a pool.

    losses: [thresholds in the order of the sequence, notes of the pool]. A threshold's true risk is
    its mean loss over the pool.
    """
    true = losses.mean(axis=1)
    chance = np.random.default_rng(seed)
    risks: list[float] = []
    for _ in range(draws):
        notes = chance.integers(0, losses.shape[1], size)
        last = -1
        while (
            last + 1 < len(losses)
            and p_value(losses[last + 1, notes], risk, bound, confidence) <= 1 - confidence
        ):
            last += 1
        if last >= 0:
            risks.append(float(true[last]))
    broken = sum(each > risk for each in risks)
    mean = float(np.mean(risks)) if risks else 0.0
    return Simulation(draws, draws - broken, draws - len(risks), mean)
