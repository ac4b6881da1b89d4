"""Runs of peers as processes of their own, taking turns, all with the same settings."""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.peers.environments import ROOT, Environment
from benchmarks.peers.peer import Peer
from benchmarks.peers.run import LAUNCHED
from incognote import Document

_THREADS = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "RAYON_NUM_THREADS",
)


_KEPT = {
    "MALLOC_MMAP_THRESHOLD_": "4000000000",
    "MALLOC_TRIM_THRESHOLD_": "8000000000",
    "MALLOC_TOP_PAD_": "268435456",
}


class RunError(RuntimeError):
    """A peer that did not run, with the reason in a line."""


@dataclass(frozen=True)
class Cost:
    """What one run took: seconds and megabytes; start-up ends when the first note is done."""

    start_up_seconds: float
    start_up_cpu_seconds: float
    wall_seconds: float
    cpu_seconds: float
    peak_megabytes: float


def best(costs: Sequence[Cost]) -> Cost:
    """The least time of all rounds, part by part, and the most memory."""
    return Cost(
        min(cost.start_up_seconds for cost in costs),
        min(cost.start_up_cpu_seconds for cost in costs),
        min(cost.wall_seconds for cost in costs),
        min(cost.cpu_seconds for cost in costs),
        max(cost.peak_megabytes for cost in costs),
    )


def settings(
    environ: Mapping[str, str], threads: int, *, keep_memory: bool = False
) -> dict[str, str]:
    """This process's variables, with so many threads and the system's allocator: as it is, or told
    to give no memory back, which spares what runs on torch most of its page faults.
    """
    kept = {
        name: value
        for name, value in environ.items()
        if not name.startswith("MALLOC_") and name not in ("PYTHONPATH", "PYTHONHOME")
    }
    return {
        **kept,
        **(_KEPT if keep_memory else {}),
        **dict.fromkeys(_THREADS, str(threads)),
        "TOKENIZERS_PARALLELISM": "false",
        "PYTHONHASHSEED": "0",
    }


def write_notes(notes: Sequence[Document], path: Path) -> None:
    """The texts alone: a peer never sees the marks."""
    with path.open("w", encoding="utf-8") as stream:
        for note in notes:
            stream.write(json.dumps({"id": note.id, "text": note.text}) + "\n")


def run(
    peer: Peer,
    environment: Environment,
    notes: Path,
    spans: Path,
    threads: int,
    limit: float,
    *,
    keep_memory: bool = False,
) -> Cost:
    """One process; its own messages are dropped, because they may quote notes."""
    cost = spans.with_suffix(".cost.json")
    cost.unlink(missing_ok=True)
    command = [str(environment.python), "-m", "benchmarks.peers.run", peer.module, peer.variant]
    launched = {LAUNCHED: repr(time.monotonic())}
    try:
        ended = subprocess.run(
            [*command, str(notes), str(spans), str(cost)],
            cwd=ROOT,
            env=settings(os.environ, threads, keep_memory=keep_memory) | launched,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=limit,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise RunError(f"took more than {limit:.0f} s") from None
    if not cost.is_file():
        raise RunError(f"ended with status {ended.returncode}")
    told = json.loads(cost.read_text(encoding="utf-8"))
    if "failed" in told:
        raise RunError(" ".join(told["failed"].split()))
    return Cost(**told)
