"""Worker processes keep to themselves: their libraries start no threads of their own."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

LIBRARIES = (
    "OPENBLAS_NUM_THREADS",
    "OMP_NUM_THREADS",
    "MKL_NUM_THREADS",
    "RAYON_NUM_THREADS",
)
"""Read by numpy's and the tokenizer's libraries when they are loaded; not by onnxruntime."""


@contextmanager
def one_thread_each() -> Iterator[None]:
    """What is started in here has one thread for each library, unless the user has said how many."""
    added = [name for name in LIBRARIES if name not in os.environ]
    os.environ.update(dict.fromkeys(added, "1"))
    try:
        yield
    finally:
        for name in added:
            os.environ.pop(name, None)
