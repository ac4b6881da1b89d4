"""The same spans however notes come: alone, in other company, in one process or two; and odd notes.

    python benchmarks/robustness.py notes.jsonl [--notes 1000] [--model model/] [--speed fast]

Reads the notes one by one, in shuffled order as a stream, and by `incognote find` with one worker and
with two, and compares every span and score. Then notes of an unusual kind: nothing, blanks, a megabyte
in one line, a wide table, every block of Unicode, lone surrogates, control characters.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

from rich.progress import track

from incognote import Deidentifier, Document, Span
from incognote.formats import FormatError, read, write
from incognote.onnx.model_folder import SPEEDS

Found = dict[str, list[tuple[int, int, str, float]]]


def spans(found: Iterable[Span]) -> list[tuple[int, int, str, float]]:
    """What is compared."""
    return [(span.start, span.end, span.type, round(span.score, 4)) for span in found]


def streamed(deidentify: Deidentifier, notes: Iterable[Document]) -> Found:
    """Through `pipe`, in the order given."""
    return {result.found.id: spans(result.spans) for result in deidentify.pipe(notes)}


def by_command(notes: Path, workers: int, model: Path | None, speed: str) -> Found:
    """Through `incognote find`."""
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "found.jsonl"
        command = [sys.executable, "-m", "incognote", "find", notes, "-o", output]
        command += ["--workers", workers, "--speed", speed, *(["--model", model] if model else [])]
        subprocess.run([str(word) for word in command], check=True, capture_output=True)
        rows = map(json.loads, output.read_text(encoding="utf-8").splitlines())
        return {
            row["id"]: [
                (each["start"], each["end"], each["type"], each["score"]) for each in row["spans"]
            ]
            for row in rows
        }


def odd_notes() -> Iterator[tuple[str, str]]:
    """Notes of an unusual kind, by name."""
    yield "empty", ""
    yield "blanks", " \t\r\n\x0b\x0c\xa0\u2028" * 50
    yield "one megabyte in one line", "seen by Dr. Okafor on 3/14/2019; lungs clear. " * 22_000
    yield "one word of 100,000 letters", "a" * 100_000
    row = "\t".join(f"{column}:{column * 7919 % 100_003}" for column in range(200))
    yield "a table of 200 columns", "\n".join([row] * 100)
    yield (
        "every block of Unicode",
        " ".join(chr(code) for code in range(32, 0x110000, 61) if not 0xD800 <= code < 0xE000),
    )
    yield "lone surrogates", "Dr. \ud800Okafor\udfff \ud83d came"
    yield "control characters", "".join(map(chr, range(32))) * 20 + "MRN: 307-74-18"


def main() -> int:
    """Compare, then try the odd ones."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("corpus", type=Path, help="notes, for instance of recipes/default_model")
    parser.add_argument("--notes", type=int, default=1_000)
    parser.add_argument("--model", type=Path, help="a model folder; the shipped one if not given")
    parser.add_argument("--speed", choices=SPEEDS, default=SPEEDS[0])
    given = parser.parse_args()
    notes = [
        Document(f"{number:05}", note.text)
        for number, note in enumerate(islice(read(given.corpus), given.notes))
    ]
    deidentify = Deidentifier(model=given.model, speed=given.speed)
    alone = {
        note.id: spans(deidentify(note).spans) for note in track(notes, "alone", transient=True)
    }
    print(f"{len(notes):,} notes, {sum(map(len, alone.values())):,} spans")
    shuffled = random.Random(1).sample(notes, len(notes))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "notes.jsonl"
        write(notes, path, "jsonl")
        ways = {
            "in shuffled batches": streamed(deidentify, shuffled),
            "find --workers 1": by_command(path, 1, given.model, given.speed),
            "find --workers 2": by_command(path, 2, given.model, given.speed),
        }
    differing = 0
    for way, found in ways.items():
        other = sum(found.get(name) != wanted for name, wanted in alone.items())
        differing += other
        print(f"{way}: {other} notes differ")
    for name, text in odd_notes():
        began = time.perf_counter()
        result = deidentify(text)
        assert result.seen == len(text), name
        took = time.perf_counter() - began
        print(f"{name}: {len(text):,} characters, {len(result.spans):,} spans, {took:.1f} s")
    return 1 if differing else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except FormatError as error:
        sys.exit(f"robustness: {error}")
