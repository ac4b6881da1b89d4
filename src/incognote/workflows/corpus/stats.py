"""Counts of a corpus by type and split: table 3 of the 2022 study."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from incognote.align.words import words
from incognote.document import Document
from incognote.workflows.corpus.reading import in_order

TOTAL = "total"


@dataclass
class Counts:
    """What was counted in one column."""

    notes: int = 0
    words: int = 0
    characters: int = 0
    notes_without_spans: int = 0
    types: Counter[str] = field(default_factory=Counter)

    def add(self, document: Document) -> None:
        """Count one note."""
        self.notes += 1
        self.words += len(words(document.text))
        self.characters += len(document.text)
        self.notes_without_spans += not document.spans
        self.types.update(span.type for span in document.spans)

    @property
    def spans(self) -> int:
        return self.types.total()

    @property
    def spans_per_note(self) -> float | None:
        return self.spans / self.notes if self.notes else None

    def percent(self, type: str) -> float | None:
        """The share of a type among the spans."""
        return 100 * self.types[type] / self.spans if self.spans else None


@dataclass(frozen=True)
class Statistics:
    """All columns; with more than one, the last is their total."""

    columns: Mapping[str, Counts]

    @property
    def types(self) -> list[str]:
        return in_order({type for counts in self.columns.values() for type in counts.types})

    def to_json(self) -> dict[str, Any]:
        """Every figure, unrounded; null for a share of nothing."""
        return {
            name: {
                "notes": counts.notes,
                "words": counts.words,
                "characters": counts.characters,
                "spans": counts.spans,
                "notes_without_spans": counts.notes_without_spans,
                "spans_per_note": counts.spans_per_note,
                "types": {
                    type: {"count": counts.types[type], "percent": counts.percent(type)}
                    for type in self.types
                },
            }
            for name, counts in self.columns.items()
        }

    def rows(self) -> tuple[list[str], list[list[str]]]:
        """The header, and the rows as a table shows them: a count and a share for each column."""
        columns = list(self.columns.values())
        header = ["", *(part for name in self.columns for part in (name, f"{name} %"))]
        rows = [
            _row("notes", [f"{each.notes:,}" for each in columns]),
            _row("words", [f"{each.words:,}" for each in columns]),
            _row("spans", [f"{each.spans:,}" for each in columns]),
            _row("notes without spans", [f"{each.notes_without_spans:,}" for each in columns]),
            _row("spans per note", [_number(each.spans_per_note) for each in columns]),
        ]
        for type in self.types:
            cells = ((f"{each.types[type]:,}", _number(each.percent(type))) for each in columns)
            rows.append([type, *(cell for pair in cells for cell in pair)])
        return header, rows


def _row(name: str, values: list[str]) -> list[str]:
    return [name, *(cell for value in values for cell in (value, ""))]


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"


def statistics(columns: Mapping[str, Iterable[Document]]) -> Statistics:
    """Count the notes of each column."""
    counted: dict[str, Counts] = {}
    for name, documents in columns.items():
        counts = counted.setdefault(name, Counts())
        for document in documents:
            counts.add(document)
    if len(counted) > 1:
        total = Counts()
        for counts in counted.values():
            total.notes += counts.notes
            total.words += counts.words
            total.characters += counts.characters
            total.notes_without_spans += counts.notes_without_spans
            total.types.update(counts.types)
        counted[TOTAL if TOTAL not in counted else "all columns"] = total
    return Statistics(counted)
