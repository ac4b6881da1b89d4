"""One call that scores predictions against gold, and its result.

The result is a tree of figures under the names that each community uses; `as_dict` gives it as
plain JSON.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from incognote.document import Document
from incognote.evaluate import release
from incognote.evaluate.counts import Measure, Path, Share, Tree, leaves
from incognote.evaluate.pairing import Marks, Pair, pair

BLOCKS: Mapping[str, Callable[[Sequence[Pair]], Tree]] = {"release": release.measures}
"""The groups of figures that `score` can compute."""


@dataclass(frozen=True)
class Figure:
    """A value; None where it is undefined (0/0)."""

    value: float | None


@dataclass(frozen=True)
class Report:
    """All figures of one prediction."""

    notes: int
    missing: tuple[int, ...]
    """Indices of gold notes without a prediction, scored as all missed."""
    extra: tuple[int, ...]
    """Indices of predictions without a gold note, not scored."""
    figures: Mapping[Path, Figure]
    tree: Tree = field(repr=False)

    def value(self, *path: str) -> float | None:
        """One figure, such as `value("release", "covered_recall_by_type", "DATE")`.

        The three of a precision-recall-F1 group are one step further down.
        """
        return self.figures[path].value

    def as_dict(self) -> dict[str, Any]:
        """Plain nested dictionaries, ready for JSON."""
        result: dict[str, Any] = {
            "notes": self.notes,
            "missing": list(self.missing),
            "extra": list(self.extra),
        }
        for path, figure in self.figures.items():
            node = result
            for step in path[:-1]:
                node = node.setdefault(step, {})
            node[path[-1]] = {"value": figure.value}
        return result


def score(
    gold: Iterable[Document],
    predicted: Iterable[Document | Marks],
    *,
    blocks: Iterable[str] = tuple(BLOCKS),
) -> Report:
    """Score predictions against gold, joined by id."""
    paired = pair(gold, predicted)
    tree: Tree = {block: BLOCKS[block](paired.pairs) for block in blocks}
    figures: dict[Path, Figure] = {}
    for path, measure in leaves(tree):
        sums = np.array([column.sum() for column in measure.columns])
        for full, value in zip(_paths(path, measure), measure.values(sums), strict=True):
            figures[full] = Figure(None if np.isnan(value) else float(value))
    return Report(len(paired.pairs), paired.missing, paired.extra, figures, tree)


def _paths(path: Path, measure: Measure) -> list[Path]:
    return [path] if isinstance(measure, Share) else [(*path, name) for name in measure.names]
