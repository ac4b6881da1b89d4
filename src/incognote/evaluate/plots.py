"""The 2022 study's figure 3, word-level F1 per type, and the style that all plots have."""

from __future__ import annotations

import io
import re
from collections.abc import Mapping, Sequence
from math import ceil
from typing import TYPE_CHECKING, Any, Literal

from incognote.base.errors import UserError
from incognote.evaluate.report import Figure, Report

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

COLOURS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#6b6b6b", "#e5d63a")
"""Okabe and Ito's, which the colour-blind tell apart; further systems begin anew, hatched."""
INK, QUIET, GRID = "#1d2126", "#626a73", "#dcdfe2"
STYLE: Any = {
    "font.family": "sans-serif",
    "font.size": 10,
    "axes.edgecolor": GRID,
    "axes.labelcolor": INK,
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": QUIET,
    "hatch.linewidth": 0.5,
    "text.parse_math": False,
    "svg.fonttype": "path",
    "svg.hashsalt": "incognote",
}
FORMATS = ("png", "svg")
WIDEST = 11.0
"""Inches; types that need more go on in another row, so that the letters stay legible."""

LONGEST_LABEL = 14
"""Letters of a type on one line."""


class PlotError(UserError):
    """Why nothing can be drawn; one sentence for the user."""


def need_matplotlib() -> None:
    """Refuse at once, before any work is done, where the plotting library is missing."""
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise PlotError(
            "plots need matplotlib, which is not installed: pip install 'incognote[report]'"
        ) from None


def f1_by_type(reports: Mapping[str, Report]) -> dict[str, bytes]:
    """The figure as `png` and `svg`; reports by the name of their system, with study figures.

    Types are in the order of how many words they have; the whole comes first. A type that a
    system neither met nor predicted has no bar. Lines are the intervals, where there are any.
    """
    need_matplotlib()
    from matplotlib import rc_context
    from matplotlib.figure import Figure as Canvas

    types = _types(list(reports.values()))
    groups = [("all types", ("overall",)), *((type, ("by_type", type)) for type in types)]
    group_width = max(0.36, 0.13 * len(reports) + 0.14)
    rows = ceil(len(groups) * group_width / (WIDEST - 1.6))
    in_row = ceil(len(groups) / rows)
    with rc_context(STYLE):
        size = (max(6.0, 1.6 + in_row * group_width), 4.6 if rows == 1 else 3.1 * rows)
        canvas = Canvas(figsize=size, layout="constrained")
        for row in range(rows):
            axes = canvas.add_subplot(rows, 1, row + 1)
            groups_of_row = groups[row * in_row : (row + 1) * in_row]
            for place, (name, report) in enumerate(reports.items()):
                figures = [report.figures.get(("study", *path, "f1")) for _, path in groups_of_row]
                _bars(axes, figures, name, place, len(reports))
            _finish(axes, [name for name, _ in groups_of_row], in_row)
            if row == 0:
                axes.get_xticklabels()[0].set_fontweight("bold")
                axes.axvline(0.5, color=GRID, linewidth=1)
        if len(reports) > 1:
            legend(canvas, canvas.axes[0])
        return images(canvas)


def _types(reports: Sequence[Report]) -> list[str]:
    words: dict[str, float] = {}
    for report in reports:
        for path, figure in report.under("study", "by_type").items():
            if path[1] == "recall":
                words[path[0]] = max(words.get(path[0], 0.0), figure.whole or 0.0)
    return sorted(words, key=lambda type: (-words[type], type))


def _bars(
    axes: Axes, figures: Sequence[Figure | None], name: str, place: int, systems: int
) -> None:
    width = 0.8 / systems
    shift = (place - (systems - 1) / 2) * width
    bars = [
        (group + shift, figure)
        for group, figure in enumerate(figures)
        if figure is not None and figure.value is not None
    ]
    axes.bar(
        [at for at, _ in bars],
        [figure.value or 0.0 for _, figure in bars],
        width * 0.92,
        label=name,
        color=COLOURS[place % len(COLOURS)],
        hatch="///" if place >= len(COLOURS) else None,
        edgecolor="white",
        linewidth=0,
        zorder=2,
    )
    spread = [(at, f.low, f.high) for at, f in bars if f.low is not None and f.high is not None]
    if spread:
        at, low, high = zip(*spread, strict=True)
        axes.vlines(at, low, high, color=INK, linewidth=0.9, alpha=0.8, zorder=3)


def _finish(axes: Axes, names: Sequence[str], room: int) -> None:
    axes.set_xticks(
        range(len(names)),
        list(map(_folded, names)),
        fontsize=9,
        linespacing=1.25,
        rotation=45,
        ha="right",
        rotation_mode="anchor",
    )
    axes.set_xlim(-0.6, room - 0.4)
    axes.set_ylim(0, 1.02)
    axes.set_yticks([0, 0.2, 0.4, 0.6, 0.8, 1.0])
    axes.set_ylabel("F1, words")
    plain(axes, "y")


def _folded(name: str) -> str:
    """A long label on several lines, broken after underscores."""
    lines = [""]
    for part in re.split("(?<=_)", name):
        if lines[-1] and len(lines[-1] + part) > LONGEST_LABEL:
            lines.append("")
        lines[-1] += part
    return "\n".join(lines)


def plain(axes: Axes, grid: Literal["x", "y", "both"]) -> None:
    """Draw lines where values are read off, and no frame."""
    axes.grid(axis=grid, color=GRID, linewidth=0.8, zorder=0)
    axes.set_axisbelow(True)
    axes.tick_params(length=0)
    axes.spines[["top", "right", "left"]].set_visible(False)


def legend(canvas: Canvas, axes: Axes) -> None:
    """The names above everything, in as many columns as fit."""
    keys, names = axes.get_legend_handles_labels()
    fit = int(canvas.get_figwidth() / (0.6 + 0.085 * max(map(len, names))))
    canvas.legend(
        keys, names, loc="outside upper left", ncols=max(1, min(fit, len(names))), frameon=False
    )


def images(canvas: Canvas) -> dict[str, bytes]:
    """The figure in all formats, laid out once."""
    canvas.draw_without_rendering()
    canvas.set_layout_engine("none")
    return {format: _rendered(canvas, format) for format in FORMATS}


def _rendered(canvas: Canvas, format: str) -> bytes:
    """The same bytes for the same figures: no date, no version."""
    stream = io.BytesIO()
    metadata = {"Date": None, "Creator": None} if format == "svg" else {"Software": None}
    canvas.savefig(stream, format=format, dpi=200, metadata=metadata)
    return stream.getvalue()
