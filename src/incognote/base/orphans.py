"""No process outlives the one that started it."""

from __future__ import annotations

import os
import threading
from multiprocessing import parent_process


def end_with_parent() -> None:
    """From now on, end at once when the parent does.

    A worker whose parent was killed would wait for work for ever, with notes in its memory.
    """
    threading.Thread(target=_watch, daemon=True).start()


def _watch() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
