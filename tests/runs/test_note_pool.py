"""Processes that work on notes, and a signal that comes while one of them is started."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from typing import Any

import pytest

from incognote.document import Document
from incognote.runs.pool import pool_of


def lengths(documents: Sequence[Document]) -> Iterable[int]:
    return [len(document.text) for document in documents]


def work() -> Callable[[Sequence[Document]], Iterable[int]]:
    return lengths


def test_a_signal_waits_until_a_process_is_started(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[str] = []

    def submit(pool: ProcessPoolExecutor, *given: Any) -> Future[Any]:
        os.kill(os.getpid(), signal.SIGINT)
        started.append("whole")
        return Future()

    monkeypatch.setattr(ProcessPoolExecutor, "submit", submit)
    with pytest.raises(KeyboardInterrupt), pool_of(work, 2) as pool:
        pool.submit([Document("1", "Seen.")])
    assert started == ["whole"]
