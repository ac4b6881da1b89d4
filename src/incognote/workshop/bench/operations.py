"""What a network multiplies, as its file says, and the most that this machine multiplies in a second.

The file is read as it is (protocol buffers), because the `onnx` package is not part of the runtime.
The machine is measured by onnxruntime's own kernels: the two networks beside this file are one
product each, 64 rows of 1,024 numbers by a constant matrix of 1,024 x 1,024, in 32 bits and in 8.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import as_file, files
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from incognote.base.protobuf import fields, messages, numbers
from incognote.onnx.sessions import open_session

Graph = tuple[dict[str, list[int]], list[tuple[str, list[str]]]]
"""The sizes of constants by their names, and nodes: what each does to which inputs."""

PRODUCTS = {"MatMul", "MatMulIntegerToFloat", "FusedMatMul", "Gemm"}
ATTENTION = "MultiHeadAttention"
"""Two products: who looks at whom, and what is seen."""
EARLY_EXIT = "ScatterElements"
"""From this node on, only some tokens are read; but all of them are looked at."""
LOOKED_AT = ".kv.weight"
_GRAPH, _NODE, _CONSTANT = 7, 1, 5
_NODE_INPUT, _NODE_OPERATOR = 1, 4
_CONSTANT_SIZES, _CONSTANT_NAME = 1, 8

ROWS, SIZE = 64, 1024
KINDS = {"fp32": np.float32, "int8": np.uint8}
"""The two networks by what their numbers are."""


@dataclass(frozen=True)
class Operations:
    """Multiplications and additions: for each token by matrices, and for each token looked at; and
    those for tokens that go on, where a network lets the others exit early.
    """

    by_matrices: int
    by_attention: int
    read_on_by_matrices: int = 0
    read_on_by_attention: int = 0

    @property
    def exits_early(self) -> bool:
        """Whether the work depends on the tokens."""
        return self.read_on_by_matrices > 0

    def of(self, lengths: Sequence[int], read_on: float = 1.0) -> float:
        """Those of windows of these lengths, of whose tokens such a share is read on."""
        matrices = self.by_matrices + read_on * self.read_on_by_matrices
        attention = self.by_attention + read_on * self.read_on_by_attention
        return sum(matrices * size + attention * size * size for size in lengths)


def operations_of(path: Path) -> Operations:
    """The operations of a network that `incognote export` wrote."""
    sizes, nodes = read_graph(path)
    width = next((shape[0] for name, shape in sizes.items() if name.endswith("qkv.weight")), 0)
    matrices, attention = [0, 0], [0, 0]  # of all tokens, and of those read on
    exited = 0
    for operator, inputs in nodes:
        if operator == EARLY_EXIT:
            exited = 1
        elif operator == ATTENTION:
            attention[exited] += 2 * width
        elif operator in PRODUCTS:
            weight = next((name for name in inputs if len(sizes.get(name, ())) == 2), None)
            if weight is None:
                attention[exited] += width
            else:
                matrices[exited and not weight.endswith(LOOKED_AT)] += prod(sizes[weight])
    return Operations(2 * matrices[0], 2 * attention[0], 2 * matrices[1], 2 * attention[1])


def read_graph(path: Path) -> Graph:
    """What a network's file says of its constants and nodes."""
    graph = memoryview(b"")
    for number, value in messages(memoryview(path.read_bytes())):
        if number == _GRAPH:
            graph = value
    sizes: dict[str, list[int]] = {}
    nodes: list[tuple[str, list[str]]] = []
    for number, value in messages(graph):
        if number == _CONSTANT:
            name, shape = _constant(value)
            sizes[name] = shape
        elif number == _NODE:
            nodes.append(_node(value))
    return sizes, nodes


def _constant(message: memoryview) -> tuple[str, list[int]]:
    name, shape = "", []
    for number, value in fields(message):
        if number == _CONSTANT_SIZES:
            shape += [value] if isinstance(value, int) else numbers(value)
        elif number == _CONSTANT_NAME and isinstance(value, memoryview):
            name = bytes(value).decode()
    return name, shape


def _node(message: memoryview) -> tuple[str, list[str]]:
    operator, inputs = "", []
    for number, value in messages(message):
        if number == _NODE_OPERATOR:
            operator = bytes(value).decode()
        elif number == _NODE_INPUT:
            inputs.append(bytes(value).decode())
    return operator, inputs


@dataclass(frozen=True)
class Peaks:
    """The most operations in a second, in thousands of millions."""

    fp32: float
    int8: float


def measure_peaks(threads: int) -> Peaks:
    """The best of many runs of each kind."""
    return Peaks(*(_peak(kind, threads) for kind in KINDS))


def _peak(kind: str, threads: int) -> float:
    with as_file(files("incognote.workshop.bench") / f"peak_{kind}.onnx") as path:
        session = open_session(path, threads)
    rows: dict[str, Any] = {"rows": np.ones((ROWS, SIZE), KINDS[kind])}
    session.run(None, rows)
    best = float("inf")
    end = time.perf_counter() + 1.0
    while time.perf_counter() < end:
        start = time.perf_counter()
        session.run(None, rows)
        best = min(best, time.perf_counter() - start)
    return 2 * ROWS * SIZE * SIZE / best / 1e9
