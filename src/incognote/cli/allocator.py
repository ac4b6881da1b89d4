"""Linux' allocator gives large blocks back at once; in training they are wanted again at once.

Every such block is then new to the process, page by page: a training step spends most of its time
on page faults. The allocator reads its settings only at start, so the command starts itself anew
with them, once. `INCOGNOTE_ALLOCATOR=system` leaves everything as it is.
"""

from __future__ import annotations

import os
import sys

SETTINGS = {
    "MALLOC_MMAP_THRESHOLD_": "4000000000",
    "MALLOC_TRIM_THRESHOLD_": "8000000000",
    "MALLOC_TOP_PAD_": "268435456",
}
OPT_OUT = "INCOGNOTE_ALLOCATOR"


def keep_memory() -> None:
    """Start this process anew with the settings, unless it has any or the user says no."""
    if not sys.platform.startswith("linux") or os.environ.get(OPT_OUT) == "system":
        return
    if any(name in os.environ for name in SETTINGS):
        return
    sys.stdout.flush()
    sys.stderr.flush()
    os.execve(sys.executable, [sys.executable, *sys.orig_argv[1:]], {**os.environ, **SETTINGS})
