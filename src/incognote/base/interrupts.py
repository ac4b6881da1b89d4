"""SIGINT and SIGTERM at a moment that suits: what must not be torn apart is ended first."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any


class Interrupts:
    """While `listening`, a signal that comes inside `held` is answered at the end of it."""

    def __init__(self) -> None:
        self._before: dict[signal.Signals, Any] = {}
        self._is_held = False
        self._waiting: signal.Signals | None = None

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Signals go to the main thread; in another there is nothing to hold."""
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM):
                self._before[number] = signal.signal(number, self._answer)
        try:
            yield
        finally:
            for number, handler in self._before.items():
                signal.signal(number, handler)
            self._before.clear()

    @contextmanager
    def held(self) -> Iterator[None]:
        """Nothing comes between the lines in here."""
        self._is_held = True
        try:
            yield
        finally:
            self._is_held = False
        if self._waiting is not None:
            number, self._waiting = self._waiting, None
            self._answer(number, None)

    def _answer(self, number: int, frame: FrameType | None) -> None:
        """As whoever listened before."""
        handler = self._before.get(signal.Signals(number))
        if self._is_held:
            self._waiting = signal.Signals(number)
        elif callable(handler):
            handler(number, frame)
        elif handler != signal.SIG_IGN:
            raise KeyboardInterrupt
