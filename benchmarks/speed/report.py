"""What was measured, as Markdown and as JSON. Neither holds a word of a note."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from benchmarks.peers.measuring import Cost
from benchmarks.peers.peer import Peer
from benchmarks.peers.quality_figures import Quality
from benchmarks.speed.commands import Whole
from incognote.evaluate import Figure
from incognote.workshop.bench.operations import Peaks

PIPELINE, PLAIN = "transformers", "onnxruntime-int8"
WORDS_OF_A_NOTE = 600
AGREED_PEAK = 130.0
"""GFLOP/s of fp32 on all cores, to which notes per second are scaled."""


@dataclass(frozen=True)
class System:
    """One that took part: its best round and its quality, or why it has none."""

    peer: Peer
    cost: Cost | None = None
    quality: Quality | None = None
    unseen: Quality | None = None
    """On the notes that no model has learned from."""
    failed: str = ""


@dataclass(frozen=True)
class Commands:
    """Whole commands: on one note, with more workers, on more notes."""

    one_note: Mapping[str, Whole]
    workers: Mapping[int, Whole]
    growth: Sequence[Whole]


@dataclass(frozen=True)
class Report:
    """All of it; `clock` is what ratios are taken of, `words` are all notes', by white space."""

    machine: str
    notes: int
    words: int
    rounds: int
    threads: int
    clock: str
    peaks: Peaks
    cores: int
    systems: Sequence[System]
    commands: Commands

    def seconds(self, system: System) -> float | None:
        """By the clock that was chosen."""
        if system.cost is None:
            return None
        return system.cost.cpu_seconds if self.clock == "cpu" else system.cost.wall_seconds

    def times_as_fast(self, system: System, other: str) -> float | None:
        """Than another system."""
        rival = next((each for each in self.systems if each.peer.name == other), None)
        own = self.seconds(system)
        base = None if rival is None else self.seconds(rival)
        return None if own is None or base is None else base / own

    def long_notes_per_second(self, system: System) -> float | None:
        """Notes of 600 words on a machine of the peak that was agreed on, if what one core does for
        its own peak, all do for theirs.
        """
        own = self.seconds(system)
        if own is None:
            return None
        return self.words / own / WORDS_OF_A_NOTE / self.threads * AGREED_PEAK / self.peaks.fp32

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        plain = asdict(self)
        for system, told in zip(self.systems, plain["systems"], strict=True):
            told["times_as_fast_as_transformers"] = self.times_as_fast(system, PIPELINE)
            told["times_as_fast_as_onnxruntime_int8"] = self.times_as_fast(system, PLAIN)
            told["notes_of_600_words_per_second"] = self.long_notes_per_second(system)
        return plain


def markdown(report: Report) -> str:
    """Tables."""
    parts = [
        f"{report.notes:,} notes, {report.words:,} words by white space; {report.threads} thread(s), best of "
        f"{report.rounds} round(s) by {report.clock} time; {report.machine}; one core multiplies "
        f"{report.peaks.fp32:.0f} GFLOP/s in 32 bits and {report.peaks.int8:.0f} in 8.",
        _systems(report),
        _workers(report),
        _growth(report),
        _starts(report),
        "\n".join(
            f"- {each.peer.title}: {each.failed or each.peer.settings}" for each in report.systems
        ),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _systems(report: Report) -> str:
    head = (
        "| system | notes/s | words/s | x transformers | x plain int8 | 600-word notes/s at "
        f"{AGREED_PEAK:.0f} GFLOP/s | CPU s | MB | covered recall | over-redaction | type F1 | "
        "covered, unseen set | over-redaction there |"
    )
    rows = [head, "|---" * 13 + "|"]
    for system in report.systems:
        seconds = report.seconds(system)
        if seconds is None or system.cost is None:
            continue
        quality = system.quality
        f1 = quality.type_f1 or quality.category_f1 if quality else None
        cells = [
            system.peer.title,
            f"{report.notes / seconds:.1f}",
            f"{report.words / seconds:,.0f}",
            _number(report.times_as_fast(system, PIPELINE)),
            _number(report.times_as_fast(system, PLAIN)),
            _number(report.long_notes_per_second(system)),
            f"{system.cost.cpu_seconds:.1f}",
            f"{system.cost.peak_megabytes:.0f}",
            _share(quality.covered if quality else None),
            _share(quality.over_redaction if quality else None),
            _share(f1),
            _share(system.unseen.covered if system.unseen else None),
            _share(system.unseen.over_redaction if system.unseen else None),
        ]
        rows.append(f"| {' | '.join(cells)} |")
    return "\n".join(rows)


def _workers(report: Report) -> str:
    if not report.commands.workers:
        return ""
    one = report.commands.workers[min(report.commands.workers)]
    rows = ["| workers | s | notes/s | x one | MB of the largest |", "|---" * 5 + "|"]
    rows += [
        f"| {count} | {whole.wall_seconds:.1f} | {whole.notes / whole.wall_seconds:.1f} | "
        f"{one.wall_seconds / whole.wall_seconds:.2f} | {whole.peak_megabytes:.0f} |"
        for count, whole in report.commands.workers.items()
    ]
    return "\n".join(rows)


def _growth(report: Report) -> str:
    if not report.commands.growth:
        return ""
    first = report.commands.growth[0]
    rows = ["| notes | CPU ms/note | CPU µs/word | x first | MB | x first |", "|---" * 6 + "|"]
    rows += [
        f"| {whole.notes:,} | {whole.cpu_ms_per_note:.1f} | {whole.cpu_us_per_word:.1f} | "
        f"{whole.cpu_us_per_word / first.cpu_us_per_word:.2f} | {whole.peak_megabytes:.0f} | "
        f"{whole.peak_megabytes / first.peak_megabytes:.2f} |"
        for whole in report.commands.growth
    ]
    return "\n".join(rows)


def _starts(report: Report) -> str:
    rows = ["| from start to | s | CPU s |", "|---" * 3 + "|"]
    rows += [
        f"| {name}: one short note replaced, whole command | {whole.wall_seconds:.2f} | "
        f"{whole.cpu_seconds:.2f} |"
        for name, whole in report.commands.one_note.items()
    ]
    rows += [
        f"| {system.peer.title}: first of many notes found | {system.cost.start_up_seconds:.2f} | "
        f"{system.cost.start_up_cpu_seconds:.2f} |"
        for system in report.systems
        if system.cost is not None
    ]
    return "\n".join(rows)


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


def _share(figure: Figure | None) -> str:
    return "–" if figure is None or figure.value is None else f"{100 * figure.value:.2f} %"
