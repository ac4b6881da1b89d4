"""What one annotated note says of every threshold at once, in numbers without any text."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from incognote.align.units import Flags
from incognote.detect.detector import Detection, Detector, detect_many
from incognote.detect.suspects import Suspect
from incognote.detect.thresholds import Thresholds, unmarked
from incognote.document import Document, Span
from incognote.evaluate.guarantee import Losses


@dataclass(frozen=True, slots=True)
class Identifier:
    """A gold span: the largest overall threshold that covers it, and the largest of its own type.

    Infinite: it is covered at the default operating point; 0: no threshold covers it.
    """

    type: str
    covered_at: float
    covered_by_type_at: float


@dataclass(frozen=True, slots=True)
class SeenWord:
    """A suspect: its characters outside gold, the gold types in it, whether nothing marked it."""

    suspect: Suspect
    outside: int
    gold: frozenset[str]
    unmarked: bool


@dataclass(frozen=True, slots=True)
class Evidence:
    """A note: its identifiers, its characters outside gold, those hidden anyway, its suspects."""

    identifiers: tuple[Identifier, ...]
    outside: int
    hidden: int
    words: tuple[SeenWord, ...]

    def hidden_at(self, thresholds: Thresholds) -> int:
        """The characters outside gold that are redacted at these thresholds."""
        return self.hidden + sum(
            word.outside for word in self.words if word.unmarked and thresholds.reach(word.suspect)
        )


def evidence(documents: Iterable[Document], detector: Detector) -> Iterator[Evidence]:
    """From annotated notes. Their marks are not shown to the detector."""
    documents = list(documents)
    bare = [document.with_spans(()) for document in documents]
    return map(evidence_of, documents, detect_many(detector, bare))


def evidence_of(document: Document, found: Detection) -> Evidence:
    """From an annotated note and what was found in it."""
    text = document.text
    marked = _under(found.spans, len(text))
    counts = ~marked & _flags(text, str.isalnum)
    left = unmarked(found)
    overall = _levels(marked, ((word, word.score) for word in left))
    gold: dict[str, Flags] = {}
    identifiers: list[Identifier] = []
    for type in sorted({span.type for span in document.spans}):
        spans = [span for span in document.spans if span.type == type]
        gold[type] = _under(spans, len(text))
        own = _levels(marked, ((word, dict(word.types).get(type, 0.0)) for word in left))
        for place in sorted({(span.start, span.end) for span in spans}):
            levels = (_lowest(each, counts, *place) for each in (overall, own))
            identifiers.append(Identifier(type, *levels))
    outside = ~_flags(text, str.isspace)
    for flags in gold.values():
        outside &= ~flags
    return Evidence(
        tuple(identifiers),
        int(outside.sum()),
        int((outside & marked).sum()),
        _seen(found.suspects, frozenset(left), gold, outside & ~marked),
    )


def _flags(text: str, test: Callable[[str], bool]) -> Flags:
    return np.fromiter(map(test, text), bool, len(text))


def _under(spans: Iterable[Span], length: int) -> Flags:
    flags = np.zeros(length, bool)
    for span in spans:
        flags[span.start : span.end] = True
    return flags


def _levels(marked: Flags, words: Iterable[tuple[Suspect, float]]) -> Losses:
    """For each character the largest threshold at which it is redacted."""
    levels = np.where(marked, math.inf, 0.0)
    for word, level in words:
        part = levels[word.start : word.end]
        np.maximum(part, level, out=part)
    return levels


def _lowest(levels: Losses, counts: Flags, start: int, end: int) -> float:
    """A span is covered when its last letter or digit is."""
    showing = levels[start:end][counts[start:end]]
    return float(showing.min()) if len(showing) else math.inf


def _seen(
    suspects: Iterable[Suspect],
    left: frozenset[Suspect],
    gold: dict[str, Flags],
    outside: Flags,
) -> tuple[SeenWord, ...]:
    seen = []
    for suspect in suspects:
        place = slice(suspect.start, suspect.end)
        types = frozenset(type for type, flags in gold.items() if flags[place].any())
        seen.append(SeenWord(suspect, int(outside[place].sum()), types, suspect in left))
    return tuple(seen)
