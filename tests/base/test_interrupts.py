"""A signal waits until what must not be torn apart is done."""

from __future__ import annotations

import os
import signal
from contextlib import suppress

import pytest

from incognote.base.interrupts import Interrupts


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
