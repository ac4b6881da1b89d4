"""All measurements of a machine, one after the other, in the figures that people compare."""

from __future__ import annotations

import json
import os
import platform
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from incognote import __version__
from incognote.align.tags import Labels
from incognote.align.words import words
from incognote.base.errors import RunError
from incognote.base.workers import LIBRARIES
from incognote.detect.model_member import MemberNetwork, open_reader
from incognote.detect.site import read_site
from incognote.formats import read
from incognote.onnx.model_folder import read_model
from incognote.onnx.sessions import cores, engine, kernel
from incognote.samples import sample_notes
from incognote.workshop.bench.measure import LAUNCHED, READY, Measurement, Task
from incognote.workshop.bench.operations import Peaks, measure_peaks, operations_of
from incognote.workshop.bench.subject import Subject, model_folder, why_not

WORDS = (40, 1200)
COUNT = 240
READ_ON_NOTES = 30
"""The share of tokens that do not exit early is counted in so many notes."""
SECONDS = 120.0
LEAST = 1.0
"""Seconds that a part is measured at least, though starting may have taken all its time."""

COMMANDS = 3
SHORT = "Seen by Dr. Okafor on 3/14/2019 for a follow-up. MRN 307-74-18.\n"

Tell = Callable[[str], None]


@dataclass(frozen=True)
class Rate:
    """How much is worked on in a second."""

    notes: float
    words: float
    megabytes: float


@dataclass(frozen=True)
class Row:
    """One subject: by one process of one thread, by all, and one note at a time by all cores.

    Memory that several workers share is counted in each. Shares are those of what one core
    multiplies at most; only our networks' work can be told.
    """

    title: str
    one_worker: Rate
    all_workers: Rate
    latency_p50_ms: float
    latency_p95_ms: float
    start_up_seconds: float
    one_worker_peak_megabytes: float
    all_workers_peak_megabytes: float
    cpu_ms_per_note: float
    share_of_fp32: float | None
    share_of_int8: float | None
    remark: str


@dataclass(frozen=True)
class Bench:
    """All figures of a machine, as `--json` prints them."""

    peaks: Peaks
    workers: int
    command_seconds: float
    rows: Sequence[Row]
    skipped: Mapping[str, str]

    def as_dict(self) -> dict[str, Any]:
        """The figures and what the machine is, ready for JSON."""
        machine = {
            "cores": cores(),
            "kernel": kernel(),
            "system": platform.system(),
            "python": platform.python_version(),
            "onnxruntime": engine(),
            "incognote": __version__,
        }
        return {"machine": machine, **asdict(self)}


@dataclass(frozen=True)
class Plan:
    """What to measure: a model, or the shipped one; with a site file or without; the same weights for
    transformers' pipeline.

    `seconds` is about how long all of it takes, whatever is measured.
    """

    texts: Sequence[str]
    model: str | None = None
    peer_model: str | None = None
    seconds: float = SECONDS
    workers: int | None = None
    site: str | None = None

    def subjects(self) -> Iterator[Subject]:
        """At every speed that the model has, rules alone, then peers."""
        folder = model_folder(self.model)
        if folder is not None:
            for speed in read_model(folder).variants:
                yield Subject("incognote", "both", str(folder), speed, site=self.site)
        yield Subject("incognote", "rules", site=self.site)
        like = None if folder is None or self.peer_model is not None else str(folder)
        yield Subject("transformers", folder=self.peer_model, like=like)
        yield Subject("presidio")


def bench(plan: Plan, tell: Tell = lambda what: None) -> Bench:
    """Measure every subject of a plan; of a peer that cannot be measured, say why."""
    end = time.monotonic() + plan.seconds
    workers = plan.workers or cores()
    every = list(plan.subjects())
    skipped = {subject.title: reason for subject in every if (reason := why_not(subject))}
    subjects = [subject for subject in every if subject.title not in skipped]
    rows: list[Row] = []
    tell("matrix multiplication")
    peaks = measure_peaks(1)
    with tempfile.TemporaryDirectory(prefix="incognote-bench-") as folder:
        notes = Path(folder) / "notes.json"
        notes.write_text(json.dumps(list(plan.texts)), encoding="utf-8")
        tell("the whole command")
        command = whole_command(Path(folder), plan.model, plan.site)
        for remaining, subject in zip(range(len(subjects), 0, -1), subjects, strict=True):
            tell(subject.title)
            share = (end - time.monotonic()) / remaining
            least = min(LEAST, plan.seconds / len(every) / 3)
            try:
                parts = _parts(Task(subject, str(notes), 1), workers, share, least)
            except RunError as error:
                skipped[subject.title] = str(error)
                continue
            rows.append(row_of(subject, plan.texts, *parts, peaks))
    return Bench(peaks, workers, command, rows, skipped)


def _parts(
    task: Task, workers: int, share: float, least: float
) -> tuple[Measurement, list[Measurement], Measurement]:
    """One process, all of them, and note by note, in so many seconds with what starting takes."""
    third, start = share / 3, time.monotonic()
    one = measure_together([task], start + third, least)[0]
    task = replace(task, way=one.way)
    all = measure_together([task] * workers, start + 2 * third, least) if workers > 1 else [one]
    alone = measure_together([replace(task, threads=cores(), each=True)], start + share, least)[0]
    return one, all, alone


def measure_together(tasks: Sequence[Task], until: float, least: float) -> list[Measurement]:
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
        results = [process.stdout.readline() if process.stdout else "" for process in running]
    if not all(results):
        raise RunError(f"{tasks[0].subject.title}: failed while it was measured")
    return [_measurement(text) for text in results]


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
        [sys.executable, "-m", "incognote.workshop.bench.measure", task.to_json()],
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )


def _measurement(text: str) -> Measurement:
    values = json.loads(text)
    return Measurement(
        **{**values, "latencies": tuple(values["latencies"]), "done": tuple(values["done"])}
    )


def whole_command(folder: Path, model: str | None, site: str | None = None) -> float:
    """Seconds of `incognote deid` on one short note, from the command to its end."""
    note = folder / "note.txt"
    note.write_text(SHORT, encoding="utf-8")
    command = [sys.executable, "-m", "incognote", "--no-config", "deid", str(note)]
    if model is not None:
        command += ["--model", model]
    if site is not None:
        without_key = (f"{type}=tag" for type in read_site(Path(site)).types.operators)
        command += ["--site", site, "--replace", ",".join(("tag", *without_key))]
    seconds = []
    for _ in range(COMMANDS):
        start = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True)
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds)


def row_of(
    subject: Subject,
    texts: Sequence[str],
    one: Measurement,
    all: Sequence[Measurement],
    alone: Measurement,
    peaks: Peaks,
) -> Row:
    """The figures of one subject, from what its processes measured."""
    p50, p95 = np.percentile(alone.latencies, [50, 95])
    work = operations_done(subject, texts, one.done)
    done = None if work is None else work / one.seconds / 1e9
    return Row(
        subject.title,
        _rate([one]),
        _rate(all),
        float(p50) * 1e3,
        float(p95) * 1e3,
        one.start_up_seconds,
        one.peak_megabytes,
        sum(each.peak_megabytes for each in all),
        one.cpu_seconds / one.notes * 1e3,
        None if done is None else done / peaks.fp32,
        None if done is None else done / peaks.int8,
        subject.remark(one.way),
    )


def _rate(measurements: Sequence[Measurement]) -> Rate:
    """Processes at the same time add up."""
    return Rate(
        sum(each.notes / each.seconds for each in measurements),
        sum(each.words / each.seconds for each in measurements),
        sum(each.bytes / each.seconds for each in measurements) / 1e6,
    )


def operations_done(subject: Subject, texts: Sequence[str], done: Sequence[int]) -> float | None:
    """What the networks of a model multiplied and added; None where none of ours took part."""
    if subject.name != "incognote" or subject.folder is None:
        return None
    folder = Path(subject.folder)
    model = read_model(folder)
    labels = Labels(model.labels)
    total = 0.0
    for name in model.variant(subject.speed).members:
        member = model.members[name]
        work = operations_of(folder / member.network)
        network = (
            MemberNetwork(folder, member, labels, files=model.files, threads=1)
            if work.exits_early
            else None
        )
        reader = open_reader(folder / member.tokenizer, member)
        worked_on = [(text, times) for text, times in zip(texts, done, strict=True) if times]
        sample = [text for text, _ in worked_on[:READ_ON_NOTES]]
        read_on = _read_on(network, sample, labels) if network else 1.0
        for text, times in worked_on:
            windows = reader.read_all([text])[0].windows
            lengths = windows.ends - windows.starts + len(reader.frame)
            total += times * work.of(lengths.tolist(), read_on)
    return total


def _read_on(network: MemberNetwork, texts: Sequence[str], labels: Labels) -> float:
    """The share of tokens that do not exit early: those that do have a score of O only."""
    reads_on = [
        np.delete(scored.scores, labels.outside, axis=1).any(axis=1)
        for scored in network.scores(texts)
    ]
    tokens = sum(each.size for each in reads_on)
    return sum(int(each.sum()) for each in reads_on) / tokens if tokens else 1.0


def made_notes(count: int = COUNT) -> list[str]:
    """Paragraphs of the demo's notes in ever new order: mostly short notes, some long, always these."""
    draws = random.Random(0)
    paragraphs = [
        paragraph
        for text in sample_notes().values()
        for paragraph in text.split("\n\n")
        if paragraph.strip()
    ]
    notes = []
    for _ in range(count):
        wanted = WORDS[0] * (WORDS[1] / WORDS[0]) ** draws.random()
        note: list[str] = []
        size = 0
        while size < wanted:
            note.append(draws.choice(paragraphs))
            size += len(words(note[-1]))
        notes.append("\n\n".join(note))
    return notes


def read_notes(paths: Sequence[Path], count: int = COUNT) -> list[str]:
    """Some of the user's notes, drawn from all, always the same."""
    texts = [note.text for path in paths for note in read(path) if note.text.strip()]
    if not texts:
        raise RunError("there are no notes here to measure with")
    random.Random(0).shuffle(texts)
    return texts[:count]
