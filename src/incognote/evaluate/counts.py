"""Every figure as a ratio of sums over notes.

A figure keeps one number per note for its numerator and one for its denominator. Its value is then
the ratio of their sums, and its value on any resample of the notes is the same ratio of weighted
sums: a whole bootstrap is one product of matrices.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Column: TypeAlias = NDArray[np.float64]
"""One number per note."""

UNDEFINED = float("nan")
OFFICIAL = 0.0
"""What 0/0 is in the official i2b2 figures; elsewhere it is undefined."""


class Tally:
    """Columns by name, filled note by note; a column never touched is all zeros."""

    def __init__(self, notes: int) -> None:
        self._columns: defaultdict[Hashable, Column] = defaultdict(lambda: np.zeros(notes))

    def add(self, note: int, name: Hashable, value: float = 1.0) -> None:
        """Add to the column `name` at `note`."""
        self._columns[name][note] += value

    def __getitem__(self, name: Hashable) -> Column:
        return self._columns[name]


@dataclass(frozen=True, eq=False)
class Share:
    """A part of a whole, such as covered spans of all spans."""

    part: Column
    whole: Column
    empty: float = UNDEFINED
    """The value when the whole is nothing."""

    names = ("value",)

    @property
    def columns(self) -> tuple[Column, ...]:
        """What is summed over notes."""
        return (self.part, self.whole)

    def values(self, sums: Column) -> Column:
        """From sums of shape (…, 2) to values of shape (…, 1)."""
        return divide(sums[..., :1], sums[..., 1:], self.empty)


@dataclass(frozen=True, eq=False)
class Agreement:
    """Precision, recall and F1. Their hits differ where one span may match several others."""

    predicted_hits: Column
    predicted: Column
    gold_hits: Column
    gold: Column
    empty: float = UNDEFINED

    names = ("precision", "recall", "f1")

    @classmethod
    def matched(
        cls, hits: Column, predicted: Column, gold: Column, empty: float = UNDEFINED
    ) -> Agreement:
        """When each hit is one of the predicted and one of the gold."""
        return cls(hits, predicted, hits, gold, empty)

    @property
    def columns(self) -> tuple[Column, ...]:
        """What is summed over notes."""
        return (self.predicted_hits, self.predicted, self.gold_hits, self.gold)

    def values(self, sums: Column) -> Column:
        """From sums of shape (…, 4) to values of shape (…, 3).

        F1 is undefined only when there is neither gold nor prediction: with one of them it is 0,
        as 2tp/(2tp+fp+fn) has it.
        """
        predicted_hits, predicted, gold_hits, gold = np.moveaxis(sums, -1, 0)
        precision = divide(predicted_hits, predicted, 0.0)
        recall = divide(gold_hits, gold, 0.0)
        f1 = divide(2 * precision * recall, precision + recall, 0.0)
        f1 = np.where((predicted == 0) & (gold == 0), self.empty, f1)
        return np.stack(
            (
                divide(predicted_hits, predicted, self.empty),
                divide(gold_hits, gold, self.empty),
                f1,
            ),
            axis=-1,
        )


def divide(part: Column, whole: Column, empty: float) -> Column:
    """Element-wise, with `empty` for a division by nothing."""
    result = np.full(np.broadcast(part, whole).shape, empty)
    np.divide(part, whole, out=result, where=whole != 0)
    return result


def defined_or_none(value: float) -> float | None:
    """A figure as reports give it: None where it is undefined."""
    return None if np.isnan(value) else float(value)


Measure: TypeAlias = Share | Agreement
Tree: TypeAlias = Mapping[str, "Measure | Tree"]
"""Measures under the names by which a report shows them."""
Path: TypeAlias = tuple[str, ...]


def leaves(tree: Tree, above: Path = ()) -> Iterator[tuple[Path, Measure]]:
    """All measures of a tree with their paths."""
    for name, node in tree.items():
        if isinstance(node, Share | Agreement):
            yield (*above, name), node
        else:
            yield from leaves(node, (*above, name))


def paths(path: Path, measure: Measure) -> tuple[Path, ...]:
    """The path of each figure of a measure: its own, or one step down for each of several."""
    return (path,) if isinstance(measure, Share) else tuple((*path, name) for name in measure.names)


class Figures:
    """All figures over one matrix: notes × columns, those of a measure side by side."""

    def __init__(self, measures: Mapping[Path, Measure], notes: int) -> None:
        self._measures = list(measures.values())
        self.paths = [path for item in measures.items() for path in paths(*item)]
        columns = [column for measure in self._measures for column in measure.columns]
        self.matrix = np.stack(columns, axis=1) if columns else np.zeros((notes, 0))

    def values(self, sums: Column) -> Column:
        """From sums of the columns, shape (…, columns), to figures, shape (…, figures)."""
        parts: list[Column] = []
        place = 0
        for measure in self._measures:
            width = len(measure.columns)
            parts.append(measure.values(sums[..., place : place + width]))
            place += width
        return np.concatenate(parts, axis=-1) if parts else sums[..., :0]
