"""How matrices are stored and multiplied: as they are, or in 8 bits.

In 8 bits the rows that enter a matrix are rounded with scales that are fixed when the model is
made. The usual dynamic scales are one for a whole batch, so that a window's result would change
with its neighbours; fixed ones cannot. The arithmetic is of whole numbers and so exact: machines
with and without 8-bit instructions agree.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt
import onnx

from incognote.workflows.export.graph import Graph

Floats = npt.NDArray[np.float32]

WEIGHT_LIMIT = 63
"""Weights take 7 bits: AVX2 adds two products of 8 bits in 16, which overflow with a larger one."""

TABLE_LIMIT = 127


class Precision(Protocol):
    """Writes the parts of a network that hold many numbers."""

    def rows(self, graph: Graph, name: str, table: Floats, ids: str) -> str:
        """The rows of a table [rows, size] by their numbers."""
        ...

    def linear(self, graph: Graph, name: str, hidden: str, weight: Floats, bias: Floats) -> str:
        """`hidden` [*, in] times weight [in, out], plus bias [out]."""
        ...


class Full:
    """Numbers of 32 bits."""

    def rows(self, graph: Graph, name: str, table: Floats, ids: str) -> str:
        return graph.add("Gather", graph.constant(name, table), ids)

    def linear(self, graph: Graph, name: str, hidden: str, weight: Floats, bias: Floats) -> str:
        product = graph.add("MatMul", hidden, graph.constant(f"{name}.weight", weight))
        return graph.add("Add", product, graph.constant(f"{name}.bias", bias))


@dataclass(frozen=True)
class Range:
    """What one use of a matrix was given on sample windows: the least and most to represent.

    `low` and `high` are of values divided by their channel's `spread`, which all uses share.
    """

    low: float
    high: float

    @property
    def scale(self) -> float:
        """What one step of 8 bits means."""
        return max(self.high, 0.0) / 255 - min(self.low, 0.0) / 255 or 1.0

    @property
    def zero(self) -> int:
        """Which of the 256 steps is 0."""
        return round(-min(self.low, 0.0) / self.scale)


@dataclass(frozen=True, eq=False)
class Observed:
    """What entered one matrix: the spread of each channel [in], and the range of each use."""

    spread: Floats
    uses: Sequence[Range]


class Int8:
    """Weights in 8 bits with a scale for each output, rows with fixed scales."""

    def __init__(self, observed: Mapping[str, Observed]) -> None:
        self._observed = observed
        self._uses: Counter[str] = Counter()

    def rows(self, graph: Graph, name: str, table: Floats, ids: str) -> str:
        """A scale for each row."""
        stored, scales = quantised(table.T, TABLE_LIMIT)
        taken = graph.add("Gather", graph.constant(name, stored.T), ids)
        real = graph.add("Cast", taken, to=onnx.TensorProto.FLOAT)
        steps = graph.constant(f"{name}.scale", scales[:, None])
        return graph.add("Mul", real, graph.add("Gather", steps, ids))

    def linear(self, graph: Graph, name: str, hidden: str, weight: Floats, bias: Floats) -> str:
        """Divide channels by their spread, round to 8 bits, multiply exactly, scale back."""
        if name not in self._observed:
            return Full().linear(graph, name, hidden, weight, bias)
        observed, use = self._observed[name], self._uses[name]
        self._uses[name] += 1
        spread = observed.spread
        given = observed.uses[use]
        stored, scales = quantised(weight * spread[:, None], WEIGHT_LIMIT)
        even = graph.add("Mul", hidden, graph.constant(f"{name}.even", 1 / spread))
        scale = graph.constant(f"{name}.{use}.scale", np.float32(given.scale))
        zero = graph.constant(f"{name}.{use}.zero", np.uint8(given.zero))
        rounded = graph.add("QuantizeLinear", even, scale, zero)
        return graph.add(
            "MatMulIntegerToFloat",
            rounded,
            graph.constant(f"{name}.weight", stored),
            scale,
            graph.constant(f"{name}.scale", scales),
            zero,
            graph.constant(f"{name}.zero", np.zeros(len(scales), np.int8)),
            graph.constant(f"{name}.bias", bias),
            contributed=True,
        )


def quantised(matrix: Floats, limit: int) -> tuple[npt.NDArray[np.int8], Floats]:
    """Whole numbers of at most `limit` and a scale for each column."""
    scales = np.abs(matrix).max(axis=0) / limit
    scales = np.where(scales > 0, scales, 1).astype(np.float32)
    return np.rint(matrix / scales).astype(np.int8), scales
