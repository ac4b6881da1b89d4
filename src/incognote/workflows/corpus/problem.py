"""A problem of a corpus as it is shown: in one line, or as an object."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from incognote.workflows.corpus.checks import Finding


@dataclass(frozen=True)
class Problem:
    """A finding, with its file and the place of its note in that file."""

    file: Path
    place: str
    finding: Finding
    line: int | None = None
    """The line in the note."""
    text: str | None = field(default=None, repr=False)
    """What the finding is about, only if it was asked for."""

    def __str__(self) -> str:
        found = self.finding
        span = "" if found.start is None else f"{found.start}-{found.end}"
        line = "" if self.line is None else f"(line {self.line} of the note)"
        where = " ".join(filter(None, (span, found.type, line)))
        text = "" if self.text is None else f" {self.text!r}"
        parts = (str(self.file), self.place, where, f"{found.level}: {found.message}{text}")
        return ": ".join(filter(None, parts))

    def to_json(self) -> dict[str, Any]:
        """As an object; fields that do not apply are left out."""
        found = self.finding
        fields = {
            "file": str(self.file),
            "place": self.place or None,
            "level": found.level,
            "kind": found.kind,
            "start": found.start,
            "end": found.end,
            "type": found.type,
            "line": self.line,
            "message": found.message,
            "text": self.text,
        }
        return {name: value for name, value in fields.items() if value is not None}
