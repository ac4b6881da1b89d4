"""What each step of the finder gave for one note, recorded for explanations (`explain.py`).

The finder goes through its steps as always, and hands what they give to `Unrecorded`, or to `Steps`
where somebody asks for it. Every finding gets a number that stays with it, however it is cut, moved, named or
merged; so a span of the result says of which finding it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol, runtime_checkable

from incognote.detect.detector import Detection, Detector
from incognote.detect.name_mentions import Person
from incognote.detect.note_index import NoteIndex
from incognote.detect.propagate import mentions_and_origins, propagate
from incognote.detect.thresholds import Thresholds
from incognote.detect.uncertain import UncertainWord
from incognote.document import Document, Span


@runtime_checkable
class ExplainableModel(Protocol):
    """A model that says what else it holds for likely."""

    def consider(self, document: Document) -> tuple[Detection, tuple[Span, ...]]: ...

    def describe(self) -> dict[str, Any]: ...


@dataclass(frozen=True, slots=True)
class Numbered(Span):
    """A span that knows of which finding it is."""

    number: int = -1


@dataclass
class Finding:
    """A finding as it was first made, and its place in the note.

    `note` is what was read: the note, or a form of it without odd characters, in which `span` has
    its place. `origin` is the number of the finding that it repeats.
    """

    span: Numbered
    note: NoteIndex | None
    start: int
    end: int
    origin: int | None = None


class Unrecorded:
    """What the finder hands over as it goes: here it comes back as it is, and nothing is recorded."""

    def found(self, note: NoteIndex, spans: list[Span]) -> list[Span]:
        """What rules or known values find in a note or one of its forms."""
        return spans

    def placed(self, spans: list[Span]) -> list[Span]:
        """All of that in its place in the note."""
        return spans

    def ask(self, model: Detector, document: Document) -> Detection:
        """What the model finds."""
        return model.detect(document)

    def without_vetoed(self, detection: Detection) -> None:
        """What remains of it after the vetoes."""

    def decided(self, rules: Iterable[Span], counting: Iterable[Span]) -> None:
        """The rules' findings when they are disjoint, and what counts by the decisions."""

    def propagate(
        self,
        note: NoteIndex,
        spans: Sequence[Span],
        others: Sequence[Span] = (),
        codes: frozenset[str] = frozenset(),
    ) -> list[Span]:
        """The other mentions of what was found."""
        return propagate(note, spans, others, codes)

    def before_thresholds(self, thresholds: Thresholds, detection: Detection) -> None:
        """What was found before a threshold redacts more."""


class Steps(Unrecorded):
    """The findings of a note by number, and the numbers of those that each step let through."""

    def __init__(self) -> None:
        self.findings: list[Finding] = []
        self.model: dict[str, Any] | None = None
        """What the model says of itself; None: there is none."""
        self.uncertain: tuple[UncertainWord, ...] = ()
        """The words that the model is uncertain about, before vetoes."""
        self.short: tuple[Span, ...] = ()
        """The spans of the model that fall short of its thresholds."""
        self.unvetoed: frozenset[int] | None = None
        """None: nothing was vetoed."""
        self.merged: frozenset[int] = frozenset()
        """Of the rules' findings and known values those that are left when they are disjoint."""
        self.counted: frozenset[int] | None = None
        """None: there was nothing to decide, and all count."""
        self.redacted: list[tuple[Thresholds, Detection]] = []
        """What thresholds were applied to, in order."""

    def found(self, note: NoteIndex, spans: list[Span]) -> list[Span]:
        """The same, each with a number."""
        return [self._add(span, note) for span in spans]

    def placed(self, spans: list[Span]) -> list[Span]:
        """The same; what nobody has shown yet gets a number here."""
        placed: list[Span] = []
        for span in spans:
            if isinstance(span, Numbered):
                finding = self.findings[span.number]
                finding.start, finding.end = span.start, span.end
                placed.append(span)
            else:
                placed.append(self._add(span))
        return placed

    def ask(self, model: Detector, document: Document) -> Detection:
        """What the model finds, and what else it holds for likely."""
        self.model = {}
        if isinstance(model, ExplainableModel):
            self.model = model.describe()
            detection, self.short = model.consider(document)
        else:
            detection = model.detect(document)
        self.uncertain = detection.uncertain
        return replace(detection, spans=tuple(map(self._add, detection.spans)))

    def without_vetoed(self, detection: Detection) -> None:
        """What remains of it after the vetoes."""
        self.unvetoed = numbers_of(detection.spans)

    def decided(self, rules: Iterable[Span], counting: Iterable[Span]) -> None:
        """The rules' findings when they are disjoint, and what counts by the decisions."""
        self.merged = numbers_of(rules)
        self.counted = numbers_of(counting)

    def propagate(
        self,
        note: NoteIndex,
        spans: Sequence[Span],
        others: Sequence[Span] = (),
        codes: frozenset[str] = frozenset(),
    ) -> list[Span]:
        """The other mentions of what was found, as `propagate` has them."""
        persons: dict[tuple[str, str, float], int] = {}
        for span in (*spans, *others):
            if isinstance(span, Numbered):
                persons.setdefault((span.text, span.type, span.score), span.number)
        repeats: dict[int, int] = {}
        mentions: list[Span] = []
        for mention, origin in mentions_and_origins(note, spans, others, codes):
            numbered = self._add(mention, note)
            if isinstance(origin, Person):
                of = persons.get((origin.name, origin.type, origin.score))
            elif isinstance(origin, Numbered):
                of = origin.number
            else:
                of = repeats.get(id(origin))
            repeats[id(mention)] = numbered.number
            self.findings[-1].origin = of
            mentions.append(numbered)
        return mentions

    def before_thresholds(self, thresholds: Thresholds, detection: Detection) -> None:
        """What was found before a threshold redacts more."""
        self.redacted.append((thresholds, detection))

    def _add(self, span: Span, note: NoteIndex | None = None) -> Numbered:
        numbered = Numbered(
            span.start,
            span.end,
            span.type,
            span.text,
            span.score,
            span.source,
            span.label,
            span.attributes,
            len(self.findings),
        )
        self.findings.append(Finding(numbered, note, span.start, span.end))
        return numbered


def plain(span: Span) -> Span:
    """The span without its number."""
    if not isinstance(span, Numbered):
        return span
    return Span(
        span.start,
        span.end,
        span.type,
        span.text,
        span.score,
        span.source,
        span.label,
        span.attributes,
    )


def numbers_of(spans: Iterable[Span]) -> frozenset[int]:
    """Of which findings the spans are."""
    return frozenset(span.number for span in spans if isinstance(span, Numbered))
