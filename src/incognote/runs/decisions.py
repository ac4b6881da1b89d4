"""What people decided of notes that they read, which holds in every later run.

A note is known again by a keyed fingerprint of its text, so that decisions hold no words, and notes
that were not read are as they would be without them.
"""

from __future__ import annotations

import hmac
import json
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from hashlib import sha256

from incognote.detect.detector import (
    Detection,
    Detector,
    ManyDetector,
    gains_by_company,
)
from incognote.detect.merge import merge
from incognote.document import Document, Span

SOURCE = "review"
"""The source of a span that a person confirmed or made."""

Place = tuple[int, int]


def fingerprint(text: str, key: bytes) -> str:
    """What a text is called where it may not stand."""
    return hmac.new(key, text.encode("utf-8", "surrogatepass"), sha256).hexdigest()


@dataclass(frozen=True)
class NoteDecision:
    """The identifiers of a note as people left them, and the places that they said are none.

    Of a mark that was made smaller or larger, the place that it had is one of those.
    """

    identifiers: tuple[tuple[int, int, str], ...]
    rejected: tuple[Place, ...] = ()

    def applied(self, document: Document, detection: Detection) -> Detection:
        """What was found in the note, without what was rejected, and with what people marked."""
        text = document.text
        decided = [
            Span.of(text, start, end, type, source=SOURCE) for start, end, type in self.identifiers
        ]
        found = [
            span for span in detection.spans if not _inside(span.start, span.end, self.rejected)
        ]
        places = (*self.rejected, *((span.start, span.end) for span in decided))
        return replace(
            detection,
            spans=tuple(merge(text, [*decided, *found])),
            uncertain=tuple(
                word for word in detection.uncertain if not _inside(word.start, word.end, places)
            ),
        )


def _inside(start: int, end: int, places: Iterable[Place]) -> bool:
    return any(low <= start and end <= high for low, high in places)


@dataclass(frozen=True)
class Decisions:
    """The notes that people read, by fingerprint."""

    key: bytes = field(repr=False)
    notes: Mapping[str, NoteDecision]

    @property
    def digest(self) -> str:
        """What all of it is called in an audit."""
        rows = [
            (name, each.identifiers, each.rejected) for name, each in sorted(self.notes.items())
        ]
        return sha256(json.dumps(rows).encode()).hexdigest()[:16]

    def of(self, text: str) -> NoteDecision | None:
        """What was decided of this note, if it was read."""
        return self.notes.get(fingerprint(text, self.key))


@dataclass(frozen=True)
class DecidedDetector:
    """A detector whose findings give way to what people decided."""

    detector: Detector
    decisions: Decisions

    @property
    def gains_by_company(self) -> bool:
        """As the detector within."""
        return gains_by_company(self.detector)

    def detect(self, document: Document) -> Detection:
        """One note."""
        return self._decided(document, self.detector.detect(document))

    def detect_many(self, documents: Sequence[Document]) -> Generator[Detection]:
        """In order, the same as one by one."""
        if not isinstance(self.detector, ManyDetector):
            yield from map(self.detect, documents)
            return
        with closing(self.detector.detect_many(documents)) as detections:
            for document, detection in zip(documents, detections, strict=True):
                yield self._decided(document, detection)

    def _decided(self, document: Document, detection: Detection) -> Detection:
        decision = self.decisions.of(document.text)
        return detection if decision is None else decision.applied(document, detection)
