"""Runs a command on some cores and tells what it cost.

    python benchmarks/speed/launched.py CORES COMMAND…

A process of its own, because Linux counts what the parent held into a child's peak of memory: this
one holds next to nothing. Prints JSON; what the command prints is dropped, as it may quote a note.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time


def main(cores: int, command: list[str]) -> int:
    """Run, wait, tell."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:cores])
    start = time.perf_counter()
    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    _, status, used = os.wait4(process.pid, 0)
    wall = time.perf_counter() - start
    told = {
        "status": os.waitstatus_to_exitcode(status),
        "wall_seconds": wall,
        "cpu_seconds": used.ru_utime + used.ru_stime,
        "peak_megabytes": used.ru_maxrss / (1e6 if sys.platform == "darwin" else 1e6 / 1024),
    }
    print(json.dumps(told))
    return 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), sys.argv[2:]))
