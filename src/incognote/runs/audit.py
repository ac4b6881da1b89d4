"""What a run counts, and the audit that is made of these counts. It names no file and quotes no note."""

from __future__ import annotations

import hashlib
import json
import platform
import time
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from incognote import __version__
from incognote.document import Document
from incognote.onnx.sessions import engine, kernel
from incognote.runs.inputs import Input
from incognote.runs.settings import Settings
from incognote.runs.settings_record import describe


@dataclass(frozen=True)
class Failure:
    """A note that was not written: which input, where in it, and why. No name, no text."""

    input: int
    place: str
    reason: str


@dataclass
class Tally:
    """Counts over notes. `findings` counts spans by (detector, type), `remarks` by (type, remark).

    `values` are those of columns that were replaced, which are no notes.
    """

    notes: int = 0
    values: int = 0
    failed: int = 0
    characters: int = 0
    seen: int = 0
    replaced: int = 0
    notes_with_findings: int = 0
    notes_with_patient: int = 0
    findings: Counter[tuple[str, str]] = field(default_factory=Counter)
    remarks: Counter[tuple[str, str]] = field(default_factory=Counter)
    failures: list[tuple[str, str]] = field(default_factory=list)

    @property
    def written(self) -> int:
        """Notes and values."""
        return self.notes + self.values

    def add_note(
        self,
        original: Document,
        output: Document,
        seen: int,
        remarks: Mapping[tuple[str, str], int],
    ) -> None:
        """Count a note, or the value of a column, that was written.

        `seen` characters of a note were shown to the detectors.
        """
        self.remarks.update(remarks)
        self.findings.update((span.source, span.type) for span in output.spans)
        if original.value_type is not None:
            self.values += 1
            return
        self.notes += 1
        self.characters += len(original.text)
        self.seen += seen
        self.notes_with_findings += bool(output.spans)
        self.notes_with_patient += bool(original.patient)
        outside = len(output.text) - sum(len(span) for span in output.spans)
        self.replaced += len(original.text) - outside

    def add_failure(self, place: str, reason: str, notes: int = 1) -> None:
        """Count notes that were not written."""
        self.failed += notes
        self.failures.append((place, reason))

    def add(self, other: Tally) -> None:
        """Add the counts (not the failures, which belong to their file) of another tally."""
        self.notes += other.notes
        self.values += other.values
        self.failed += other.failed
        self.characters += other.characters
        self.seen += other.seen
        self.replaced += other.replaced
        self.notes_with_findings += other.notes_with_findings
        self.notes_with_patient += other.notes_with_patient
        self.remarks.update(other.remarks)
        self.findings.update(other.findings)

    def by_type(self) -> Counter[str]:
        """Spans of each type."""
        sums: Counter[str] = Counter()
        for (_, type), count in self.findings.items():
            sums[type] += count
        return sums

    def to_json(self) -> dict[str, Any]:
        """Every count, as a line of the journal has them."""
        return {
            **{
                name: getattr(self, name)
                for name in (
                    "notes",
                    "values",
                    "failed",
                    "characters",
                    "seen",
                    "replaced",
                    "notes_with_findings",
                    "notes_with_patient",
                    "failures",
                )
            },
            "findings": [[*pair, count] for pair, count in sorted(self.findings.items())],
            "remarks": [[*pair, count] for pair, count in sorted(self.remarks.items())],
        }

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Tally:
        """What `to_json` wrote."""
        findings = Counter({(source, type): n for source, type, n in data["findings"]})
        remarks = Counter({(type, remark): n for type, remark, n in data["remarks"]})
        failures = [(place, reason) for place, reason in data["failures"]]
        return cls(**{**data, "findings": findings, "remarks": remarks, "failures": failures})


SCHEMA = 1


class Audit:
    """Sums over the files of a run."""

    def __init__(self, settings: Settings, files: int) -> None:
        self.settings = settings
        self.files = files
        self.files_written = 0
        self.files_resumed = 0
        self.tally = Tally()
        self.failures: list[Failure] = []
        self._patients: set[bytes] = set()
        self._started = time.time()
        self._clock = time.monotonic()
        self.seconds = 0.0

    def add_file(self, input: Input, tally: Tally, *, resumed: bool = False) -> None:
        """Count a file that was written or has failed."""
        self.tally.add(tally)
        self.failures += [Failure(input.index, *failure) for failure in tally.failures]
        is_written = bool(tally.written) or not tally.failed
        self.files_written += is_written
        self.files_resumed += resumed

    def add_patients(self, notes: Iterable[Document]) -> None:
        """Count whose notes were written, each patient once."""
        for note in notes:
            if note.patient:
                name = note.patient.encode("utf-8", "surrogatepass")
                self._patients.add(hashlib.blake2b(name, digest_size=12).digest())

    @property
    def patients(self) -> int | None:
        """How many patients were seen; None where files were done by an earlier run, unseen now."""
        return None if self.files_resumed else len(self._patients)

    def stop(self) -> None:
        """Stop the clock: the run is over."""
        self.seconds = time.monotonic() - self._clock

    def to_json(self) -> dict[str, Any]:
        """What `--audit` writes."""
        tally = self.tally
        by_detector: dict[str, dict[str, int]] = {}
        for (source, type), count in sorted(tally.findings.items()):
            by_detector.setdefault(source, {})[type] = count
        return {
            "schema": SCHEMA,
            "incognote": __version__,
            "started": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(self._started)),
            "duration_seconds": round(self.seconds, 3),
            "settings": {**describe(self.settings), **self.settings.division.to_json()},
            "machine": {
                "kernel": kernel(),
                "onnxruntime": engine(),
                "python": platform.python_version(),
            },
            "files": {
                "read": self.files,
                "written": self.files_written,
                "done_before": self.files_resumed,
            },
            "notes": {
                "written": tally.notes,
                "failed": tally.failed,
                "with_findings": tally.notes_with_findings,
                "with_patient_told": tally.notes_with_patient,
            },
            "columns": {"values": tally.values},
            "patients": self.patients,
            "characters": {
                "read": tally.characters,
                "seen_by_every_detector": tally.seen,
                "coverage": tally.seen / tally.characters if tally.characters else None,
                "replaced": tally.replaced,
            },
            "findings": {
                "total": sum(tally.findings.values()),
                "by_type": dict(sorted(tally.by_type().items())),
                "by_detector": by_detector,
            },
            "replacements": _replacements(tally),
            "failures": [vars(failure) for failure in self.failures],
        }


def _replacements(tally: Tally) -> dict[str, dict[str, int]]:
    """What surrogates had to say: how many of each type were tagged, coincide, were kept or capped."""
    counts: dict[str, dict[str, int]] = {}
    for (type, remark), count in sorted(tally.remarks.items()):
        counts.setdefault(remark, {})[type] = count
    return counts


def counts_nothing(path: Path) -> bool:
    """Whether a file is the audit of a run that wrote no note, which nobody will miss."""
    if not path.is_file():  # a device may have no end
        return False
    try:
        report = json.loads(path.read_bytes())
        written = report["notes"]["written"] + report.get("columns", {}).get("values", 0)
        return bool(report["schema"] == SCHEMA and written == 0)
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return False
