"""What enters each matrix on sample windows, to fix the scales of 8 bits by."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from incognote.workflows.export.graph import Graph
from incognote.workflows.export.precision import Floats, Full, Observed, Range

ROWS_PER_WINDOW = 64
CLIPPINGS = np.linspace(0.4, 1.0, 25)
"""Shares of the whole range that are tried: rounding finely may be worth cutting a few off."""

Window = Mapping[str, npt.NDArray[np.int64]]
"""A network's inputs, each [1, length, …]."""


class Watched(Full):
    """32 bits, remembering which value enters each matrix, in the order of use."""

    def __init__(self) -> None:
        self.entering: dict[str, list[str]] = defaultdict(list)
        self.weights: dict[str, Floats] = {}

    def linear(self, graph: Graph, name: str, hidden: str, weight: Floats, bias: Floats) -> str:
        self.entering[name].append(hidden)
        self.weights[name] = weight
        return super().linear(graph, name, hidden, weight, bias)


def observe(network: Any, watched: Watched, windows: Iterable[Window]) -> dict[str, Observed]:
    """Run the network, which `watched` has written, over sample windows."""
    names = sorted({value for uses in watched.entering.values() for value in uses})
    kept: dict[str, list[Floats]] = defaultdict(list)
    draws = np.random.default_rng(0)
    session = _session(network, names)
    for window in windows:
        values = session.run(names, dict(window))
        length = values[0].shape[1]
        rows = np.sort(draws.permutation(length)[:ROWS_PER_WINDOW])
        for name, value in zip(names, values, strict=True):
            kept[name].append(value[0, rows])
    seen = {name: np.concatenate(parts) for name, parts in kept.items()}
    return {
        name: _observed([seen[use] for use in uses], watched.weights[name])
        for name, uses in watched.entering.items()
    }


def _session(network: Any, outputs: Sequence[str]) -> Any:
    import onnx
    import onnxruntime

    copy = onnx.ModelProto()
    copy.CopyFrom(network)
    for name in outputs:
        copy.graph.output.append(onnx.helper.make_empty_tensor_value_info(name))
    return onnxruntime.InferenceSession(
        copy.SerializeToString(), providers=["CPUExecutionProvider"]
    )


def _observed(uses: Sequence[Floats], weight: Floats) -> Observed:
    """Spread the difficulty: channels with large values are made smaller, their weights larger."""
    largest = np.maximum(np.max([np.abs(use).max(axis=0) for use in uses], axis=0), 1e-5)
    reach = np.maximum(np.abs(weight).max(axis=1), 1e-5)
    spread = np.sqrt(largest / reach).astype(np.float32)
    importance = np.square(weight * spread[:, None]).sum(axis=1)
    return Observed(spread, [_range(use / spread, importance) for use in uses])


def _range(values: Floats, importance: Floats) -> Range:
    """The range that loses least in what the matrix gives."""
    low, high = min(float(values.min()), 0.0), max(float(values.max()), 0.0)

    def loss(share: float) -> float:
        given = Range(low * share, high * share)
        steps = np.clip(np.rint(values / given.scale) + given.zero, 0, 255)
        errors = (steps - given.zero) * given.scale - values
        return float((np.square(errors).mean(axis=0) * importance).sum())

    best = min(CLIPPINGS, key=loss)
    return Range(low * best, high * best)
