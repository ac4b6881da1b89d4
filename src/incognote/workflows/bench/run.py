"""All measurements of a machine, one after the other."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from incognote.onnx.cores import cores
from incognote.onnx.model_folder import read_model
from incognote.workflows.bench.figures import Bench, Row, row_of
from incognote.workflows.bench.measure import LAUNCHED, READY, Measured, Task
from incognote.workflows.bench.peaks import peaks
from incognote.workflows.bench.subject import Subject, model_folder, why_not
from incognote.workflows.run.inputs import RunError

COMMANDS = 3
SHORT = "Seen by Dr. Okafor on 3/14/2019 for a follow-up. MRN 307-74-18.\n"
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS")

Tell = Callable[[str], None]


@dataclass(frozen=True)
class Plan:
    """What to measure: a model, or the shipped one; the same weights for transformers' pipeline."""

    texts: Sequence[str]
    model: str | None = None
    peer_model: str | None = None
    seconds: float = 6.0
    workers: int | None = None

    def subjects(self) -> Iterator[Subject]:
        """At every speed that the model has, rules alone, then peers."""
        folder = model_folder(self.model)
        if folder is not None:
            for speed in read_model(folder).variants:
                yield Subject("incognote", "both", str(folder), speed)
        yield Subject("incognote", "rules")
        yield Subject("transformers", folder=self.peer_model)
        yield Subject("presidio")


def bench(plan: Plan, tell: Tell = lambda what: None) -> Bench:
    """Measure; a peer that cannot be measured is said so."""
    workers = plan.workers or cores()
    tell("matrix multiplication")
    most = peaks(1)
    rows: list[Row] = []
    skipped: dict[str, str] = {}
    with tempfile.TemporaryDirectory(prefix="incognote-bench-") as folder:
        notes = Path(folder) / "notes.json"
        notes.write_text(json.dumps(list(plan.texts)), encoding="utf-8")
        for subject in plan.subjects():
            if reason := why_not(subject):
                skipped[subject.title] = reason
                continue
            tell(subject.title)
            task = Task(subject, str(notes), 1, plan.seconds)
            try:
                one = launched([task])[0]
                all = launched([task] * workers) if workers > 1 else [one]
                alone = launched([replace(task, threads=cores(), each=True)])[0]
            except RunError as error:
                skipped[subject.title] = str(error)
                continue
            rows.append(row_of(subject, plan.texts, one, all, alone, most))
        tell("the whole command")
        command = whole_command(Path(folder), plan.model)
    return Bench(most, workers, command, rows, skipped)


def launched(tasks: Sequence[Task]) -> list[Measured]:
    """Processes that get ready one by one and work at the same time."""
    with ExitStack() as stack:
        running = []
        for task in tasks:
            process = stack.enter_context(_process(task))
            if (process.stdout.readline() if process.stdout else "").strip() != READY:
                raise RunError(f"{task.subject.title}: did not start")
            running.append(process)
        for process in running:
            if process.stdin:
                process.stdin.write("go\n")
                process.stdin.flush()
        told = [process.stdout.readline() if process.stdout else "" for process in running]
    if not all(told):
        raise RunError(f"{tasks[0].subject.title}: failed while it was measured")
    return [_measured(text) for text in told]


def _process(task: Task) -> subprocess.Popen[str]:
    """Its own messages are dropped, because they may quote notes."""
    environment = {
        **os.environ,
        **dict.fromkeys(_THREADS, str(task.threads)),
        "TOKENIZERS_PARALLELISM": "false",
        "HF_HUB_OFFLINE": "1",
        LAUNCHED: repr(time.monotonic()),
    }
    return subprocess.Popen(
        [sys.executable, "-m", "incognote.workflows.bench.measure", task.told()],
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )


def _measured(text: str) -> Measured:
    values = json.loads(text)
    return Measured(
        **{**values, "latencies": tuple(values["latencies"]), "done": tuple(values["done"])}
    )


def whole_command(folder: Path, model: str | None) -> float:
    """Seconds of `incognote deid` on one short note, from the command to its end."""
    note = folder / "note.txt"
    note.write_text(SHORT, encoding="utf-8")
    command = [sys.executable, "-m", "incognote", "deid", str(note)]
    if model is not None:
        command += ["--model", model]
    taken = []
    for _ in range(COMMANDS):
        start = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True)
        taken.append(time.perf_counter() - start)
    return statistics.median(taken)
