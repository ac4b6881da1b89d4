"""A problem of a corpus as it is shown: in one line, as an object, or with others of its kind."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from incognote.corpus.checks import LEVELS, Finding
from incognote.formats.streams import readable

EXAMPLES = 3
"""Problems of one kind that are shown where all are not asked for."""
_MOST_TYPES = 5
_NUMBER = re.compile("[0-9]+")
_REASONED = ("unreadable", "offsets")
"""Kinds whose message says which of many things is wrong."""


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
        parts = (
            readable(str(self.file)),
            self.place,
            where,
            f"{found.level}: {found.message}{text}",
        )
        return ": ".join(filter(None, parts))

    def to_json(self) -> dict[str, Any]:
        """As an object; fields that do not apply are left out."""
        found = self.finding
        fields = {
            "file": readable(str(self.file)),
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


@dataclass
class ProblemGroup:
    """Problems of one kind: the first of them, and what is known of the rest."""

    examples: list[Problem] = field(default_factory=list)
    count: int = 0
    files: set[Path] = field(default_factory=set)
    types: Counter[str] = field(default_factory=Counter)

    def add(self, problem: Problem) -> None:
        """Count one more, and keep it if it is among the first."""
        self.count += 1
        self.files.add(problem.file)
        if problem.finding.type is not None:
            self.types[problem.finding.type] += 1
        if len(self.examples) < EXAMPLES:
            self.examples.append(problem)

    def lines(self) -> Iterator[str]:
        """A line for each example, and one for all others."""
        yield from map(str, self.examples)
        if more := self.count - len(self.examples):
            found = self.examples[0].finding
            where = f" in {len(self.files):,} files" if len(self.files) > 1 else ""
            yield (
                f"… and {more:,} more of this kind ({found.level}, {found.kind}); "
                f"{self.count:,} in all{where}{self._types()}"
            )

    def _types(self) -> str:
        if not self.types:
            return ""
        named = [f"{type} {count:,}" for type, count in self.types.most_common(_MOST_TYPES)]
        others = len(self.types) - len(named)
        return f": {', '.join(named)}{f' and {others} other types' if others else ''}"


class ProblemGroups:
    """All problems by kind, in memory that does not grow with their number."""

    def __init__(self) -> None:
        self._groups: dict[tuple[int, str, str], ProblemGroup] = {}

    def add(self, problem: Problem) -> None:
        """Put a problem with its kind."""
        found = problem.finding
        reason = _NUMBER.sub("0", found.message) if found.kind in _REASONED else ""
        key = (LEVELS.index(found.level), found.kind, reason)
        self._groups.setdefault(key, ProblemGroup()).add(problem)

    def __iter__(self) -> Iterator[ProblemGroup]:
        """Errors first; within a level as they were met."""
        return (self._groups[key] for key in sorted(self._groups, key=lambda key: key[0]))

    @property
    def shortened(self) -> bool:
        """Whether some problems are counted only."""
        return any(group.count > len(group.examples) for group in self)
