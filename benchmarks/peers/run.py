"""Runs one peer on notes, inside its environment: writes its findings and what they cost.

    python -m benchmarks.peers.run MODULE VARIANT NOTES.jsonl SPANS.jsonl COST.json
    python -m benchmarks.peers.run MODULE --prepare NOTE.json

Neither output holds a word of a note; of an error among notes only its kind is told.
"""

from __future__ import annotations

import json
import os
import re
import sys
import time
from importlib import import_module
from pathlib import Path
from typing import Any

LAUNCHED = "INCOGNOTE_PEER_LAUNCHED"
"""The variable that holds when the process was launched, by the machine's monotonic clock."""


def main(arguments: list[str]) -> int:
    """Prepare or run."""
    if arguments[1] == "--prepare":
        told = getattr(import_module(f"benchmarks.peers.{arguments[0]}"), "prepare", lambda: "")()
        _write(Path(arguments[2]), {"prepared": told})
        return 0
    module, variant = arguments[:2]
    notes, spans, cost = map(Path, arguments[2:])
    try:
        find = import_module(f"benchmarks.peers.{module}").load(variant)
    except Exception as error:
        _write(cost, {"failed": f"did not start: {type(error).__name__}: {error}"})
        return 1
    try:
        _write(cost, measured(find, notes, spans))
    except Exception as error:
        _write(cost, {"failed": f"failed on a note: {type(error).__name__}"})
        return 1
    return 0


def measured(find: Any, notes: Path, spans: Path) -> dict[str, float]:
    """Find in all notes; the first one is found twice, so that starting up is not counted."""
    with notes.open(encoding="utf-8") as stream:
        documents = [json.loads(line) for line in stream]
    texts = [document["text"] for document in documents]
    list(find(texts[:1]))
    start_up, start_up_cpu = time.monotonic() - float(os.environ[LAUNCHED]), time.process_time()
    wall, cpu = time.perf_counter(), time.process_time()
    found = list(find(texts))
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    with spans.open("w", encoding="utf-8") as stream:
        for document, marks in zip(documents, found, strict=True):
            rows = [
                {"start": start, "end": end, "type": label, "score": float(score)}
                for start, end, label, score in sorted(marks)
                if start < end
            ]
            stream.write(json.dumps({"id": document["id"], "spans": rows}) + "\n")
    return {
        "start_up_seconds": start_up,
        "start_up_cpu_seconds": start_up_cpu,
        "wall_seconds": wall,
        "cpu_seconds": cpu,
        "peak_megabytes": peak_megabytes(),
    }


def peak_megabytes() -> float:
    """The most memory that this process has held.

    Linux counts what the parent held into `getrusage`, so there it is asked for otherwise.
    """
    status = Path("/proc/self/status")
    if status.is_file() and (held := re.search(r"VmHWM:\s+(\d+) kB", status.read_text())):
        return int(held[1]) * 1024 / 1e6
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1e6 if sys.platform == "darwin" else 1e6 / 1024)


def _write(path: Path, value: dict[str, Any]) -> None:
    path.write_text(json.dumps(value), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
