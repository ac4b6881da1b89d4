"""The audit of a run: what was done, in counts. It names no file and quotes no note."""

from __future__ import annotations

import hashlib
import json
import platform
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from incognote import __version__
from incognote.document import Document
from incognote.onnx.sessions import engine, kernel
from incognote.runs.inputs import Input
from incognote.runs.settings import Settings
from incognote.runs.tally import Failure, Tally

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
        written = bool(tally.notes) or not tally.failed
        self.files_written += written
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
        """The run is over."""
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
            "settings": {**self.settings.describe(), **self.settings.division.described()},
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
    found: dict[str, dict[str, int]] = {}
    for (type, remark), count in sorted(tally.remarks.items()):
        found.setdefault(remark, {})[type] = count
    return found


def of_nothing(path: Path) -> bool:
    """Whether this is the audit of a run that wrote no note, which nobody will miss."""
    if not path.is_file():  # a device may have no end
        return False
    try:
        report = json.loads(path.read_bytes())
        return bool(report["schema"] == SCHEMA and report["notes"]["written"] == 0)
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return False
