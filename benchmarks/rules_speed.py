"""How fast the rules are on one core, and how much memory a large table takes.

    python benchmarks/rules_speed.py                 # MB/s of detection and replacement
    python benchmarks/rules_speed.py --table-gb 1 --note-share 0.1   # peak memory of `deid`
    python benchmarks/rules_speed.py --against ../earlier            # beside another checkout

The second makes a CSV of 1 GB, a tenth of it notes and the rest other columns. Notes are the project's own corpus (sets A to D), repeated. Best of several rounds.

The third starts a process of each checkout, lets them work in turn on one core, and does so several times: two processes of the very same code differ by up to 5 %, by where things lie in memory.
"""

from __future__ import annotations

import argparse
import csv
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from incognote import Deidentifier, Document
from incognote.detect.note_index import NoteIndex
from incognote.detect.rules import FAMILIES
from incognote.formats import read

CORPUS = Path(__file__).parent.parent / "corpus"


def notes() -> list[Document]:
    """The notes of sets A to D, without their marks."""
    return [
        Document(document.id, document.text)
        for part in "ABCD"
        for document in read(CORPUS / part, "inline")
    ]


def speed(documents: Sequence[Document], rounds: int) -> None:
    """Print MB/s for the whole and the share of each rule family."""
    size = sum(len(document.text.encode()) for document in documents) / 1e6
    deidentify = Deidentifier(detector="rules")
    list(deidentify.pipe(documents[:8]))
    best = min(_seconds(lambda: list(deidentify.pipe(documents))) for _ in range(rounds))
    print(
        f"{len(documents)} notes, {size:.2f} MB: {size / best:.2f} MB/s, "
        f"{len(documents) / best:.0f} notes/s on one core (best of {rounds} rounds)"
    )
    parts = [_parts(documents) for _ in range(rounds)]
    shares = {name: min(part[name] for part in parts) for name in parts[0]}
    print("share of each rule family (the first one to ask also locates the note's words):")
    for name, seconds in sorted(shares.items(), key=lambda share: -share[1]):
        per_character = seconds / size
        print(f"  {name:12} {per_character:6.3f} µs per byte  {seconds / best:5.1%} of the time")


def _parts(documents: Sequence[Document]) -> dict[str, float]:
    """Seconds that each family takes over all notes."""
    parts = dict.fromkeys((family.name for family in FAMILIES), 0.0)
    for document in documents:
        note = NoteIndex(document.text)
        for family in FAMILIES:
            began = time.process_time()
            list(family.find(note))
            parts[family.name] += time.process_time() - began
    return parts


_WORKER = """
import sys, time
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from incognote import Deidentifier, Document
from incognote.formats import read
notes = [
    Document(note.id, note.text)
    for part in "ABCD"
    for note in read(Path(sys.argv[2]) / part, "inline")
]
deidentify = Deidentifier(detector="rules")
list(deidentify.pipe(notes))
print("ready", flush=True)
for line in sys.stdin:
    began = time.process_time()
    list(deidentify.pipe(notes))
    print(time.process_time() - began, flush=True)
"""


def compare(other: Path, starts: int, rounds: int) -> None:
    """Print the ratio of this checkout's time to another's, by the best round of each start."""
    here = Path(__file__).parent.parent
    bests: dict[Path, list[float]] = {other: [], here: []}
    for start in range(starts):
        trees = list(bests) if start % 2 else list(reversed(bests))
        workers = {tree: _start_worker(tree) for tree in trees}
        times: dict[Path, list[float]] = {tree: [] for tree in trees}
        for _ in range(rounds):
            for tree, worker in workers.items():
                assert worker.stdin is not None
                assert worker.stdout is not None
                worker.stdin.write("round\n")
                worker.stdin.flush()
                times[tree].append(float(worker.stdout.readline()))
        for tree, worker in workers.items():
            worker.communicate()
            bests[tree].append(min(times[tree]))
        print(f"start {start + 1}: {bests[other][-1]:.3f} s there, {bests[here][-1]:.3f} s here")
    medians = statistics.median(bests[here]) / statistics.median(bests[other])
    print(
        f"time here / there: {medians:.3f} by medians of {starts} starts, "
        f"{min(bests[here]) / min(bests[other]):.3f} by the best round of all"
    )


def _start_worker(tree: Path) -> subprocess.Popen[str]:
    worker = subprocess.Popen(
        [sys.executable, "-c", _WORKER, str(tree.resolve() / "src"), str(CORPUS)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert worker.stdout is not None
    worker.stdout.readline()
    return worker


def _seconds(work) -> float:  # type: ignore[no-untyped-def]
    began = time.process_time()
    work()
    return time.process_time() - began


def memory(
    documents: Sequence[Document], gigabytes: float, note_share: float, workers: int
) -> None:
    """Print the peak memory of `incognote deid` over a CSV of this size."""
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "notes.csv"
        rows = _write_table(table, documents, gigabytes, note_share)
        size = table.stat().st_size / 1e9
        began = time.perf_counter()
        subprocess.run(
            [
                sys.executable,
                "-m",
                "incognote",
                "deid",
                "--detector",
                "rules",
                str(table),
                "-o",
                f"{folder}/clean.csv",
                "--workers",
                str(workers),
            ],
            check=True,
        )
        seconds = time.perf_counter() - began
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
        print(
            f"{size:.2f} GB, {rows:,} rows, {workers} workers: peak memory of one process "
            f"{peak:.0f} MB, {seconds:.0f} s, {size * 1000 / seconds:.2f} MB/s"
        )


def _write_table(
    path: Path, documents: Sequence[Document], gigabytes: float, note_share: float
) -> int:
    rows = 0
    other = (1 - note_share) / note_share
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["id", "text", "results"])
        while stream.tell() < gigabytes * 1e9:
            for document in documents:
                results = "Na 138; K 4.1; " * int(len(document.text) * other / 15)
                writer.writerow([f"{rows:08d}", document.text, results])
                rows += 1
    return rows


def main() -> None:
    """Parse and measure."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--table-gb", type=float, default=0.0)
    parser.add_argument("--note-share", type=float, default=1.0)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--against", type=Path, help="another checkout of incognote")
    parser.add_argument("--starts", type=int, default=10, help="of processes, with --against")
    arguments = parser.parse_args()
    if arguments.against:
        compare(arguments.against, arguments.starts, arguments.rounds)
        return
    documents = notes()
    if arguments.table_gb:
        memory(documents, arguments.table_gb, arguments.note_share, arguments.workers)
    else:
        speed(documents, arguments.rounds)


if __name__ == "__main__":
    main()
