"""The service beside the library, and beside Presidio's service, on one pinned core.

    python benchmarks/serve.py                                  # beside the library
    python benchmarks/serve.py --presidio --work ~/peers        # and beside Presidio's service
    python benchmarks/serve.py --speeds fast --rounds 5 --core 0 --client 1

Who is measured has `--core` and one thread; the client has `--client`. All take turns, `--rounds` times,
and the best round of each counts, so that other work on the machine hides less. The seconds of the
processor that a note costs are given too: they hardly depend on other work.

At saturation: all notes, each in a request of its own, over `--connections`. Latency: notes of about 300
words at half of the saturation that was measured, at even distances and at random ones (Poisson), from
the moment when a request is due; the library does the same notes one after the other.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import psutil

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.http_load import Ask, latencies, saturate
from benchmarks.peers.environments import ROOT, environment
from benchmarks.peers.measuring import settings
from benchmarks.peers.presidio_service import SERVICE
from incognote.formats import read

SETS = "ABCDG"
WORDS = range(270, 331)
PRESIDIO_BATCH = 16
Item = tuple[Any, ...]
"""The requests of a note or of several, one after the other; `Ask`, or a function of the last answer."""


def notes() -> list[str]:
    """The project's notes, in an order that mixes their lengths."""
    texts = [note.text for part in SETS for note in read(ROOT / "corpus" / part, "inline")]
    random.Random(1).shuffle(texts)
    return texts


# Who is measured


@dataclass
class Service:
    """A service that runs."""

    name: str
    process: psutil.Popen
    port: int

    def seconds(self) -> float:
        """Of the processor, used so far by all its processes."""
        family = [self.process, *self.process.children(recursive=True)]
        return sum(sum(each.cpu_times()[:2]) for each in family)

    def megabytes(self) -> float:
        """That its processes hold and do not share."""
        family = [self.process, *self.process.children(recursive=True)]
        return float(sum(each.memory_full_info().pss for each in family)) / 1e6


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        return int(listening.getsockname()[1])


@contextmanager
def service(
    name: str, command: Sequence[str], port: int, ready: str, core: int
) -> Iterator[Service]:
    """Runs until the end of the block, on its core."""
    process = psutil.Popen(
        ["taskset", "-c", str(core), *command],
        cwd=ROOT,
        env={**settings(os.environ, 1), "PYTHONPATH": f"{ROOT / 'src'}"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        _until_ready(process, port, ready)
        yield Service(name, process, port)
    finally:
        process.terminate()
        process.wait(60)


def _until_ready(process: psutil.Popen, port: int, path: str) -> None:
    asking = f"GET {path} HTTP/1.0\r\n\r\n".encode()
    for _ in range(1200):
        if process.poll() is not None:
            raise SystemExit(f"a service ended with status {process.returncode}")
        try:
            with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
                connection.sendall(asking)
                if b" 200 " in connection.recv(100):
                    return
        except OSError:
            pass
        time.sleep(0.1)
    raise SystemExit("a service does not start")


def incognote(speed: str, core: int) -> Any:
    """`incognote serve`, as it is by default; its log goes nowhere."""
    port = _free_port()
    command = [sys.executable, "-m", "incognote", "serve", "--port", str(port), "--speed", speed]
    return service(f"incognote serve, {speed}", command, port, "/readyz", core)


def presidio(work: Path, core: int) -> Any:
    """Presidio's service in an environment of its own."""
    port, python = _free_port(), environment(SERVICE, work).python
    app = "benchmarks.peers.presidio_service:application()"
    command = [str(python), "-m", "gunicorn", "-w", "1", "-b", f"127.0.0.1:{port}", app]
    return service("Presidio's service", command, port, "/health", core)


class Library:
    """The library in a process of its own, which does a pass when it is asked to."""

    def __init__(self, speed: str, core: int) -> None:
        command = ["taskset", "-c", str(core), sys.executable, __file__, "--library", speed]
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**settings(os.environ, 1), "PYTHONPATH": f"{ROOT / 'src'}"},
        )
        self.megabytes = float(self("memory")["megabytes"])

    def __call__(self, what: str, texts: Sequence[str] = ()) -> dict[str, Any]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(json.dumps([what, texts]), file=self._process.stdin, flush=True)
        answer: dict[str, Any] = json.loads(self._process.stdout.readline())
        return answer

    def close(self) -> None:
        """End it."""
        self._process.communicate()


def library(speed: str) -> None:
    """The process of `Library`."""
    from incognote import Deidentifier

    made = Deidentifier(speed=speed)
    made("Seen by Dr. Okafor on 3/14/2019.")
    for line in sys.stdin:
        what, texts = json.loads(line)
        answer: dict[str, Any] = {"megabytes": psutil.Process().memory_full_info().pss / 1e6}
        began, cpu = time.perf_counter(), time.process_time()
        if what == "pass":
            assert len(list(made.pipe(texts))) == len(texts)
        elif what == "alone":
            answer["latencies"] = [_timed(partial(made, text)) for text in texts]
        answer |= {"seconds": time.perf_counter() - began, "cpu": time.process_time() - cpu}
        print(json.dumps(answer), flush=True)


def _timed(call: Callable[[], object]) -> float:
    began = time.perf_counter()
    call()
    return time.perf_counter() - began


# What they are asked


def deid(text: str) -> Item:
    """One note through our own route."""
    return (Ask("/v1/deid", {"text": text}),)


def analyze(text: str) -> Item:
    """One note through the route that both have."""
    return (Ask("/analyze", {"text": text, "language": "en"}),)


def analyze_many(texts: Sequence[str]) -> list[Item]:
    """Several notes a request."""
    groups = [texts[at : at + PRESIDIO_BATCH] for at in range(0, len(texts), PRESIDIO_BATCH)]
    return [(Ask("/analyze", {"text": group, "language": "en"}),) for group in groups]


def analyze_anonymize(text: str) -> Item:
    """What a client of Presidio does to de-identify a note."""

    def then(found: bytes) -> Ask:
        return Ask("/anonymize", {"text": text, "analyzer_results": json.loads(found)})

    return (*analyze(text), then)


# Rounds and tables


@dataclass
class Figures:
    """Of one way through all notes: the rounds' notes per second and processor's milliseconds a note."""

    rates: list[float] = field(default_factory=list)
    costs: list[float] = field(default_factory=list)

    def add(self, notes: int, seconds: float, cpu: float) -> None:
        """A round."""
        self.rates.append(notes / seconds)
        self.costs.append(1000 * cpu / notes)

    @property
    def rate(self) -> float:
        """The best."""
        return max(self.rates)

    @property
    def cost(self) -> float:
        """The least."""
        return min(self.costs)


def saturated(
    to: Service, number: int, items: Sequence[Item], connections: int, into: Figures
) -> None:
    """A round of a service, and its cost."""
    cpu = to.seconds()
    seconds = saturate("127.0.0.1", to.port, items, connections)
    into.add(number, seconds, to.seconds() - cpu)


def percentile(values: Sequence[float], share: float) -> float:
    """In milliseconds."""
    return 1000 * sorted(values)[min(len(values) - 1, int(share * len(values)))]


def beside_library(given: argparse.Namespace, speed: str, texts: Sequence[str]) -> None:
    """Throughput and latency of a speed, the library and the service in turns."""
    some = [text for text in texts if len(text.split()) in WORDS]
    alone: list[list[float]] = []
    even: list[list[float]] = []
    at_random: list[list[float]] = []
    ours, theirs = Figures(), Figures()
    rng = random.Random(1)
    with incognote(speed, given.core) as running:
        bare = Library(speed, given.core)
        for _ in range(given.rounds):
            found = bare("pass", texts)
            theirs.add(len(texts), found["seconds"], found["cpu"])
            saturated(running, len(texts), [deid(text) for text in texts], given.connections, ours)
        words = sum(len(text.split()) for text in texts) / len(texts)
        pause = 2 / ours.rate * statistics.mean(len(text.split()) for text in some) / words
        items = [deid(text) for text in some]
        for _ in range(given.rounds):
            alone.append(bare("alone", some)["latencies"])
            due = [pause * number for number in range(len(some))]
            even.append(latencies("127.0.0.1", running.port, items, due))
            due = [0.0]
            for _ in some[1:]:
                due.append(due[-1] + rng.expovariate(1 / pause))
            at_random.append(latencies("127.0.0.1", running.port, items, due))
        print(f"\n{speed}: {len(texts)} notes of {words:.0f} words, {given.rounds} rounds\n")
        print("| | notes/s | CPU ms a note | MB |\n|---|---|---|---|")
        print(
            f"| library | {theirs.rate:.1f} | {theirs.cost:.1f} | {bare('memory')['megabytes']:.0f} |"
        )
        print(f"| service | {ours.rate:.1f} | {ours.cost:.1f} | {running.megabytes():.0f} |")
        print(f"| share | {ours.rate / theirs.rate:.1%} | {theirs.cost / ours.cost:.1%} | |")
        bare.close()
    print(
        f"\n| {len(some)} notes of about 300 words, ms | p50 | p95 | × library's p95 |\n|---|---|---|---|"
    )
    least = min(percentile(each, 0.95) for each in alone)
    for name, rounds in (
        ("library, one after the other", alone),
        (f"service, half load ({1 / pause:.1f}/s), even distances", even),
        ("service, half load, Poisson", at_random),
    ):
        p50, p95 = (min(percentile(each, share) for each in rounds) for share in (0.5, 0.95))
        print(f"| {name} | {p50:.1f} | {p95:.1f} | {p95 / least:.2f} |")
    sys.stdout.flush()


def beside_presidio(given: argparse.Namespace, texts: Sequence[str]) -> None:
    """Both services in turns, ours at each speed."""
    single = [analyze(text) for text in texts]
    ways: list[tuple[str, Service, Sequence[Item], int]] = []
    with ExitStack() as stack:
        other = stack.enter_context(presidio(given.work, given.core))
        several = analyze_many(texts)
        ways += [
            ("/analyze, a note a request", other, single, 4),
            (f"/analyze, {PRESIDIO_BATCH} notes a request", other, several, 4),
            ("/analyze, then /anonymize", other, [analyze_anonymize(text) for text in texts], 4),
        ]
        for speed in given.speeds:
            own = stack.enter_context(incognote(speed, given.core))
            ways += [
                ("/analyze, a note a request", own, single, given.connections),
                (f"/analyze, {PRESIDIO_BATCH} notes a request", own, several, 4),
                ("/v1/deid", own, [deid(text) for text in texts], given.connections),
            ]
        figures = [Figures() for _ in ways]
        for _ in range(given.rounds):
            for (_, to, items, connections), into in zip(ways, figures, strict=True):
                saturated(to, len(texts), items, connections, into)
        finding, replacing = max(each.rate for each in figures[:2]), figures[2].rate
        print(
            "\n| | | notes/s | CPU ms a note | × Presidio's best | MB |\n|---|---|---|---|---|---|"
        )
        for (way, to, _, _), each in zip(ways, figures, strict=True):
            best = finding if way.endswith("request") else replacing
            print(
                f"| {to.name} | {way} | {each.rate:.1f} | {each.cost:.1f} | {each.rate / best:.2f} |"
                f" {to.megabytes():.0f} |"
            )


def main() -> None:
    """Measure what is asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--speeds", type=lambda words: words.split(","), default="careful,balanced,fast"
    )
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--notes", type=int, default=1000)
    parser.add_argument("--core", type=int, default=0)
    parser.add_argument("--client", type=int, default=1)
    parser.add_argument("--connections", type=int, default=32)
    parser.add_argument("--presidio", action="store_true", help="only beside Presidio's service")
    parser.add_argument(
        "--work", type=Path, default=Path("peers"), help="where its environment is made"
    )
    parser.add_argument("--library", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.library:
        library(given.library)
        return
    os.sched_setaffinity(0, {given.client})
    if isinstance(given.speeds, str):
        given.speeds = given.speeds.split(",")
    texts = notes()[: given.notes]
    if given.presidio:
        beside_presidio(given, texts)
        return
    for speed in given.speeds:
        beside_library(given, speed, texts)


if __name__ == "__main__":
    main()
