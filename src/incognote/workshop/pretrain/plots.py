"""The losses of a run over its steps, in training and on held-out text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from incognote.base.files import write_whole
from incognote.evaluate.plots import COLOURS, QUIET, STYLE, images, plain

NAME = "losses"
_SMOOTHED = 50
"""Points that a curve is shown with, at most; more is noise."""


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
            held = [row for row in curve if f"{part}_loss" in row]
            if held:
                points = [(row["step"], row[f"{part}_loss"]) for row in held]
                look: Any = {"color": COLOURS[1], "marker": "o", "markersize": 3, "linewidth": 1.4}
                axes.plot(*zip(*points, strict=True), **look, label="held out")
            axes.set_xlabel("step")
            axes.set_ylabel(f"{part} loss")
            plain(axes, "y")
            axes.legend(frameon=False, labelcolor=QUIET)
        for kind, image in images(figure).items():
            write_whole(folder / f"{NAME}.{kind}", image)


def _means(log: Sequence[Mapping[str, str]], column: str) -> tuple[list[float], list[float]]:
    """Step and value, neighbouring rows averaged."""
    rows = [(float(row["step"]), float(row[column])) for row in log if row.get(column)]
    size = max(1, len(rows) // _SMOOTHED)
    groups = [rows[place : place + size] for place in range(0, len(rows), size)]
    return (
        [group[-1][0] for group in groups],
        [sum(value for _, value in group) / len(group) for group in groups],
    )
