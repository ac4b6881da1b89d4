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
from incognote.runs.children import LIBRARIES
from incognote.runs.inputs import RunError
from incognote.workshop.bench.figures import Bench, Row, row_of
from incognote.workshop.bench.measure import LAUNCHED, READY, Measured, Task
from incognote.workshop.bench.peaks import peaks
from incognote.workshop.bench.subject import Subject, model_folder, why_not

SECONDS = 120.0
LEAST = 1.0
"""Seconds that a part is measured at least, though starting may have taken all its time."""

COMMANDS = 3
SHORT = "Seen by Dr. Okafor on 3/14/2019 for a follow-up. MRN 307-74-18.\n"

Tell = Callable[[str], None]


@dataclass(frozen=True)
class Plan:
    """What to measure: a model, or the shipped one; the same weights for transformers' pipeline.

    `seconds` is about how long all of it takes, whatever is measured.
    """

    texts: Sequence[str]
    model: str | None = None
    peer_model: str | None = None
    seconds: float = SECONDS
    workers: int | None = None

    def subjects(self) -> Iterator[Subject]:
        """At every speed that the model has, rules alone, then peers."""
        folder = model_folder(self.model)
        if folder is not None:
            for speed in read_model(folder).variants:
                yield Subject("incognote", "both", str(folder), speed)
        yield Subject("incognote", "rules")
        like = None if folder is None or self.peer_model is not None else str(folder)
        yield Subject("transformers", folder=self.peer_model, like=like)
        yield Subject("presidio")


def bench(plan: Plan, tell: Tell = lambda what: None) -> Bench:
    """Measure; a peer that cannot be measured is said so."""
    end = time.monotonic() + plan.seconds
    workers = plan.workers or cores()
    every = list(plan.subjects())
    skipped = {subject.title: reason for subject in every if (reason := why_not(subject))}
    subjects = [subject for subject in every if subject.title not in skipped]
    rows: list[Row] = []
    tell("matrix multiplication")
    most = peaks(1)
    with tempfile.TemporaryDirectory(prefix="incognote-bench-") as folder:
        notes = Path(folder) / "notes.json"
        notes.write_text(json.dumps(list(plan.texts)), encoding="utf-8")
        tell("the whole command")
        command = whole_command(Path(folder), plan.model)
        for left, subject in zip(range(len(subjects), 0, -1), subjects, strict=True):
            tell(subject.title)
            share = (end - time.monotonic()) / left
            least = min(LEAST, plan.seconds / len(every) / 3)
            try:
                parts = _parts(Task(subject, str(notes), 1), workers, share, least)
            except RunError as error:
                skipped[subject.title] = str(error)
                continue
            rows.append(row_of(subject, plan.texts, *parts, most))
    return Bench(most, workers, command, rows, skipped)


def _parts(
    task: Task, workers: int, share: float, least: float
) -> tuple[Measured, list[Measured], Measured]:
    """One process, all of them, and note by note, in so many seconds with what starting takes."""
    third, start = share / 3, time.monotonic()
    one = launched([task], start + third, least)[0]
    task = replace(task, way=one.way)
    all = launched([task] * workers, start + 2 * third, least) if workers > 1 else [one]
    alone = launched([replace(task, threads=cores(), each=True)], start + share, least)[0]
    return one, all, alone


def launched(tasks: Sequence[Task], until: float, least: float) -> list[Measured]:
    """Processes that work at the same time once all are ready, until then by the machine's
    monotonic clock, but for some seconds at least.
    """
    with ExitStack() as stack:
        running = [stack.enter_context(_process(task)) for task in tasks]
        ready = [process.stdout.readline() if process.stdout else "" for process in running]
        if any(said.strip() != READY for said in ready):
            raise RunError(f"{tasks[0].subject.title}: did not start")
        seconds = max(least, until - time.monotonic())
        for process in running:
            if process.stdin:
                process.stdin.write(f"{seconds}\n")
                process.stdin.flush()
        told = [process.stdout.readline() if process.stdout else "" for process in running]
    if not all(told):
        raise RunError(f"{tasks[0].subject.title}: failed while it was measured")
    return [_measured(text) for text in told]


def _process(task: Task) -> subprocess.Popen[str]:
    """Its own messages are dropped, because they may quote notes."""
    environment = {
        **os.environ,
        **dict.fromkeys(LIBRARIES, str(task.threads)),
        "TOKENIZERS_PARALLELISM": "false",
        "HF_HUB_OFFLINE": "1",
        LAUNCHED: repr(time.monotonic()),
    }
    return subprocess.Popen(
        [sys.executable, "-m", "incognote.workshop.bench.measure", task.told()],
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
