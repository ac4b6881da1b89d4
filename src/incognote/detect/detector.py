"""What a detector is, and what it finds; `Finder` is ours, and users may pass their own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import Protocol, TypeGuard, runtime_checkable

from incognote.detect.uncertain import UncertainWord
from incognote.document import Document, Span, value_place


@dataclass(frozen=True)
class Detection:
    """Disjoint spans, sorted, and how many of the note's characters every detector was shown.

    `uncertain` are words that thresholds may redact besides, where they were asked for. Whoever
    vetoes a span drops the uncertain words in it too. `never` counts, by type, what was left because
    the site says that it is no identifier.
    """

    spans: tuple[Span, ...]
    seen: int
    uncertain: tuple[UncertainWord, ...] = ()
    never: Counter[str] = field(default_factory=Counter, hash=False)


class Detector(Protocol):
    """Finds the identifiers of a note."""

    def detect(self, document: Document) -> Detection: ...


@runtime_checkable
class ManyDetector(Protocol):
    """A detector that can be given many notes at once."""

    def detect(self, document: Document) -> Detection: ...

    def detect_many(self, documents: Sequence[Document]) -> Generator[Detection]:
        """In order, the same as one by one."""
        ...


def gains_by_company(detector: Detector) -> TypeGuard[ManyDetector]:
    """Whether notes should wait for each other: a model is faster with several, rules are not.

    A detector that has `detect_many` says otherwise by `gains_by_company = False`.
    """
    return isinstance(detector, ManyDetector) and getattr(detector, "gains_by_company", True)


def detect_one(detector: Detector, document: Document) -> Detection:
    """What is in a note; a value by itself is not searched, it is one finding."""
    if document.value_type is None:
        return detector.detect(document)
    return Detection(value_span(document.text, document.value_type), len(document.text))


def detect_many(detector: Detector, documents: Sequence[Document]) -> Iterable[Detection]:
    """In order, the same as one by one; at once if the detector gains by that."""
    notes = [document for document in documents if document.value_type is None]
    if not gains_by_company(detector) or len(notes) < 2:
        return (detect_one(detector, document) for document in documents)
    if len(notes) == len(documents):
        return detector.detect_many(notes)
    return _with_values(detector, documents, notes)


def _with_values(
    detector: ManyDetector, documents: Sequence[Document], notes: Sequence[Document]
) -> Generator[Detection]:
    with closing(detector.detect_many(notes)) as detections:
        for document in documents:
            if document.value_type is None:
                yield next(detections)
            else:
                yield detect_one(detector, document)


VALUE_SOURCE = "column"
"""The source of the one finding of a value."""


def value_span(text: str, type: str) -> tuple[Span, ...]:
    """All of a value; none of a blank one. To an age the ".0" of a whole number belongs."""
    start, end = value_place(text)
    if type == "AGE":
        end = len(text.rstrip())
    return (Span.of(text, start, end, type, source=VALUE_SOURCE),) if start < end else ()
