"""A pool of processes, results in order, and signals that wait."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from incognote.base.workers import (
    BrokenProcessPool,
    Interrupts,
    WorkerPool,
    in_order,
    library_threads,
)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_waits_for_the_end_of_what_is_held(number: signal.Signals) -> None:
    interrupts, seen = Interrupts(), list[str]()
    before = signal.getsignal(number)
    with suppress(KeyboardInterrupt), interrupts.listening():
        with interrupts.held():
            os.kill(os.getpid(), number)
            seen.append("the rest")
        seen.append("never")
    assert seen == ["the rest"]
    assert signal.getsignal(number) == before


def test_elsewhere_it_is_answered_at_once() -> None:
    interrupts = Interrupts()
    with interrupts.listening():
        with interrupts.held():
            pass
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGTERM)


def _squares() -> Callable[[int], int]:
    return _square


def _square(number: int) -> int:
    if number < 0:
        os.kill(os.getpid(), signal.SIGKILL)
    return number * number


def test_a_pool_works_and_says_when_a_process_was_killed() -> None:
    with WorkerPool(_squares, 2) as pool:
        results = in_order(range(5), lambda task: pool.submit(task).result, 3)
        assert list(results) == [0, 1, 4, 9, 16]
    with pytest.raises(BrokenProcessPool), WorkerPool(_squares, 1) as pool:
        pool.submit(-1).result()


@given(st.lists(st.integers(0, 9), max_size=30), st.integers(1, 20))
def test_results_come_in_order_and_no_more_are_in_flight_than_there_is_room(
    tasks: list[int], room: int
) -> None:
    in_flight: list[int] = []

    def submit(task: int) -> Callable[[], int]:
        in_flight.append(task)
        assert len(in_flight) == 1 or sum(in_flight) <= room

        def result() -> int:
            in_flight.remove(task)
            return task

        return result

    assert list(in_order(tasks, submit, room, size_of=lambda task: task)) == tasks


def test_threads_of_libraries_are_told_in_the_environment_and_forgotten(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "5")
    monkeypatch.delenv("RAYON_NUM_THREADS", raising=False)
    with library_threads():
        assert (os.environ["OMP_NUM_THREADS"], os.environ["RAYON_NUM_THREADS"]) == ("5", "1")
    with library_threads(2, ("OMP_NUM_THREADS",), override=True):
        assert os.environ["OMP_NUM_THREADS"] == "2"
    assert os.environ["OMP_NUM_THREADS"] == "5"
    assert "RAYON_NUM_THREADS" not in os.environ
