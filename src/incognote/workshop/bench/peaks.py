"""The most that this machine multiplies in a second, by onnxruntime's own kernels.

The two networks beside this file are one product each: 64 rows of 1,024 numbers by a constant
matrix of 1,024 x 1,024, in 32 bits and in 8.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from importlib.resources import as_file, files
from typing import Any

import numpy as np

from incognote.onnx.sessions import open_session

ROWS, SIZE = 64, 1024
KINDS = {"fp32": np.float32, "int8": np.uint8}


@dataclass(frozen=True)
class Peaks:
    """Operations in a second, in thousands of millions."""

    fp32: float
    int8: float


def peaks(threads: int) -> Peaks:
    """The best of many runs of each."""
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
