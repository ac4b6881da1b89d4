"""How many processes a run is worth."""

from __future__ import annotations

from collections.abc import Iterable

from incognote.onnx.cores import cores
from incognote.workflows.run.inputs import Input

WORTH_A_WORKER = {"model": 100_000, "rules": 5_000_000}
"""Bytes of notes whose reading takes several times as long as a process takes to start."""


def workers_for(inputs: Iterable[Input], *, model: bool) -> int:
    """A process of one thread for each core, for as many as have enough to do.

    Processes share no lock and wait for nobody, so that two do nearly twice the work of one; of two
    threads in one process, one waits while Python works for the other.
    """
    worth = WORTH_A_WORKER["model" if model else "rules"]
    most = cores()
    size = 0
    for input in inputs:
        size += input.size()
        if size >= most * worth:
            break
    return max(1, min(most, size // worth))
