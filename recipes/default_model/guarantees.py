"""Do guarantees hold? Calibrates 500 times on samples of generated notes whose true risk is known.

    python recipes/default_model/guarantees.py --data DATA --work work/ [--model model/]

5,000 notes that no training saw (another seed) are read once, by rules and model together; what
each threshold would leak of each note is kept in `guarantees/`, a file for every 250 notes, so that
the same command goes on. A sample is drawn from this pool, a threshold is chosen for the guarantee as
`incognote calibrate` does, and the threshold's mean loss over the whole pool is its true risk.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import numpy as np
from rich.progress import track

from incognote.corpus.calibrate import losses_of
from incognote.corpus.evidence import evidence
from incognote.evaluate.guarantee import GRID, Bound, Losses, simulate
from incognote.formats import read
from incognote.runs.settings import Settings

HERE = Path(__file__).parent
CORPUS = HERE.parent.parent / "corpus"
SEED = 77
"""Networks that ship have learned from seeds 1 to 6."""
AT_ONCE = 250
CONFIDENCE = 0.95
DRAWS = 500
BOUNDS: tuple[Bound, ...] = ("betting", "hoeffding-bentkus")


def generated(data: Path, work: Path, count: int) -> Path:
    """The notes, made once."""
    notes = work / "notes" / f"guarantees-{count}.jsonl"
    if not notes.exists():
        notes.parent.mkdir(parents=True, exist_ok=True)
        command = [sys.executable, HERE / "generate.py", "--data", data, "--corpus", CORPUS]
        command += ["-o", notes, "--notes", count, "--seed", SEED]
        subprocess.run([str(word) for word in command], check=True)
    return notes


def losses(notes: Path, kept: Path, count: int, model: Path | None) -> Losses:
    """[thresholds, notes with identifiers]: the share of each note's identifiers that leaks."""
    kept.mkdir(parents=True, exist_ok=True)
    settings = Settings(model=model)
    detector = settings.detector(uncertain=True)
    left = iter(read(notes, "jsonl"))
    parts = []
    for number in track(range(-(-count // AT_ONCE)), "reading", transient=True):
        part = kept / f"{number:04}.npy"
        some = list(islice(left, AT_ONCE))
        if not part.exists():
            groups = [each.identifiers for each in evidence(some, detector) if each.identifiers]
            rows = [row for _, row in losses_of(groups, lambda each: each.covered_at, GRID)]
            new = part.with_suffix(".new.npy")
            np.save(new, np.array(rows))
            new.replace(part)
        parts.append(np.load(part))
    return np.concatenate(parts, axis=1)


def tables(pool: Losses, risks: list[float], sizes: list[int]) -> Iterator[str]:
    """A line for each guarantee, in Markdown."""
    yield "| guarantee | bound | notes to calibrate | held | refused | mean true risk where made |"
    yield "|---|---|---|---|---|---|"
    for risk in risks:
        for bound in BOUNDS:
            for size in sizes:
                got = simulate(pool, risk, bound, CONFIDENCE, size=size, draws=DRAWS)
                made = f"{got.mean_risk:.2%}" if got.refusals < got.draws else "–"
                yield (
                    f"| {risk:.1%} | {bound} | {size:,} | {got.valid / got.draws:.1%} | "
                    f"{got.refusals / got.draws:.1%} | {made} |"
                )


def main() -> int:
    """Generate, read, draw."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, help="the shared data folder")
    parser.add_argument("--work", type=Path, required=True, help="folder for notes and losses")
    parser.add_argument("--model", type=Path, help="a model folder; the shipped one if not given")
    parser.add_argument("--notes", type=int, default=5_000)
    given = parser.parse_args()
    notes = generated(given.data, given.work, given.notes)
    pool = losses(notes, given.work / "guarantees", given.notes, given.model)
    mean = pool.mean(axis=1)
    print(f"{pool.shape[1]:,} notes with identifiers; a note leaks {mean[-1]:.2%} in the mean by")
    print(f"default, {mean[0]:.2%} at the lowest threshold; {DRAWS} samples for each guarantee\n")
    print("\n".join(tables(pool, [0.005, 0.01, 0.02], [400, 800, 1_600])))
    return 0


if __name__ == "__main__":
    sys.exit(main())
