"""How well a model does what it was pretrained for, on text that it has not seen."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import nn

from incognote.workshop.pretrain.examples import Examples
from incognote.workshop.pretrain.feed import make_batch, packs
from incognote.workshop.pretrain.objectives.objective import Objective, Tally
from incognote.workshop.training.loop import seed_at
from incognote.workshop.training.processes import Processes

SENTENCE_PARTS = frozenset({"nsp", "sop"})
"""Parts with one answer to a sequence; of the others a sequence has many, which hang together."""
Z = 1.959963984540054
RESAMPLES = 1000
_SEED = 7


@torch.no_grad()
def evaluate(
    objective: Objective,
    module: nn.Module,
    examples: Examples,
    *,
    count: int,
    pack: int,
    workers: Processes,
) -> dict[str, float]:
    """Figures of `count` examples from all over the text, or of all there are: the same each time.

    For each part its loss, accuracy, perplexity, and the accuracy's 95 % interval (`_low`,
    `_high`): Wilson's for one answer to a sequence, else a bootstrap over small groups of sequences.
    """
    order = np.random.default_rng(_SEED).permutation(examples.count(0))
    chosen = [(0, index) for index in sorted(order[:count].tolist())]
    training = module.training
    module.eval()
    generator = torch.get_rng_state()
    try:
        # Small groups of neighbours, for the bootstrap to draw from.
        groups = packs(examples, chosen, min(pack, 4 * examples.settings.length))
        numbered = list(enumerate(groups))
        own: list[npt.NDArray[np.float64]] = []
        for number, group in workers.share(numbered):
            torch.manual_seed(seed_at(_SEED, number))  # what an objective samples
            batch = make_batch(objective, examples, group).to(workers.device)
            tally = Tally(objective.parts)
            tally.add(objective.loss(module, batch, score=True))
            own.append(tally.table)
    finally:
        module.train(training)
        torch.set_rng_state(generator)
    tables = np.stack(workers.together(own))  # [groups, parts, 4]
    whole = Tally(objective.parts)
    whole.table += tables.sum(0)
    figures: dict[str, float] = {"examples": len(chosen), **whole.figures()}
    for number, part in enumerate(objective.parts):
        if f"{part}_accuracy" in figures:
            low, high = _interval(part, tables[:, number])
            figures[f"{part}_accuracy_low"], figures[f"{part}_accuracy_high"] = low, high
            figures[f"{part}_terms"] = int(whole.table[number, 2])
    return figures


def _interval(part: str, table: npt.NDArray[np.float64]) -> tuple[float, float]:
    if part in SENTENCE_PARTS:
        return wilson(table[:, 1].sum(), table[:, 2].sum())
    return resampled(table[:, 1], table[:, 2])


def wilson(right: float, count: float) -> tuple[float, float]:
    """The 95 % interval of a share of independent answers.

    >>> [round(edge, 4) for edge in wilson(650, 1000)]
    [0.6199, 0.6789]
    """
    share, spread = right / count, Z * Z / count
    middle = share + spread / 2
    half = Z * math.sqrt(share * (1 - share) / count + spread / (4 * count))
    return max(0.0, (middle - half) / (1 + spread)), min(1.0, (middle + half) / (1 + spread))


def resampled(
    right: npt.NDArray[np.float64], count: npt.NDArray[np.float64]
) -> tuple[float, float]:
    """The 95 % interval of a share whose answers come in groups: a bootstrap over these."""
    draws: Any = np.random.default_rng(_SEED)
    weights = draws.multinomial(len(right), np.full(len(right), 1 / len(right)), RESAMPLES)
    shares = (weights @ right) / np.maximum(1.0, weights @ count)
    low, high = np.quantile(shares, (0.025, 0.975))
    return float(low), float(high)
