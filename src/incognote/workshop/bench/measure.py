"""One subject, measured in this process; the result is JSON on standard output.

    python -m incognote.workshop.bench.measure '{"subject": …, "notes": …}'

It says `ready` when it has worked on a first note, and begins when it reads a line that says for how
many seconds, so that several can begin together.
"""

from __future__ import annotations

import json
import os
import re
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from incognote.align.words import words
from incognote.workshop.bench.subject import Subject, Work

LAUNCHED = "INCOGNOTE_BENCH_LAUNCHED"
"""The variable that says when the process was launched, by the machine's monotonic clock."""

AT_ONCE = 16
TRIED = slice(3, 9)
"""The notes on which ways of doing the same work are tried."""
READY = "ready"


@dataclass(frozen=True)
class Task:
    """Who works on which notes (a file of JSON texts), on how many threads.

    `each` takes the time of every note by itself. `way` is which of the subject's ways is taken;
    None: the quickest on a few notes.
    """

    subject: Subject
    notes: str
    threads: int
    each: bool = False
    way: int | None = None

    def to_json(self) -> str:
        """The task as an argument on the command line of its process."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> Task:
        """The task that `to_json` wrote."""
        values = json.loads(text)
        return cls(**{**values, "subject": Subject(**values["subject"])})


@dataclass(frozen=True)
class Measurement:
    """How much work took which time; start-up ends with the first note."""

    notes: int
    words: int
    bytes: int
    seconds: float
    cpu_seconds: float
    start_up_seconds: float
    peak_megabytes: float
    latencies: tuple[float, ...]
    done: tuple[int, ...]
    """How often each note was worked on."""
    way: int


def measure(work: Work, texts: Sequence[str], seconds: float, at_once: int) -> dict[str, Any]:
    """Work on the texts, from the first again after the last, until the time is over."""
    done = [0] * len(texts)
    latencies: list[float] = []
    place = 0
    cpu, start = time.process_time(), time.perf_counter()
    now = start
    while now - start < seconds:
        batch = [number % len(texts) for number in range(place, place + at_once)]
        work([texts[number] for number in batch])
        for number in batch:
            done[number] += 1
        place += at_once
        latencies.append(time.perf_counter() - now)
        now += latencies[-1]
    return {
        "seconds": now - start,
        "cpu_seconds": time.process_time() - cpu,
        "latencies": latencies if at_once == 1 else [],
        "done": done,
        "notes": sum(done),
        "words": sum(times * len(words(text)) for times, text in zip(done, texts, strict=True)),
        "bytes": sum(times * size_of(text) for times, text in zip(done, texts, strict=True)),
    }


def size_of(text: str) -> int:
    """Bytes of the text in UTF-8."""
    return len(text.encode("utf-8", "surrogatepass"))


def quickest_way(ways: Sequence[Work], texts: Sequence[str]) -> int:
    """Which way takes the least time for all the texts at once."""
    seconds = []
    for work in ways:
        start = time.perf_counter()
        work(texts)
        seconds.append(time.perf_counter() - start)
    return seconds.index(min(seconds))


def peak_megabytes() -> float:
    """The most memory that this process has held; 0 where that cannot be told.

    Linux counts what the parent held into `getrusage`, so there it is asked for otherwise.
    """
    status = Path("/proc/self/status")
    if status.is_file() and (peak := re.search(r"VmHWM:\s+(\d+) kB", status.read_text())):
        return int(peak[1]) * 1024 / 1e6
    try:
        import resource
    except ImportError:  # Windows
        return 0.0
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return float(most) / (1e6 if sys.platform == "darwin" else 1e6 / 1024)


def main() -> None:
    """Load the subject, wait for the line that says how long, work, and print the results."""
    task = Task.from_json(sys.argv[1])
    texts = json.loads(Path(task.notes).read_text(encoding="utf-8"))
    ways = task.subject.ready(task.threads)
    ways[0](texts[:1])
    start_up = time.monotonic() - float(os.environ[LAUNCHED])
    ways[0](texts[1:3])
    way = task.way
    if way is None:
        way = quickest_way(ways, texts[TRIED] or texts) if len(ways) > 1 else 0
    print(READY, flush=True)
    seconds = float(sys.stdin.readline())
    results = measure(ways[way], texts, seconds, 1 if task.each else AT_ONCE)
    results |= {"start_up_seconds": start_up, "peak_megabytes": peak_megabytes(), "way": way}
    print(json.dumps(results), flush=True)


if __name__ == "__main__":
    main()
