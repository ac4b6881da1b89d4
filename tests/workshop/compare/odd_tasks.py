"""Work that ends in every way, for processes to do."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from incognote.base.errors import RunError


def work(task: str, tell: Callable[[Any], None]) -> None:
    """Do as the task says."""
    match task.split():
        case ["refuse"]:
            raise RunError("the loss became NaN at step 3")
        case ["surprise"]:
            raise KeyError("Mrs Smith")
        case ["memory"]:
            raise MemoryError("no room for 3 GB")
        case ["die"]:
            os.kill(os.getpid(), signal.SIGKILL)
        case ["wait", path]:
            Path(path).write_text(str(os.getpid()))
            time.sleep(60)
        case _:
            tell(os.environ["OMP_NUM_THREADS"])
            tell(task)
