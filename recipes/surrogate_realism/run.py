"""Are surrogates as good as the originals? A detector learns from one and reads the other.

    python recipes/surrogate_realism/run.py --start work/base --work work/realism [--seeds 1,2,3]

Sets A to C of the corpus are for learning, D is for testing; all marks are the corpus's own. For each
seed the notes are rewritten with another key, and a checkpoint (for instance the one that
recipes/default_model makes without the corpus) learns on, once from the originals and once from the
surrogates. Two promises are tried, each by a paired bootstrap over the test notes, all seeds of a
note together, against a margin of two points of F1 (strict: offsets and type):

use       what learned from originals finds as much in surrogate notes as in the originals
realism   what learned from surrogate notes finds as much in originals as what learned from originals

Killed at any moment, the same command goes on.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from incognote.base.files import write_private
from incognote.detect.model import ModelDetector
from incognote.document import Document
from incognote.formats import read, write
from incognote.replace import apply, parse_operators

ROOT = Path(__file__).resolve().parents[2]
LEARNED, TESTED = ("A", "B", "C"), ("D",)
KINDS = ("original", "surrogate")
MARGIN = 2.0
"""Points of F1."""
RESAMPLES = 10_000
LEARNING = (
    "--labels full --shape --crf --epochs 3 --lr 1e-4 --head-lr 1e-3 --batch-tokens 2048 "
    "--attention-dropout 0 --keep last --resume"
).split()

Counts = npt.NDArray[np.int64]
"""[notes, 3]: spans found rightly, found at all, marked."""


def marked(sets: Iterable[str]) -> Iterator[Document]:
    """The corpus's notes with their marks; every note is of a patient of its own."""
    for name in sets:
        for note in read(ROOT / "corpus" / name, "inline"):
            yield Document(f"{name}-{note.id}", note.text, note.spans, patient=f"{name}-{note.id}")


def notes(sets: Sequence[str], kind: str, seed: int) -> list[Document]:
    """The notes as they are, or with surrogates by a key of this seed."""
    if kind == "original":
        return list(marked(sets))
    operators = parse_operators("surrogate", key=f"realism, seed {seed}".encode())
    return [apply(note, operators) for note in marked(sets)]


def learned(work: Path, start: str, kind: str, seed: int, threads: int) -> Path:
    """The model folder of one kind and seed, trained and exported if it is not there."""
    model = work / f"{kind}-{seed}-model"
    if not model.exists():
        folder, corpus = work / f"{kind}-{seed}", work / f"{kind}-{seed}.jsonl"
        if not corpus.exists():
            write(notes(LEARNED, kind, seed), corpus, "jsonl")
        given = ["--encoder", start, "--seed", seed, "--threads", threads]
        run("train", corpus, "-o", folder, *LEARNING, *given)
        run("export", folder, "-o", model)
    return model


def run(*words: object) -> None:
    """A command of the product; where it fails it has said why, and this ends too."""
    ended = subprocess.run([sys.executable, "-m", "incognote", *map(str, words)])
    if ended.returncode:
        sys.exit(ended.returncode)


def counts(model: Path, gold: Sequence[Document]) -> Counts:
    """What the model alone finds in each note."""
    found = ModelDetector(model).detect_many(Document(note.id, note.text) for note in gold)
    rows = []
    for note, detection in zip(gold, found, strict=True):
        marks, spans = (
            {(span.start, span.end, span.type) for span in each}
            for each in (note.spans, detection.spans)
        )
        rows.append((len(marks & spans), len(spans), len(marks)))
    return np.array(rows, np.int64)


def f1(totals: Counts) -> npt.NDArray[np.float64]:
    """In points, of [..., 3]."""
    right, found, gold = np.moveaxis(totals.astype(np.float64), -1, 0)
    points: npt.NDArray[np.float64] = 200 * right / np.maximum(found + gold, 1)
    return points


def difference(these: Counts, those: Counts) -> tuple[float, float, float]:
    """F1 of these less that of those, and its 95 % interval: the same notes drawn for both."""
    rng = np.random.default_rng(1)
    drawn = rng.multinomial(len(these), np.full(len(these), 1 / len(these)), size=RESAMPLES)
    spread = f1(drawn @ these) - f1(drawn @ those)
    low, high = np.quantile(spread, (0.025, 0.975))
    return float(f1(these.sum(0)) - f1(those.sum(0))), float(low), float(high)


def report(found: dict[tuple[str, str, int], Counts], seeds: Sequence[int]) -> str:
    """The tables, in Markdown."""
    pooled = {
        (kind, tested): np.sum([found[kind, tested, seed] for seed in seeds], axis=0)
        for kind in KINDS
        for tested in KINDS
    }
    lines = ["| learned from | read | " + " | ".join(f"seed {seed}" for seed in seeds) + " | all |"]
    lines.append("|---|---|" + "---|" * (len(seeds) + 1))
    for (kind, tested), rows in pooled.items():
        points = [f1(found[kind, tested, seed].sum(0)) for seed in seeds]
        cells = " | ".join(f"{value:.1f}" for value in (*points, f1(rows.sum(0))))
        lines.append(f"| {kind}s | {tested}s | {cells} |")
    lines += [
        "",
        f"| | F1 differs by (95 % interval) | within {MARGIN:.0f} points |",
        "|---|---|---|",
    ]
    for name, these, those in (
        ("use: surrogates against originals, both read by what learned from originals",
         ("original", "surrogate"), ("original", "original")),
        ("realism: learned from surrogates against learned from originals, both on originals",
         ("surrogate", "original"), ("original", "original")),
    ):  # fmt: skip
        middle, low, high = difference(pooled[these], pooled[those])
        kept = "yes" if low > -MARGIN else "not shown"
        lines.append(f"| {name} | {middle:+.2f} ({low:+.2f} to {high:+.2f}) | {kept} |")
    return "\n".join(lines) + "\n"


def main() -> int:
    """Write notes, train, read, compare."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--work", type=Path, required=True, help="folder for notes and models")
    parser.add_argument("--start", required=True, help="the checkpoint that learns on, or minilm")
    parser.add_argument(
        "--seeds", default="1,2,3", help="another process may do the others at the same time"
    )
    parser.add_argument("-o", "--output", type=Path, help="file for the tables; printed otherwise")
    parser.add_argument("--threads", type=int, default=2)
    given = parser.parse_args()
    seeds = tuple(int(seed) for seed in given.seeds.split(","))
    given.work.mkdir(parents=True, exist_ok=True)
    found: dict[tuple[str, str, int], Counts] = {}
    for seed in seeds:
        tests = {kind: notes(TESTED, kind, seed) for kind in KINDS}
        for kind in KINDS:
            model = learned(given.work, given.start, kind, seed, given.threads)
            for tested in KINDS:
                kept = given.work / f"{kind}-{seed}-on-{tested}.json"
                if not kept.exists():
                    rows = counts(model, tests[tested])
                    write_private(kept, json.dumps(rows.tolist()).encode())
                found[kind, tested, seed] = np.array(json.loads(kept.read_text()), np.int64)
                points = f1(found[kind, tested, seed].sum(0))
                print(f"seed {seed}: learned from {kind}s, read {tested}s: F1 {points:.1f}")
    tables = report(found, seeds)
    if given.output is None:
        print(tables)
    else:
        given.output.write_text(tables, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
