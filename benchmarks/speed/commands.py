"""Whole commands: what `incognote deid` costs from its start to its end."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from incognote import Document

SHORT = "Seen by Dr. Okafor on 3/14/2019 for a follow-up. MRN 307-74-18.\n"


@dataclass(frozen=True)
class Whole:
    """What a command cost: with its processes, the memory is that of the largest."""

    notes: int
    wall_seconds: float
    cpu_seconds: float
    peak_megabytes: float

    @property
    def cpu_ms_per_note(self) -> float:
        """In which growth would show."""
        return self.cpu_seconds / self.notes * 1e3


def deid(
    notes: Sequence[Document],
    count: int,
    folder: Path,
    options: Sequence[str],
    environment: Mapping[str, str],
) -> Whole:
    """De-identify a table of so many notes, those given from the first again after the last."""
    source = folder / f"notes-{count}.jsonl"
    with source.open("w", encoding="utf-8") as stream:
        for number in range(count):
            text = notes[number % len(notes)].text
            stream.write(json.dumps({"id": f"{number}", "text": text}) + "\n")
    target = folder / "clean.jsonl"
    whole = _run([str(source), "-o", str(target), "--overwrite", *options], count, environment)
    written = sum(1 for _ in target.open(encoding="utf-8"))
    if written != count:
        raise RuntimeError(f"{written} of {count} notes were written")
    source.unlink()
    return whole


def deid_one(folder: Path, options: Sequence[str], environment: Mapping[str, str]) -> Whole:
    """One short note, to standard output."""
    note = folder / "note.txt"
    note.write_text(SHORT, encoding="utf-8")
    return _run([str(note), *options], 1, environment)


def _run(arguments: Sequence[str], notes: int, environment: Mapping[str, str]) -> Whole:
    start = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-m", "incognote", "deid", *arguments],
        env=dict(environment),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    _, status, used = os.wait4(process.pid, 0)
    wall = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"incognote deid ended with status {process.returncode}")
    peak = used.ru_maxrss / (1e6 if sys.platform == "darwin" else 1e6 / 1024)
    return Whole(notes, wall, used.ru_utime + used.ru_stime, peak)
