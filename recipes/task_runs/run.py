"""Fine-tunes encoders for public tasks, by `incognote task train` and by the `transformers` Trainer.

    python recipes/task_runs/run.py --data DATA --work WORK [--only rte-minilm] [--minutes 60] [--threads 1]

plan.toml has the runs in their order. Each leaves docs/tasks/results/TASK-ENCODER-BY-SEED.json with its
figures, intervals, options and the processor's seconds; one that has it is not run again. Killed at any
moment, the same command goes on. --only takes the runs whose name begins so; after --minutes no further
one is begun. Models stay in WORK where another run begins from them, or with --keep.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent))

from incognote.base.files import write_whole
from incognote.workshop.training.sources import MINILM, checkpoint_folder
from recipes.task_runs.parts import PARTS, prepared

ROOT = Path(__file__).resolve().parent.parent.parent
RESULTS = ROOT / "docs/tasks/results"
PEER = ROOT / "benchmarks/task_peer.py"
OURS, PEERS = "incognote", "transformers"
RANDOM = "random"
"""An encoder of MiniLM's shape and words, with random weights."""


@dataclass(frozen=True)
class Run:
    """One fine-tuning."""

    task: str
    encoder: str
    by: str
    seed: int

    @property
    def name(self) -> str:
        """Of its result, and of its folder."""
        return f"{self.task}-{self.encoder}-{self.by}-{self.seed}"


@dataclass(frozen=True)
class Runs:
    """The plan, and where things are."""

    plan: dict[str, Any]
    data: Path
    work: Path
    results: Path
    threads: int
    keep: bool

    def planned(self) -> Iterator[Run]:
        """All runs in their order, each once."""
        seen = set()
        for row in self.plan["runs"]:
            named = product(row["seeds"], row["tasks"], row["encoders"], row["by"])
            for seed, task, encoder, by in named:
                run = Run(task, encoder, by, seed)
                if run not in seen:
                    seen.add(run)
                    yield run

    def run(self, run: Run) -> None:
        """Do one run, and write its result."""
        train, validation = prepared(run.task, self.data, self.work / "parts", choosing=False)
        begun = f"{run.task}-{run.encoder}"
        start = self.plan["starts"].get(begun)
        if start and not (self.work / "runs" / start / "training.json").exists():
            # Its result may be there, but not its weights: it is run once more in this work folder.
            self.run(next(each for each in self.planned() if each.name == start))
        encoder = str(self.work / "runs" / start) if start else run.encoder
        options = self.options(run)
        made = self.ours if run.by == OURS else self.peers
        found = made(run, train, validation, encoder, options)
        content = {
            "task": run.task,
            "encoder": run.encoder,
            "start": start,
            "by": run.by,
            "seed": run.seed,
            "options": " ".join(options),
            **found,
        }
        self.results.mkdir(parents=True, exist_ok=True)
        write_whole(
            self.results / f"{run.name}.json", (json.dumps(content, indent=2) + "\n").encode()
        )

    def options(self, run: Run) -> list[str]:
        """Of the command line, the same for both."""
        own = self.plan["options"][run.encoder][run.task]
        return f"{self.plan['options']['all']} {own}".split()

    def ours(
        self, run: Run, train: Path, validation: Path, encoder: str, options: list[str]
    ) -> dict[str, Any]:
        """By `incognote task train`, scored by `incognote task evaluate`."""
        task, folder = PARTS[run.task].task, self.work / "runs" / run.name
        resumed = folder.exists()
        begin = ["--encoder", encoder]
        if encoder == RANDOM:
            vocabulary = checkpoint_folder(MINILM)
            begin = ["--encoder", "minilm-l6", "--random", "--tokenizer", str(vocabulary)]
        told = ["task", "train", task, train, "-o", folder, *begin, *options]
        told += ["--seed", run.seed, "--threads", self.threads, "--resume"]
        seconds = self.call("-m", "incognote", *told)
        report = folder.with_suffix(".json")
        told = ["task", "evaluate", task, folder, validation, "--threads", self.threads]
        more = self.call("-m", "incognote", *told, "--json", output=report)
        found = json.loads(report.read_text("utf-8"))
        training = json.loads((folder / "training.json").read_text("utf-8"))
        if run.name not in self.plan["starts"].values() and not self.keep:
            shutil.rmtree(folder)
        return {
            **{name: found[name] for name in ("examples", "figures", "intervals")},
            "loop_seconds": training["speed"]["seconds"],
            # A run that was killed does not know what it took before.
            "cpu_seconds": None if resumed else round(seconds + more, 1),
        }

    def peers(
        self, run: Run, train: Path, validation: Path, encoder: str, options: list[str]
    ) -> dict[str, Any]:
        """By the Trainer."""
        task, report = PARTS[run.task].task, self.work / "runs" / f"{run.name}.json"
        begin = ["minilm", "--random"] if encoder == RANDOM else [encoder]
        told = [PEER, task, train, "--validation", validation, "--encoder", *begin, *options]
        told += ["--seed", run.seed, "--threads", self.threads, "-o", report]
        seconds = self.call(*told)
        found = json.loads(report.read_text("utf-8"))
        return {
            **{name: found[name] for name in ("examples", "figures", "intervals")},
            "loop_seconds": found["seconds"]["wall"],
            "cpu_seconds": round(seconds, 1),
        }

    def call(self, *words: object, output: Path | None = None) -> float:
        """Run Python; gives the seconds of the processor that it took."""
        (self.work / "runs").mkdir(parents=True, exist_ok=True)
        command = [sys.executable, *map(str, words)]
        print("+", " ".join(command[1:]), flush=True)
        written = subprocess.PIPE if output else None
        before = os.times()
        told = subprocess.run(command, check=True, stdout=written)
        after = os.times()
        if output:
            write_whole(output, told.stdout)
        return sum(after[2:4]) - sum(before[2:4])


def main() -> int:
    """Parse, and do the runs that are not done."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, help="the folder with the tasks' data")
    parser.add_argument("--work", type=Path, required=True, help="folder for all that is made")
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--only", default="", help="runs whose name begins so")
    parser.add_argument("--minutes", type=float, help="after these no further run is begun")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--keep", action="store_true", help="keep all models, with their cards")
    given = parser.parse_args()
    plan = tomllib.loads((Path(__file__).parent / "plan.toml").read_text("utf-8"))
    runs = Runs(
        plan, given.data.resolve(), given.work.resolve(), given.results, given.threads, given.keep
    )
    began = time.monotonic()
    for run in runs.planned():
        if not run.name.startswith(given.only) or (given.results / f"{run.name}.json").exists():
            continue
        if given.minutes and time.monotonic() - began > 60 * given.minutes:
            break
        try:
            runs.run(run)
        except subprocess.CalledProcessError as error:
            return int(error.returncode)
    return 0


if __name__ == "__main__":
    sys.exit(main())
