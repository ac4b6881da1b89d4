"""Stopping a run between two steps, where all of it can be kept."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, TypeVar

Tick = TypeVar("Tick")


class Paused(BaseException):
    """Raised by a watcher: the run stops after this step, and keeps where it is."""


@contextmanager
def pause_on_signal(watch: Callable[[Tick], None]) -> Iterator[Callable[[Tick], None]]:
    """The watcher, which also stops the run once SIGINT or SIGTERM has come.

    Before the first step, and at a second signal, what was there before answers it. Of several
    processes none may stop at another step than the others, so they are left alone: the state that
    was saved last is theirs.
    """
    alone = os.environ.get("WORLD_SIZE", "1") == "1"
    if not alone or threading.current_thread() is not threading.main_thread():
        yield watch
        return
    asked = stepping = False
    before: dict[signal.Signals, Any] = {}

    def answer(number: int, frame: FrameType | None) -> None:
        nonlocal asked
        handler = before[signal.Signals(number)]
        if stepping and not asked:
            asked = True
        elif callable(handler):
            handler(number, frame)
        elif handler != signal.SIG_IGN:
            raise KeyboardInterrupt

    def watched(tick: Tick) -> None:
        nonlocal stepping
        stepping = True
        watch(tick)
        if asked:
            raise Paused

    for number in (signal.SIGINT, signal.SIGTERM):
        before[number] = signal.signal(number, answer)
    try:
        yield watched
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
