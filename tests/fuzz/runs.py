"""Runs that are killed, starved of disk, started twice or find a damaged state: nothing is lost or mixed.

Each trial ends with a run that must write what an undisturbed one writes, byte for byte, or be
refused in one sentence; exit status 0 with other bytes is a fault.
"""

from __future__ import annotations

import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from fuzz.faults import FaultError, Findings
from fuzz.notes import seeds

TRIALS = ("kill", "kill", "kill", "disk", "twice", "state")
LONGEST_SECONDS = 120
NOTES = 60


@dataclass(frozen=True)
class Setup:
    """One kind of run: its input, its options, what it writes undisturbed and how long it takes."""

    name: str
    source: Path
    output: str
    options: tuple[str, ...]
    expected: dict[str, bytes]
    seconds: float

    def command(self, folder: Path, *more: str) -> list[str]:
        """The command line."""
        words = [*self.options, *more]
        if "--vault" in words:
            words[words.index("--vault") + 1] = str(folder / "notes.vault")
        program = [sys.executable, "-m", "incognote", "deid", str(self.source)]
        return [*program, "-o", str(folder / self.output), *words]


def setups(folder: Path) -> list[Setup]:
    """Formats, numbers of workers and a vault, each run once undisturbed."""
    inputs = folder / "inputs"
    inputs.mkdir(parents=True)
    texts = [note[:2000] for note in seeds()[:NOTES]]
    notes = inputs / "notes"
    for number, text in enumerate(texts):
        place = notes / f"p{number % 7}" / f"{number}.txt"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
    rows = [{"id": str(n), "patient": str(n % 7), "text": text} for n, text in enumerate(texts)]
    lines = inputs / "notes.jsonl"
    lines.write_text("".join(json.dumps(row) + "\n" for row in rows))
    table = inputs / "notes.csv"
    quoted = (f'{row["id"]},"{row["text"].replace(chr(34), chr(34) * 2)}"' for row in rows)
    table.write_text("\n".join(["id,text", *quoted]) + "\n")
    key, secret = inputs / "key", inputs / "vault.key"
    for path in (key, secret):
        path.write_bytes(b"a key for fuzzing, not a secret!")
        path.chmod(0o600)
    rules = ("--detector", "rules")
    surrogates = ("--replace", "surrogate", "--key-file", str(key))
    vault = ("--vault", "", "--vault-key-file", str(secret))
    kinds: list[tuple[str, Path, str, tuple[str, ...]]] = [
        ("folder", notes, "clean", (*rules, "-j", "1")),
        ("folder, two workers", notes, "clean", (*rules, "-j", "2")),
        (
            "folder, surrogates",
            notes,
            "clean",
            (*rules, *surrogates, "--patient-folder", "-j", "1"),
        ),
        ("jsonl", lines, "clean.jsonl", (*rules, "-j", "1")),
        ("jsonl, two workers", lines, "clean.jsonl.gz", (*rules, "-j", "2")),
        ("csv", table, "clean.csv", (*rules, "-j", "1")),
        ("csv, vault", table, "clean.csv", (*rules, *vault, "-j", "1")),
        ("folder, vault", notes, "clean", (*rules, *vault, "-j", "2")),
    ]
    made: list[Setup] = []
    for name, source, output, options in kinds:
        place = folder / "expected" / str(len(made))
        place.mkdir(parents=True)
        setup = Setup(name, source, output, options, {}, 0.0)
        began = time.monotonic()
        _finish(setup, place)
        made.append(Setup(name, source, output, options, written(place), time.monotonic() - began))
    return made


def written(folder: Path) -> dict[str, bytes]:
    """The notes that were written, and the list of names."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
        and not path.name.endswith((".audit.json", ".vault", ".lock"))
        and not path.name.startswith("notes.vault")
    }


def fuzz_runs(
    count: int,
    seed: int,
    folder: Path,
    findings: Findings,
    advance: Callable[[], object] = lambda: None,
) -> None:
    """Disturb so many runs."""
    rng = random.Random(seed)
    kinds = setups(folder)
    for number in range(count):
        setup, trial = rng.choice(kinds), rng.choice(TRIALS)
        place = folder / "trial"
        place.mkdir()
        try:
            TRIAL[trial](setup, place, rng, findings)
        except Exception as error:
            findings.add(f"run {number} of seed {seed}, {trial}, {setup.name}", error, b"")
        findings.counts[f"runs: {trial}"] += 1
        shutil.rmtree(place)
        advance()


def _killed(setup: Setup, place: Path, rng: random.Random, findings: Findings) -> None:
    """Killed at random moments, up to three times, then continued."""
    for turn in range(rng.randrange(1, 4)):
        with subprocess.Popen(
            setup.command(place, *(["--resume"] if turn else [])),
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        ) as process:
            _wait(process, rng.uniform(0.1, 1.05) * setup.seconds)
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                findings.counts["kills"] += 1
    _expect(setup, place)


def _starved(setup: Setup, place: Path, rng: random.Random, findings: Findings) -> None:
    """No file may grow beyond a few bytes, as on a full disk; then there is room again."""
    most = int(10 ** rng.uniform(0, 5))
    limit = partial(resource.setrlimit, resource.RLIMIT_FSIZE, (most, most))
    ran = _run(
        setup.command(place),
        preexec=lambda: (signal.signal(signal.SIGXFSZ, signal.SIG_IGN), limit()),
    )
    if ran.returncode == 0 and written(place) != setup.expected:
        raise FaultError("status 0 on a full disk, with other bytes")
    _one_sentence(ran)
    findings.counts["full disks"] += 1
    _expect(setup, place)


def _twice(setup: Setup, place: Path, rng: random.Random, findings: Findings) -> None:
    """A second run begins while the first is at work: it is refused, the first is not disturbed."""
    with subprocess.Popen(setup.command(place), stderr=subprocess.DEVNULL) as first:
        time.sleep(rng.uniform(0, 0.8) * setup.seconds)
        ran = _run(setup.command(place, rng.choice(["--resume", "--overwrite"])))
        _one_sentence(ran)
        first.wait(LONGEST_SECONDS)
    findings.counts["concurrent runs"] += 1
    if 0 not in (first.returncode, ran.returncode):
        _expect(setup, place)
    elif written(place) != setup.expected:
        raise FaultError("two runs at once, with other bytes")


def _damaged(setup: Setup, place: Path, rng: random.Random, findings: Findings) -> None:
    """The state that a killed run left is damaged: it is refused, or made good."""
    with subprocess.Popen(
        setup.command(place), stderr=subprocess.DEVNULL, start_new_session=True
    ) as process:
        _wait(process, rng.uniform(0.4, 0.95) * setup.seconds)
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
    states = [
        path
        for path in place.rglob("*")
        if path.is_file() and ("incognote-run" in str(path) or path.name.endswith(".names.csv"))
    ]
    if states:
        path = rng.choice(sorted(states))
        content = bytearray(path.read_bytes())
        match rng.randrange(3):
            case 0:
                content = content[: rng.randrange(len(content) + 1)]
            case 1 if content:
                content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
            case _:
                content += rng.randbytes(rng.randrange(40)) + b"\n"
        path.write_bytes(content)
    findings.counts["damaged states"] += 1
    ran = _run(setup.command(place, "--resume"))
    _one_sentence(ran)
    outside = [
        path
        for path in place.iterdir()
        if not path.name.lstrip(".").startswith(("clean", "notes.vault"))
    ]
    if outside:
        raise FaultError("something was written beside the output")


TRIAL: dict[str, Callable[[Setup, Path, random.Random, Findings], None]] = {
    "kill": _killed,
    "disk": _starved,
    "twice": _twice,
    "state": _damaged,
}


def _wait(process: subprocess.Popen[bytes], seconds: float) -> None:
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        return


def _run(
    command: Sequence[str], preexec: Callable[[], object] | None = None
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=False,
        timeout=LONGEST_SECONDS,
        preexec_fn=preexec,
    )


def _finish(setup: Setup, place: Path, *more: str) -> None:
    ran = _run(setup.command(place, *more))
    if ran.returncode != 0:
        raise FaultError(f"status {ran.returncode}: {ran.stderr[-300:]}")


def _expect(setup: Setup, place: Path) -> None:
    """Continued to its end, the run has written what an undisturbed one writes."""
    if written(place) == setup.expected and not _unfinished(place):
        return  # it had ended before it could be disturbed
    _finish(setup, place, "--resume")
    if written(place) != setup.expected:
        names = sorted(set(written(place)) ^ set(setup.expected))
        raise FaultError(f"other bytes after --resume; files of one side only: {len(names)}")


def _unfinished(place: Path) -> bool:
    return any("incognote-run" in str(path) for path in place.rglob("*"))


def _one_sentence(ran: subprocess.CompletedProcess[str]) -> None:
    if "Traceback" in ran.stderr:
        raise FaultError("a traceback")
