"""Whole commands: what `incognote deid`, or a peer on one note, costs from its start to its end."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.peers.environments import ROOT
from benchmarks.peers.peer import Peer
from incognote import Document

SHORT = "Seen by Dr. Okafor on 3/14/2019 for a follow-up. MRN 307-74-18.\n"
DEID = (sys.executable, "-m", "incognote", "deid")


@dataclass(frozen=True)
class Whole:
    """What a command cost: with its processes, the memory is that of the largest."""

    notes: int
    words: int
    wall_seconds: float
    cpu_seconds: float
    peak_megabytes: float

    @property
    def cpu_ms_per_note(self) -> float:
        """In which growth would show."""
        return self.cpu_seconds / self.notes * 1e3

    @property
    def cpu_us_per_word(self) -> float:
        """The same, whatever the notes' length."""
        return self.cpu_seconds / self.words * 1e6


def deid(
    notes: Sequence[Document],
    count: int,
    folder: Path,
    options: Sequence[str],
    environment: Mapping[str, str],
    cores: int,
) -> Whole:
    """De-identify a table of so many notes, those given from the first again after the last."""
    source = folder / f"notes-{count}.jsonl"
    size = 0
    with source.open("w", encoding="utf-8") as stream:
        for number in range(count):
            text = notes[number % len(notes)].text
            size += len(text.split())
            stream.write(json.dumps({"id": f"{number}", "text": text}) + "\n")
    target = folder / "clean.jsonl"
    arguments = [str(source), "-o", str(target), "--overwrite", *options]
    whole = _run([*DEID, *arguments], count, size, environment, cores)
    written = sum(1 for _ in target.open(encoding="utf-8"))
    if written != count:
        raise RuntimeError(f"{written} of {count} notes were written")
    source.unlink()
    return whole


def deid_one(folder: Path, options: Sequence[str], environment: Mapping[str, str]) -> Whole:
    """One short note, to standard output."""
    return _one([*DEID, str(_note(folder)), *options], environment)


def peer_one(peer: Peer, python: Path, folder: Path, environment: Mapping[str, str]) -> Whole:
    """The same by a peer, with tags in place of what it finds."""
    command = [str(python), "-m", "benchmarks.peers.one_note", peer.module, peer.variant]
    return _one([*command, str(_note(folder))], environment)


def _note(folder: Path) -> Path:
    note = folder / "note.txt"
    note.write_text(SHORT, encoding="utf-8")
    return note


def _one(command: Sequence[str], environment: Mapping[str, str]) -> Whole:
    return _run(command, 1, len(SHORT.split()), environment, 1)


def _run(
    command: Sequence[str], notes: int, words: int, environment: Mapping[str, str], cores: int
) -> Whole:
    launcher = [sys.executable, str(Path(__file__).with_name("launched.py")), str(cores)]
    ended = subprocess.run(
        [*launcher, *command], cwd=ROOT, env=dict(environment), capture_output=True, check=True
    )
    told = json.loads(ended.stdout)
    if status := told.pop("status"):
        raise RuntimeError(f"a command ended with status {status}")
    return Whole(notes, words, **told)
