"""What a run counts, file by file; the audit and the summary are made of these sums."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from incognote.document import Document


@dataclass(frozen=True)
class Failure:
    """A note that was not written: which input, where in it, and why. No name, no text."""

    input: int
    place: str
    reason: str


@dataclass
class Tally:
    """Counts over notes. `findings` counts spans by (detector, type), `remarks` by (type, remark)."""

    notes: int = 0
    failed: int = 0
    characters: int = 0
    seen: int = 0
    replaced: int = 0
    notes_with_findings: int = 0
    notes_with_patient: int = 0
    findings: Counter[tuple[str, str]] = field(default_factory=Counter)
    remarks: Counter[tuple[str, str]] = field(default_factory=Counter)
    failures: list[tuple[str, str]] = field(default_factory=list)

    def add_note(
        self,
        original: Document,
        output: Document,
        seen: int,
        remarks: Mapping[tuple[str, str], int],
    ) -> None:
        """Count a note that was written. `seen` characters of it were shown to the detectors."""
        self.notes += 1
        self.characters += len(original.text)
        self.seen += seen
        self.notes_with_findings += bool(output.spans)
        self.notes_with_patient += bool(original.patient)
        self.remarks.update(remarks)
        outside = len(output.text) - sum(len(span) for span in output.spans)
        self.replaced += len(original.text) - outside
        self.findings.update((span.source, span.type) for span in output.spans)

    def add_failure(self, place: str, reason: str, notes: int = 1) -> None:
        """Count notes that were not written."""
        self.failed += notes
        self.failures.append((place, reason))

    def add(self, other: Tally) -> None:
        """Add the counts (not the failures, which belong to their file) of another tally."""
        self.notes += other.notes
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
        """All of it, for the journal."""
        return {
            **{
                name: getattr(self, name)
                for name in (
                    "notes",
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
