"""What was measured, in the figures that people compare."""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from incognote import __version__
from incognote.align.tags import Labels
from incognote.detect.model.member import MemberNetwork, open_reader
from incognote.onnx.cores import cores
from incognote.onnx.kernel import engine, kernel
from incognote.onnx.model_folder import read_model
from incognote.workshop.bench.measure import Measured
from incognote.workshop.bench.operations import operations_of
from incognote.workshop.bench.peaks import Peaks
from incognote.workshop.bench.subject import Subject

READ_ON_NOTES = 30
"""Of so many notes the share of pieces is told that a network reads on."""


@dataclass(frozen=True)
class Rate:
    """How much in a second."""

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
    """All of it."""

    peaks: Peaks
    workers: int
    command_seconds: float
    rows: Sequence[Row]
    skipped: Mapping[str, str]

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        machine = {
            "cores": cores(),
            "kernel": kernel(),
            "system": platform.system(),
            "python": platform.python_version(),
            "onnxruntime": engine(),
            "incognote": __version__,
        }
        return {"machine": machine, **asdict(self)}


def row_of(
    subject: Subject,
    texts: Sequence[str],
    one: Measured,
    all: Sequence[Measured],
    alone: Measured,
    most: Peaks,
) -> Row:
    """From what the processes told."""
    p50, p95 = np.percentile(alone.latencies, [50, 95])
    work = operations(subject, texts, one.done)
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
        None if done is None else done / most.fp32,
        None if done is None else done / most.int8,
        subject.remark(one.way),
    )


def _rate(measured: Sequence[Measured]) -> Rate:
    """Processes at the same time add up."""
    return Rate(
        sum(each.notes / each.seconds for each in measured),
        sum(each.words / each.seconds for each in measured),
        sum(each.bytes / each.seconds for each in measured) / 1e6,
    )


def operations(subject: Subject, texts: Sequence[str], done: Sequence[int]) -> float | None:
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
            if work.settles
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
    """The share of pieces that are not settled: those are given a score of being outside only."""
    given = [
        np.delete(scored.scores, labels.outside, axis=1).any(axis=1)
        for scored in network.scores(texts)
    ]
    pieces = sum(each.size for each in given)
    return sum(int(each.sum()) for each in given) / pieces if pieces else 1.0
