"""How much memory text takes on its way to a pretraining run: tokenised, then planned.

    python benchmarks/prepare_memory.py                          # 300 MB of notes, then 300 MB in files of 20 MB
    python benchmarks/prepare_memory.py --megabytes 25 --shapes line --workers 4

Made text of many rare words and numbers, which is the worst for what a process remembers: as notes
in JSONL, as files that are one document each, or as such files of a single line. It is prepared as
`incognote pretrain` does, torch and the allocator's settings included, in a process of its own. The
figure is the largest sum of what it and its processes hold (PSS: memory that several share counts
once), looked at every tenth of a second; Linux only. Then an epoch is planned from the shards.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import textwrap
import time
from collections.abc import Callable, Iterator
from itertools import count, pairwise
from pathlib import Path

import numpy as np

from incognote.cli.training_options import ALLOCATOR
from incognote.workshop.pretraining import text_workers

TOKENIZER = Path(__file__).parent.parent / "src/incognote/models/clinical-albert"
VOCABULARY = 150_000
FILE = 20_000_000
EVERY = 0.1

# The command's own script imports this much, and so does each process that it starts.
PREPARE = """
import sys
from incognote.cli import main

if __name__ == "__main__":
    import torch
    from incognote.workshop.pretrain.corpus.prepare import prepare
    from incognote.workshop.tokenization import load

    texts, folder, tokenizer, workers = sys.argv[1:]
    prepare([texts], load(tokenizer, family="albert"), folder, workers=int(workers))
"""

PLAN = """
import json, sys, tracemalloc
from incognote.workshop.pretrain.corpus.shards import Shards
from incognote.workshop.pretrain.examples import ExampleSettings
from incognote.workshop.pretrain.feed import Order, Place
from incognote.workshop.pretrain.objectives import make_objective
from incognote.workshop.tokenization import load

folder, tokenizer, inputs, length = sys.argv[1:]
settings = ExampleSettings(inputs=inputs, length=int(length))
reader = load(tokenizer, family="albert")

def planned():
    shards = Shards(folder)
    objective = make_objective("mlm", reader, shards)
    examples = objective.examples(shards, shards.train, settings, 0)
    order = Order(examples, 0)
    order.take(Place(0, 0), 1)
    return order

planned()  # what is loaded on the way does not count
tracemalloc.start()
order = planned()
kept, peak = tracemalloc.get_traced_memory()
print(json.dumps([order.examples.count(0), kept, peak]))
"""


def sentences() -> Iterator[str]:
    """Without end: words by Zipf's law, and numbers."""
    draws = np.random.default_rng(0)
    syllables = [first + second for first in "bcdfghlmnprstv" for second in ("a", "er", "in", "o")]
    words = np.array(
        ["".join(draws.choice(syllables, size)) for size in draws.integers(1, 6, VOCABULARY)]
    )
    while True:
        chosen = words[(draws.zipf(1.2, 100_000) - 1) % VOCABULARY].tolist()
        for place in np.flatnonzero(draws.random(len(chosen)) < 0.08).tolist():
            chosen[place] = str(draws.integers(10**6))
        edges = np.cumsum(draws.integers(4, 19, 8_000))
        for first, last in pairwise(edges.tolist()):
            if last > len(chosen):
                break
            yield " ".join(chosen[first:last]).capitalize() + "."


def document(source: Iterator[str], size: int, sentence_end: Callable[[int], str]) -> str:
    """Sentences of about so many characters; what stands after each is told by its number."""
    parts: list[str] = []
    held = 0
    for number in count(1):
        parts.append(next(source) + sentence_end(number))
        held += len(parts[-1])
        if held >= size:
            break
    return "".join(parts)


def write_notes(folder: Path, size: float) -> None:
    """Notes of 300 to 4,000 characters in one JSONL file."""
    source, draws = sentences(), np.random.default_rng(1)
    with (folder / "notes.jsonl").open("w") as file:
        while file.tell() < size:
            length = int(draws.integers(300, 4000))
            text = document(source, length, lambda number: " " if number % 4 else "\n\n")
            file.write(json.dumps({"text": text}) + "\n")


def write_files(folder: Path, size: float) -> None:
    """Text files of paragraphs, whose lines are wrapped."""
    source = sentences()
    for number in range(max(1, round(size / FILE))):
        with (folder / f"{number:05}.txt").open("w") as file:
            while file.tell() < min(size, FILE):
                paragraph = document(source, 600, lambda number: " ")
                file.write(textwrap.fill(paragraph, 78) + "\n\n")


def write_lines(folder: Path, size: float) -> None:
    """Text files of a single line."""
    source = sentences()
    for number in range(max(1, round(size / FILE))):
        text = document(source, int(min(size, FILE)), lambda number: " ")
        (folder / f"{number:05}.txt").write_text(text)


SHAPES = {"notes": write_notes, "files": write_files, "line": write_lines}


def family(root: int) -> list[int]:
    """A process and all that it started, and they."""
    found = [root]
    for process in found:
        for task in Path(f"/proc/{process}/task").glob("*/children"):
            try:
                found += map(int, task.read_text().split())
            except OSError:
                continue  # it has just ended
    return found


def held(process: int) -> float:
    """Megabytes of its memory, by its share in what is not its own."""
    try:
        said = Path(f"/proc/{process}/smaps_rollup").read_text()
    except OSError:
        return 0.0
    return int(re.findall(r"^Pss:\s+(\d+)", said, re.MULTILINE)[0]) / 1024


def peak_of(command: list[str]) -> tuple[float, list[float], float]:
    """The peak of a command and its processes together, each at that moment, and the seconds."""
    began = time.perf_counter()
    process = subprocess.Popen(command, env={**os.environ, **ALLOCATOR})
    peak: list[float] = []
    while process.poll() is None:
        peak = max(peak, [held(each) for each in family(process.pid)], key=sum)
        time.sleep(EVERY)
    if process.returncode:
        raise SystemExit(process.returncode)
    return sum(peak), peak, time.perf_counter() - began


def measure(shape: str, arguments: argparse.Namespace, folder: Path) -> None:
    """One shape of text, prepared and planned; printed."""
    texts, shards = folder / "text", folder / "shards"
    texts.mkdir()
    SHAPES[shape](texts, arguments.megabytes * 1e6)
    size = sum(path.stat().st_size for path in texts.iterdir()) / 1e6
    script = folder / "prepare.py"
    script.write_text(PREPARE)
    given = [str(each) for each in (texts, shards, arguments.tokenizer, arguments.workers)]
    peak, parts, seconds = peak_of([sys.executable, str(script), *given])
    each = " + ".join(f"{part:.0f}" for part in parts)
    print(
        f"{shape}: {size:.0f} MB of text, {arguments.workers} workers: "
        f"peak {peak:.0f} MB ({each}), {seconds:.0f} s"
    )
    given = [str(shards), str(arguments.tokenizer), arguments.inputs, str(arguments.length)]
    ran = subprocess.run([sys.executable, "-c", PLAN, *given], check=True, capture_output=True)
    sequences, kept, most = json.loads(ran.stdout)
    print(
        f"  an epoch of {sequences:,} sequences: {kept / sequences:.1f} bytes kept for each, "
        f"{(most - kept) / 1e6:.1f} MB more while it is planned"
    )


def main() -> None:
    """Parse and measure."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--megabytes", type=float, default=300, help="of each shape of text")
    parser.add_argument("--shapes", nargs="+", choices=SHAPES, default=["notes", "files"])
    parser.add_argument("--workers", type=int, default=text_workers())
    parser.add_argument("--tokenizer", type=Path, default=TOKENIZER, help="a folder of ALBERT's")
    parser.add_argument("--inputs", default="full-sentences", help="of the epoch that is planned")
    parser.add_argument("--length", type=int, default=128, help="pieces of a sequence")
    arguments = parser.parse_args()
    for shape in arguments.shapes:
        with tempfile.TemporaryDirectory() as folder:
            measure(shape, arguments, Path(folder))


if __name__ == "__main__":
    main()
