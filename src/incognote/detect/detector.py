"""What a detector is, and what it finds; `Finder` is ours, and users may pass their own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeGuard, runtime_checkable

from incognote.detect.uncertain import UncertainWord
from incognote.document import Document, Span


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


def detect_many(detector: Detector, documents: Sequence[Document]) -> Iterable[Detection]:
    """In order, the same as one by one; at once if the detector gains by that."""
    if gains_by_company(detector) and len(documents) > 1:
        return detector.detect_many(documents)
    return map(detector.detect, documents)
