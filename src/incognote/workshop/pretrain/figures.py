"""The figures of a run: how well a model does what it was pretrained for on text that it has not seen, rows
of figures in CSV files that can be watched while a run goes on, and curves of the losses.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import nn

from incognote.base.files import naming_file, write_whole
from incognote.evaluate.plots import COLOURS, QUIET, STYLE, images, plain
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
PLOT = "losses"

_SMOOTHED = 50
"""Points that a curve is shown with, at most; more is noise."""


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
    numbers = [(0, index) for index in sorted(order[:count].tolist())]
    training = module.training
    module.eval()
    generator = torch.get_rng_state()
    try:
        # Small groups of neighbours, for the bootstrap to draw from.
        groups = packs(examples, numbers, min(pack, 4 * examples.settings.length))
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
    figures: dict[str, float] = {"examples": len(numbers), **whole.figures()}
    for number, part in enumerate(objective.parts):
        if f"{part}_accuracy" in figures:
            low, high = _interval(part, tables[:, number])
            figures[f"{part}_accuracy_low"], figures[f"{part}_accuracy_high"] = low, high
            figures[f"{part}_terms"] = int(whole.table[number, 2])
    return figures


def _interval(part: str, table: npt.NDArray[np.float64]) -> tuple[float, float]:
    if part in SENTENCE_PARTS:
        return wilson(table[:, 1].sum(), table[:, 2].sum())
    return bootstrap(table[:, 1], table[:, 2])


def wilson(right: float, count: float) -> tuple[float, float]:
    """The 95 % interval of a share of independent answers.

    >>> [round(edge, 4) for edge in wilson(650, 1000)]
    [0.6199, 0.6789]
    """
    share, spread = right / count, Z * Z / count
    middle = share + spread / 2
    half = Z * math.sqrt(share * (1 - share) / count + spread / (4 * count))
    return max(0.0, (middle - half) / (1 + spread)), min(1.0, (middle + half) / (1 + spread))


def bootstrap(
    right: npt.NDArray[np.float64], count: npt.NDArray[np.float64]
) -> tuple[float, float]:
    """The 95 % interval of a share whose answers come in groups: a bootstrap over these."""
    draws: Any = np.random.default_rng(_SEED)
    weights = draws.multinomial(len(right), np.full(len(right), 1 / len(right)), RESAMPLES)
    shares = (weights @ right) / np.maximum(1.0, weights @ count)
    low, high = np.quantile(shares, (0.025, 0.975))
    return float(low), float(high)


class Log:
    """A CSV file with a row for some steps, each under its step; columns are those of the first.

    A run that goes on from an earlier step takes later rows back.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def rows(self) -> list[dict[str, str]]:
        """All rows so far."""
        if not self.path.is_file():
            return []
        with self.path.open(newline="", encoding="utf-8") as file:
            # A kill may have cut the last line.
            return [row for row in csv.DictReader(file) if None not in row.values()]

    def begin(self) -> None:
        """Drop all rows, which are an earlier run's."""
        self.path.unlink(missing_ok=True)

    def go_back(self, step: int) -> None:
        """Drop the rows after a step."""
        rows = [row for row in self.rows() if int(row["step"]) <= step]
        text = StringIO()
        if rows:
            writer = csv.DictWriter(text, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
        write_whole(self.path, text.getvalue().encode())

    def add(self, row: Mapping[str, float]) -> None:
        """One row more; numbers are written short."""
        new = not self.path.is_file() or not self.path.stat().st_size
        with naming_file(self.path), self.path.open("a", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, list(row))
            if new:
                writer.writeheader()
            writer.writerow({name: _short(value) for name, value in row.items()})


def _short(value: float) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def draw_losses(
    log: Sequence[Mapping[str, str]],
    curve: Sequence[Mapping[str, float]],
    parts: Sequence[str],
    folder: Path,
) -> None:
    """A panel for each part of the loss, as files in the folder; none without matplotlib."""
    if not log or find_spec("matplotlib") is None:
        return
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    with rc_context(STYLE):
        figure = Figure(figsize=(4.6 * len(parts), 3.2), layout="constrained")
        for number, part in enumerate(parts):
            axes = figure.add_subplot(1, len(parts), number + 1)
            steps, losses = _means(log, f"{part}_loss")
            axes.plot(steps, losses, color=COLOURS[0], linewidth=1.4, label="training")
            evaluated = [row for row in curve if f"{part}_loss" in row]
            if evaluated:
                points = [(row["step"], row[f"{part}_loss"]) for row in evaluated]
                look: Any = {"color": COLOURS[1], "marker": "o", "markersize": 3, "linewidth": 1.4}
                axes.plot(*zip(*points, strict=True), **look, label="held out")
            axes.set_xlabel("step")
            axes.set_ylabel(f"{part} loss")
            plain(axes, "y")
            axes.legend(frameon=False, labelcolor=QUIET)
        for kind, image in images(figure).items():
            write_whole(folder / f"{PLOT}.{kind}", image)


def _means(log: Sequence[Mapping[str, str]], column: str) -> tuple[list[float], list[float]]:
    """Step and value, neighbouring rows averaged."""
    rows = [(float(row["step"]), float(row[column])) for row in log if row.get(column)]
    size = max(1, len(rows) // _SMOOTHED)
    groups = [rows[place : place + size] for place in range(0, len(rows), size)]
    return (
        [group[-1][0] for group in groups],
        [sum(value for _, value in group) / len(group) for group in groups],
    )
