"""Counts of a corpus by type and split, as the 2022 study describes its own.

A word is PHI if it shares a character with a span, as in training and in `score`'s study figures.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from incognote.align.tags import Labels, spans_to_tags
from incognote.align.tokens import TokenOffsets
from incognote.align.words import words
from incognote.corpus.source import Source, in_order
from incognote.document import Document
from incognote.formats import FormatError, detect, inputs
from incognote.formats.streams import plain_name
from incognote.phi import bio_labels

TOTAL = "total"
SUMMARY_ROWS = 8
"""Rows of the table before those of the types."""
_SPLIT_ORDER = ("train", "training", "validation", "valid", "val", "dev", "development", "test")
"""How a table orders the splits of a corpus, by the names of their folders or files."""


@dataclass
class Counts:
    """The counts of one column."""

    notes: int = 0
    words: int = 0
    characters: int = 0
    notes_without_spans: int = 0
    types: Counter[str] = field(default_factory=Counter)
    """Spans by type."""
    word_types: Counter[str] = field(default_factory=Counter)
    """PHI words by type."""

    def add(self, document: Document) -> None:
        """Count one note."""
        places = words(document.text)
        self.notes += 1
        self.words += len(places)
        self.characters += len(document.text)
        self.notes_without_spans += not document.spans
        self.types.update(span.type for span in document.spans)
        if document.spans:
            self.word_types.update(_phi_words(document, TokenOffsets.of(places)))

    def merge(self, other: Counts) -> None:
        """Add the counts of another column."""
        self.notes += other.notes
        self.words += other.words
        self.characters += other.characters
        self.notes_without_spans += other.notes_without_spans
        self.types.update(other.types)
        self.word_types.update(other.word_types)

    @property
    def spans(self) -> int:
        return self.types.total()

    @property
    def phi_words(self) -> int:
        return self.word_types.total()

    @property
    def phi_words_percent(self) -> float | None:
        """The share of PHI words among all words."""
        return 100 * self.phi_words / self.words if self.words else None

    def per_note(self, count: int) -> float | None:
        """A count as a mean over the notes."""
        return count / self.notes if self.notes else None

    def percent(self, type: str) -> float | None:
        """The share of a type among the spans."""
        return 100 * self.types[type] / self.spans if self.spans else None


def _phi_words(document: Document, offsets: TokenOffsets) -> dict[str, int]:
    """By type, how many words belong to a span of it; no word belongs to two."""
    labels = Labels(bio_labels(sorted({span.type for span in document.spans})))
    types = labels.type_of[spans_to_tags(document.spans, offsets, labels).tags]
    counts = np.bincount(types[types >= 0], minlength=len(labels.types))
    return dict(zip(labels.types, counts.tolist(), strict=True))


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
                "phi_words": counts.phi_words,
                "phi_words_percent": counts.phi_words_percent,
                "characters": counts.characters,
                "spans": counts.spans,
                "notes_without_spans": counts.notes_without_spans,
                "words_per_note": counts.per_note(counts.words),
                "phi_words_per_note": counts.per_note(counts.phi_words),
                "spans_per_note": counts.per_note(counts.spans),
                "types": {
                    type: {
                        "count": counts.types[type],
                        "percent": counts.percent(type),
                        "words": counts.word_types[type],
                    }
                    for type in self.types
                },
            }
            for name, counts in self.columns.items()
        }

    def rows(self) -> tuple[list[str], list[list[str]]]:
        """The header, and the rows as a table shows them: a count and a share for each column."""
        header = ["", *(part for name in self.columns for part in (name, f"{name} %"))]
        rows = [
            self._row("notes", lambda each: f"{each.notes:,}"),
            self._row("words", lambda each: f"{each.words:,}"),
            self._row(
                "PHI words",
                lambda each: f"{each.phi_words:,}",
                lambda each: _number(each.phi_words_percent),
            ),
            self._row("spans", lambda each: f"{each.spans:,}"),
            self._row("notes without spans", lambda each: f"{each.notes_without_spans:,}"),
            self._row("words per note", lambda each: _number(each.per_note(each.words))),
            self._row("PHI words per note", lambda each: _number(each.per_note(each.phi_words))),
            self._row("spans per note", lambda each: _number(each.per_note(each.spans))),
        ]
        return header, rows + [self._type_row(type) for type in self.types]

    def _type_row(self, type: str) -> list[str]:
        return self._row(
            type, lambda each: f"{each.types[type]:,}", lambda each: _number(each.percent(type))
        )

    def _row(
        self,
        name: str,
        value: Callable[[Counts], str],
        share: Callable[[Counts], str] = lambda each: "",
    ) -> list[str]:
        columns = self.columns.values()
        return [name, *(cell for each in columns for cell in (value(each), share(each)))]


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"


def statistics(columns: Mapping[str, Iterable[Document]]) -> Statistics:
    """Count the notes of each column."""
    all_counts: dict[str, Counts] = {}
    for name, documents in columns.items():
        counts = all_counts.setdefault(name, Counts())
        for document in documents:
            counts.add(document)
    if len(all_counts) > 1:
        total = Counts()
        for counts in all_counts.values():
            total.merge(counts)
        all_counts[TOTAL if TOTAL not in all_counts else "all columns"] = total
    return Statistics(all_counts)


def columns(sources: Sequence[Source]) -> dict[str, Source]:
    """The parts of a corpus that stand beside each other in a table, by the name of their column.

    Several arguments are a column each. A single folder is split into its folders if all its notes
    are in folders, or into its files if these are all tables; else it is one column.
    """
    parts = _parts(sources[0]) if len(sources) == 1 else list(sources)
    names = [Path(plain_name(part.path)).stem or str(part.path) for part in parts]
    if len(set(names)) < len(names):
        names = [str(part.path) for part in parts]
    return dict(zip(names, parts, strict=True))


def _parts(source: Source) -> list[Source]:
    if not source.path.is_dir():
        return [source]
    root = source.path
    files = list(inputs(root, source.format))
    while True:
        steps = {file.relative_to(root).parts[0] for file in files}
        if len(steps) != 1 or (root / min(steps)).is_file():
            break
        root /= min(steps)
    entries = sorted(root / step for step in steps)
    whole = all(entry.is_dir() for entry in entries) or all(_is_table(e, source) for e in entries)
    if len(entries) < 2 or not whole:
        return [source]
    entries.sort(key=lambda path: (_rank(path), path))
    return [Source(entry, source.format, source.fields) for entry in entries]


def _rank(path: Path) -> int:
    name = Path(plain_name(path)).stem.lower()
    return _SPLIT_ORDER.index(name) if name in _SPLIT_ORDER else len(_SPLIT_ORDER)


def _is_table(path: Path, source: Source) -> bool:
    try:
        return path.is_file() and detect(path, source.format).table
    except FormatError:
        return False
