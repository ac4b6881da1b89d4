"""A detector finds spans in a note; this one does it by rules."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from incognote.detect.known import as_known, find_known
from incognote.detect.merge import merge
from incognote.detect.note_index import NoteIndex
from incognote.detect.plain import plain_texts
from incognote.detect.propagate import propagate
from incognote.detect.rules import FAMILIES
from incognote.detect.suspects import Suspect
from incognote.document import Document, Span


@dataclass(frozen=True)
class Detection:
    """Disjoint spans, sorted, and how many of the note's characters every detector was shown.

    `suspects` are words that thresholds may redact besides, where they were asked for. Whoever
    vetoes a span drops the suspects in it too.
    """

    spans: tuple[Span, ...]
    seen: int
    suspects: tuple[Suspect, ...] = ()


class Detector(Protocol):
    """Finds the identifiers of a note."""

    def detect(self, document: Document) -> Detection: ...


class RuleDetector:
    """Rules, known values and propagation. Each reads the whole note."""

    def detect(self, document: Document) -> Detection:
        """Merged findings of every rule family, of what is known, and their other mentions."""
        return self.read(NoteIndex(document.text), document)

    def read(self, note: NoteIndex, document: Document) -> Detection:
        """The same of a note that others read too."""
        text = note.text
        plain = plain_texts(text)
        if not plain:
            return self._read(note, document)
        found = (
            span
            for each in plain
            for span in each.in_note(text, self._read(NoteIndex(each.text), document).spans)
        )
        return Detection(tuple(merge(text, found)), len(text))

    def _read(self, note: NoteIndex, document: Document) -> Detection:
        text = note.text
        found = [span for family in FAMILIES for span in family.find(note)]
        known = find_known(note, document.known)
        spans = merge(text, [*as_known(text, found, known), *known])
        spans = merge(text, [*spans, *propagate(note, spans)])
        return Detection(tuple(spans), len(text))
