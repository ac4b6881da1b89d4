"""Fine-tunes the miniatures on parts of SST-2, SNLI, SQuAD and RACE, the same examples for every arm.

The parts are drawn once, by a seed: of SST-2 and SQuAD from their training parts, of SNLI from its
development part, which is all there is of it here, of RACE's middle schools from both. Nobody's test
part is read. GLUE and RACE are for research only: what has learned from them is a figure, never shipped.
"""

from __future__ import annotations

import csv
import gzip
import json
import lzma
import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from recipes.clinical_albert.make import incognote

SEED = 0
LABELS = ("entailment", "neutral", "contradiction")


@dataclass(frozen=True)
class Part:
    """A task as `incognote task train` has it, its files, and what is said of them on the command line."""

    task: str
    train: Path
    validation: Path
    columns: Sequence[str] = ()


def fine_tune(
    arm: Path, name: str, data: Path, work: Path, options: Sequence[str], cpu: Sequence[object]
) -> None:
    """One arm on one task; done once."""
    part = PARTS[name](data / "tasks", work / "tasks" / name)
    output = work / "downstream" / name / arm.name
    if (output / "training.json").exists():
        return
    told = [part.task, part.train, "--validation", part.validation, *part.columns]
    incognote("task", "train", *told, "-o", output, "--encoder", arm, *options, *cpu, "--resume")


def sst_2(data: Path, place: Path, train: int = 4000, validation: int = 1000) -> Part:
    """Sentences of reviews, bad or good."""
    files = place / "train.tsv", place / "validation.tsv"
    if not files[1].exists():
        with (data / "glue/SST-2/train.tsv").open(encoding="utf-8") as lines:
            head, *rows = lines
        random.Random(SEED).shuffle(rows)
        for path, some in zip(files, divided(rows, train, validation), strict=True):
            write(path, [head, *some])
    return Part("sst-2", *files)


def snli(data: Path, place: Path, train: int = 4000, validation: int = 1500) -> Part:
    """Pairs of sentences: entailed, neutral or contradicted."""
    files = place / "train.tsv", place / "validation.tsv"
    if not files[1].exists():
        with gzip.open(
            data / "snli_dev/snli_dev.tsv.gz", "rt", encoding="utf-8", newline=""
        ) as lines:
            rows = list(csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))
        # The pairs of one premise stay on one side.
        premises = sorted({row[0] for row in rows})
        random.Random(SEED).shuffle(premises)
        order = {premise: number for number, premise in enumerate(premises)}
        rows.sort(key=lambda row: order[row[0]])
        pairs = [f"{row[0]}\t{row[1]}\t{LABELS[int(row[2])]}\n" for row in rows]
        first, second = divided(pairs, train, validation, apart=True)
        for path, some in zip(files, (first, second), strict=True):
            write(path, ["text\tsecond\tlabel\n", *some])
    return Part("pair", *files)


def squad(data: Path, place: Path, articles: int = 4) -> Part:
    """Questions about paragraphs; so many of the twenty articles validate."""
    files = place / "train.json", place / "validation.json"
    if not files[1].exists():
        with gzip.open(
            data / "squad_subset/squad_v1_subset_a.json.gz", "rt", encoding="utf-8"
        ) as f:
            whole = json.load(f)
        whole["data"].sort(key=lambda article: str(article.get("title")))
        random.Random(SEED).shuffle(whole["data"])
        for path, some in zip(
            files, (whole["data"][articles:], whole["data"][:articles]), strict=True
        ):
            write(path, [json.dumps({**whole, "data": some})])
    return Part("squad", *files)


def race(data: Path, place: Path, train: int = 400, validation: int = 150) -> Part:
    """Multiple choice about texts of middle schools; so many articles."""
    files = place / "train.jsonl", place / "validation.jsonl"
    if not files[1].exists():
        for path, source, count in zip(files, ("train", "dev"), (train, validation), strict=True):
            with lzma.open(data / f"race/{source}_middle.jsonl.xz", "rt", encoding="utf-8") as f:
                rows = list(f)
            random.Random(SEED).shuffle(rows)
            write(path, rows[:count])
    return Part("race", *files)


PARTS: dict[str, Callable[[Path, Path], Part]] = {
    "sst-2": sst_2,
    "snli": snli,
    "squad": squad,
    "race": race,
}


def divided(
    rows: Sequence[str], train: int, validation: int, *, apart: bool = False
) -> tuple[Sequence[str], Sequence[str]]:
    """The first and, with `apart`, the last rows, so that what belongs together is on one side."""
    second = rows[-validation:] if apart else rows[train : train + validation]
    return rows[:train], second


def write(path: Path, lines: Iterable[str]) -> None:
    """A file that is there whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(path.name + ".part")
    part.write_text("".join(lines), encoding="utf-8")
    part.replace(path)


def figures(work: Path) -> dict[str, dict[str, Any]]:
    """What each arm reached on each task, of those that were fine-tuned."""
    found: dict[str, dict[str, Any]] = {}
    for path in sorted(work.glob("downstream/*/*/training.json")):
        training = json.loads(path.read_text(encoding="utf-8"))
        found.setdefault(path.parent.name, {})[path.parent.parent.name] = {
            "figures": training["validation"],
            "examples": training["data"]["validation_examples"],
        }
    return found
