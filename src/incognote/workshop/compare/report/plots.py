"""The plots that only a comparison has; those of one prediction are in `evaluate.plots`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING, Any

from incognote.evaluate import Figure
from incognote.evaluate.plots import (
    COLOURS,
    INK,
    QUIET,
    STYLE,
    WIDEST,
    PlotError,
    images,
    legend,
    need_matplotlib,
    plain,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

MOST = 10
"""Models in one plot: more cannot be told apart."""
_IN_ROW = 4


@dataclass(frozen=True)
class Curves:
    """An encoder's learning curves: the rows of each cell, and whether it was chosen."""

    name: str
    cells: Sequence[tuple[Sequence[Mapping[str, float]], bool]]


def can_draw() -> bool:
    """Whether there is a library to draw with."""
    try:
        need_matplotlib()
    except PlotError:
        return False
    return True


def dots(panels: Sequence[tuple[str, Mapping[str, Figure | None]]]) -> dict[str, bytes]:
    """A panel for each figure, and in it a dot with its interval for each model."""
    names = list(panels[0][1])
    with _canvas(WIDEST, 1.1 + 0.34 * len(names)) as canvas:
        panes = canvas.subplots(1, len(panels), sharey=True, squeeze=False)[0]
        for axes, (title, figures) in zip(panes, panels, strict=True):
            for row, name in enumerate(names):
                _dot(axes, row, figures[name], COLOURS[row % len(COLOURS)])
            axes.set_title(title, fontsize=10, loc="left")
            axes.set_xlabel("per cent")
            axes.margins(x=0.08)
            _within_percents(axes)
            plain(axes, "x")
        panes[0].set_yticks(range(len(names)), names)
        panes[0].set_ylim(len(names) - 0.4, -0.6)
        panes[0].tick_params(axis="y", labelcolor=INK)
        return images(canvas)


def _within_percents(axes: Axes) -> None:
    """No room beyond 0 and 100 but for half a dot."""
    left, right = axes.get_xlim()
    beyond = 0.04 * (right - left)
    axes.set_xlim(max(left, -beyond), min(right, 100 + beyond))


def _dot(axes: Axes, row: int, figure: Figure | None, colour: str) -> None:
    if figure is None or figure.value is None:
        return
    if figure.low is not None and figure.high is not None:
        axes.hlines(row, 100 * figure.low, 100 * figure.high, color=colour, linewidth=2)
    axes.plot(100 * figure.value, row, "o", color=colour, markersize=6)


def learning_curves(
    encoders: Sequence[Curves], metric: str = "f1", named: str = "F1"
) -> dict[str, bytes]:
    """Two panels for each encoder: loss above, the figure on validation below; chosen cells bold."""
    across = min(len(encoders), _IN_ROW)
    down = ceil(len(encoders) / across)
    with _canvas(max(5.0, WIDEST / _IN_ROW * across), 4.4 * down) as canvas:
        panes = canvas.subplots(2 * down, across, sharey="row", squeeze=False)
        for place in range(down * across):
            row, column = divmod(place, across)
            above, below = panes[2 * row][column], panes[2 * row + 1][column]
            if place < len(encoders):
                _curves(above, below, encoders[place], metric)
            else:
                above.set_axis_off()
                below.set_axis_off()
        for row in range(down):
            panes[2 * row][0].set_ylabel("training loss")
            panes[2 * row + 1][0].set_ylabel(f"validation {named}, %")
        return images(canvas)


def _curves(above: Axes, below: Axes, encoder: Curves, metric: str) -> None:
    from matplotlib.ticker import MaxNLocator

    for rows, bold in sorted(encoder.cells, key=lambda cell: cell[1]):
        look: dict[str, Any] = {
            "color": COLOURS[0] if bold else QUIET,
            "linewidth": 2.4 if bold else 0.9,
            "alpha": 1.0 if bold else 0.6,
            "marker": "o",
            "markersize": 4.5 if bold else 2.5,
            "zorder": 3 if bold else 2,
        }
        epochs = [row["epoch"] for row in rows]
        above.plot(epochs, [row["loss"] for row in rows], **look)
        scored = [(row["epoch"], 100 * row[metric]) for row in rows if metric in row]
        if scored:
            below.plot(*zip(*scored, strict=True), **look)
    above.set_title(_folded(encoder.name), fontsize=9, loc="left")
    below.set_xlabel("epoch")
    for axes in (above, below):
        axes.xaxis.set_major_locator(MaxNLocator(integer=True, nbins=6))
        axes.margins(x=0.06, y=0.08)
        plain(axes, "both")


def _folded(name: str) -> str:
    """A long name on two lines, so that it stays over its own panel."""
    return name.replace(" (", "\n(", 1)


@dataclass(frozen=True)
class Panel:
    """A hyper-parameter: its values in order, and for each model the F1 of the cells with each.

    Of each value all cells, and those that are alike in everything else, whose mean is drawn.
    """

    name: str
    values: Sequence[str]
    models: Mapping[str, Mapping[str, tuple[Sequence[float], Sequence[float]]]]


def effects(panels: Sequence[Panel], named: str = "F1") -> dict[str, bytes]:
    """A panel for each hyper-parameter: a dot for each cell, a line for the mean of each model."""
    across = min(len(panels), _IN_ROW)
    down = ceil(len(panels) / across)
    with _canvas(max(6.0, WIDEST / _IN_ROW * across), 3.2 * down + 0.5) as canvas:
        panes = canvas.subplots(down, across, sharey=True, squeeze=False).ravel()
        for axes in panes[len(panels) :]:
            axes.set_axis_off()
        for axes, panel in zip(panes, panels, strict=False):
            for place, (name, cells) in enumerate(panel.models.items()):
                _effect(axes, panel.values, name, cells, place, len(panel.models))
            axes.set_title(panel.name, fontsize=10, loc="left")
            axes.set_xticks(range(len(panel.values)), panel.values, fontsize=8)
            axes.set_xlim(-0.5, len(panel.values) - 0.5)
            plain(axes, "y")
        for row in range(down):
            panes[row * across].set_ylabel(f"validation {named}, %")
        legend(canvas, panes[0])
        return images(canvas)


def _effect(
    axes: Axes,
    values: Sequence[str],
    name: str,
    cells: Mapping[str, tuple[Sequence[float], Sequence[float]]],
    place: int,
    models: int,
) -> None:
    """One model's cells beside those of the others, and the means of those alike joined."""
    colour = COLOURS[place % len(COLOURS)]
    shift = (place - (models - 1) / 2) * 0.6 / models
    there = [(at + shift, cells[value]) for at, value in enumerate(values) if value in cells]
    for at, (scores, _) in there:
        ticks = [100 * f1 for f1 in scores]
        axes.plot([at] * len(ticks), ticks, ".", color=colour, alpha=0.45, markersize=5)
    means = [(at, 100 * sum(alike) / len(alike)) for at, (_, alike) in there if alike]
    style = "--" if place >= len(COLOURS) else "-"
    ends, heights = [at for at, _ in means], [mean for _, mean in means]
    axes.plot(ends, heights, f"o{style}", color=colour, markersize=4, label=name)


def drops(models: Sequence[tuple[str, Sequence[tuple[str, Figure, Figure]]]]) -> dict[str, bytes]:
    """A panel for each model: of each source, F1 seen (filled) and unseen (hollow), joined."""
    from matplotlib.ticker import MaxNLocator

    across = min(len(models), _IN_ROW)
    down = ceil(len(models) / across)
    sources = list(dict.fromkeys(source for _, rows in models for source, *_ in rows))
    height = 1.3 + 0.36 * len(sources)
    with _canvas(max(6.0, WIDEST / _IN_ROW * across + 1), height * down + 0.4) as canvas:
        panes = canvas.subplots(down, across, sharex=True, sharey=True, squeeze=False).ravel()
        for axes in panes[len(models) :]:
            axes.set_axis_off()
        for axes, (name, rows) in zip(panes, models, strict=False):
            _drop_rows(axes, rows, sources)
            axes.set_title(_folded(name), fontsize=9, loc="left")
            axes.set_xlabel("strict F1, %")
            axes.xaxis.set_major_locator(MaxNLocator(nbins=4))
            axes.margins(x=0.12)
            axes.tick_params(labelbottom=True)
        _within_percents(panes[0])
        panes[0].set_yticks(range(len(sources)), sources)
        panes[0].set_ylim(len(sources) - 0.4, -0.6)
        return images(canvas)


def _drop_rows(
    axes: Axes, rows: Sequence[tuple[str, Figure, Figure]], sources: Sequence[str]
) -> None:
    colour = COLOURS[0]
    look: dict[str, Any] = {
        "markeredgecolor": colour,
        "markeredgewidth": 1.6,
        "zorder": 3,
    }
    for source, seen, unseen in rows:
        if seen.value is None or unseen.value is None:
            continue
        row, ends = sources.index(source), sorted((100 * seen.value, 100 * unseen.value))
        axes.hlines(row, ends[0], ends[1], color=colour, linewidth=2, zorder=2)
        axes.plot(100 * unseen.value, row, "o", markerfacecolor="white", markersize=8, **look)
        axes.plot(100 * seen.value, row, "o", markerfacecolor=colour, markersize=4, **look)
    plain(axes, "x")
    axes.tick_params(axis="y", labelcolor=INK)


@contextmanager
def _canvas(width: float, height: float) -> Iterator[Canvas]:
    from matplotlib import rc_context
    from matplotlib.figure import Figure as Canvas

    with rc_context(STYLE):
        yield Canvas(figsize=(width, height), layout="constrained")
