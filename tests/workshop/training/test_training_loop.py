"""A signal stops a run between two steps; a second one, or one before the first step, at once."""

from __future__ import annotations

import os
import signal

import pytest

from incognote.workshop.training.loop import Paused, pause_on_signal


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_the_step_is_ended_and_the_handlers_come_back(number: signal.Signals) -> None:
    before = signal.getsignal(number)
    seen: list[int] = []
    with pause_on_signal(seen.append) as watch:
        watch(1)
        os.kill(os.getpid(), number)
        seen.append(0)  # the rest of the step
        with pytest.raises(Paused):
            watch(2)
    assert seen == [1, 0, 2]
    assert signal.getsignal(number) == before


def test_before_the_first_step_and_a_second_time_it_ends_at_once() -> None:
    with pytest.raises(KeyboardInterrupt), pause_on_signal(lambda tick: None):
        os.kill(os.getpid(), signal.SIGTERM)
    with pause_on_signal(lambda tick: None) as watch:
        watch(1)
        os.kill(os.getpid(), signal.SIGTERM)
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGTERM)


def test_several_processes_are_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORLD_SIZE", "2")
    before = signal.getsignal(signal.SIGTERM)
    with pause_on_signal(lambda tick: None):
        assert signal.getsignal(signal.SIGTERM) == before
