"""How many cores this process may use."""

from __future__ import annotations

import os
from contextlib import suppress
from functools import cache
from pathlib import Path

_QUOTA = Path("/sys/fs/cgroup/cpu.max")


@cache
def cores() -> int:
    """Those that the system lets it run on, and no more than its container pays for."""
    allowed = os.cpu_count() or 1
    with suppress(AttributeError, OSError):  # not every system can tell
        allowed = len(os.sched_getaffinity(0))
    return max(1, min(allowed, _paid_for(_QUOTA) or allowed))


def _paid_for(path: Path) -> int | None:
    """The whole cores that a container's quota comes to, at least one; None without a quota."""
    try:
        quota, period = path.read_text(encoding="ascii").split()
        return max(1, int(quota) // int(period))
    except (OSError, ValueError):
        return None
