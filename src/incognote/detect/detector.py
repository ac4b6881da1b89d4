"""A detector finds spans in a note; the default one joins all that there are."""

from __future__ import annotations

from functools import cache
from typing import Protocol

from incognote.detect.known import find_known
from incognote.detect.merge import merge
from incognote.detect.propagate import propagate
from incognote.detect.rules import FAMILIES
from incognote.document import Document, Span


class Detector(Protocol):
    """Finds the identifiers of a note: disjoint spans, sorted."""

    def detect(self, document: Document) -> list[Span]: ...


class RuleDetector:
    """Rules, known values and propagation. Each reads the whole note."""

    def detect(self, document: Document) -> list[Span]:
        """Merged findings of every rule family, of what is known, and their other mentions."""
        text = document.text
        found = [span for family in FAMILIES for span in family.find(text)]
        found += find_known(document)
        spans = merge(text, found)
        return merge(text, [*spans, *propagate(text, spans)])


@cache
def default_detector() -> Detector:
    """The detector that runs when none is named."""
    return RuleDetector()
