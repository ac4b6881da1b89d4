r"""What surrogates cost: CPU time beside tags, and memory over many notes with a vault.

    python benchmarks/surrogates.py                     # with the default detector and with rules alone
    python benchmarks/surrogates.py --detector rules --rounds 5
    python benchmarks/surrogates.py --memory 100000     # peak memory after a tenth of the notes and after all

Notes are the project's own corpus (sets A to D), each a patient of its own. Both ways to replace
take turns over the rounds, so that a busy machine disturbs them alike; shown is the best round of
each, in CPU time of the process. For memory the notes are repeated under new ids and patients,
found by rules so that it takes minutes, replaced by surrogates and kept in a vault.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import cycle, islice
from pathlib import Path

from incognote import Deidentifier, Document
from incognote.formats import read
from incognote.replace.vault import Secret, Vault

CORPUS = Path(__file__).parent.parent / "corpus"
KEY = b"0123456789abcdef"
GOAL = 0.25
PARTS = 10
STATUS = Path("/proc/self/status")


def notes() -> list[Document]:
    """The notes of sets A to D, without their marks."""
    return [
        Document(f"{part}/{note.id}", note.text, patient=f"{part}/{note.id}")
        for part in "ABCD"
        for note in read(CORPUS / part, "inline")
    ]


def cost(documents: Sequence[Document], detector: str | None, rounds: int) -> float:
    """Print the CPU time of tags and of surrogates, and return the share that the latter add."""
    ways = {name: _work(name, detector) for name in ("tag", "surrogate")}
    for work in ways.values():
        work(documents[:8])
    seconds: dict[str, list[float]] = {name: [] for name in ways}
    for turn in range(rounds):
        order = list(ways) if turn % 2 == 0 else list(reversed(ways))
        for name in order:
            seconds[name].append(_seconds(ways[name], documents))
            print(f"  round {turn + 1}, {name}: {seconds[name][-1]:.2f} s", file=sys.stderr)
    best = {name: 1000 * min(times) / len(documents) for name, times in seconds.items()}
    added = best["surrogate"] / best["tag"] - 1
    print(
        f"{detector or 'default'} detector, {len(documents)} notes, best of {rounds}: "
        f"tag {best['tag']:.2f} ms a note, surrogate {best['surrogate']:.2f} ms: {added:+.1%}"
    )
    return added


def _work(way: str, detector: str | None) -> Callable[[Sequence[Document]], None]:
    deidentify = Deidentifier(way, key=KEY, detector=detector)  # type: ignore[arg-type]

    def work(some: Sequence[Document]) -> None:
        for _ in deidentify.pipe(some):
            pass

    return work


def _seconds(work: Callable[[Sequence[Document]], None], documents: Sequence[Document]) -> float:
    began = time.process_time()
    work(documents)
    return time.process_time() - began


def memory(documents: Sequence[Document], number: int) -> None:
    """Print the peak memory of the process at each tenth of the notes."""
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "notes.vault"
        with Vault(path, Secret.key_file(KEY), make=True) as vault:
            deidentify = Deidentifier("surrogate", key=KEY, detector="rules", vault=vault)
            peaks: list[float] = []
            for done, _ in enumerate(deidentify.pipe(_repeated(documents, number)), 1):
                if done % max(1, number // PARTS) == 0:
                    peaks.append(peak_megabytes())
                    print(f"  {done} notes: {peaks[-1]:.1f} MB", file=sys.stderr)
            size = path.stat().st_size / 1e6
            kept = len(vault)
    first, last = peaks[0], peaks[-1]
    print(
        f"{number} notes ({kept} in a vault of {size:.0f} MB, {time.monotonic() - began:.0f} s): peak "
        f"{first:.1f} MB after a tenth, {last:.1f} MB after all: {last - first:+.1f} MB"
    )


def _repeated(documents: Sequence[Document], number: int) -> Iterator[Document]:
    """The notes again and again; each time under another id and of another patient."""
    for turn, note in enumerate(islice(cycle(documents), number)):
        yield replace(note, id=f"{note.id} {turn}", patient=f"patient {turn}")


def peak_megabytes() -> float:
    """The most memory that this process ever had."""
    line = next(line for line in STATUS.read_text().splitlines() if line.startswith("VmHWM:"))
    return int(line.split()[1]) / 1024


def main() -> int:
    """Parse, measure, show."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--detector", choices=["rules", "default"], help="both by default")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--notes", type=int, help="only so many of the notes, evenly spread")
    parser.add_argument("--memory", type=int, metavar="N", help="peak memory over N notes instead")
    arguments = parser.parse_args()
    documents = notes()
    if arguments.memory:
        memory(documents, arguments.memory)
        return 0
    if arguments.notes:
        documents = documents[:: max(1, len(documents) // arguments.notes)][: arguments.notes]
    added = 0.0
    for detector in ("rules", None):
        if arguments.detector in (None, detector or "default"):
            added = cost(documents, detector, arguments.rounds)
    if arguments.detector != "rules":
        print(
            f"goal: at most {GOAL:+.0%} with the default detector: {'met' if added <= GOAL else 'not met'}"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
