"""Where two annotators differ, place by place.

Spans that touch each other, of either annotator, are one place. Its kind: `only first`, `only
second`; `type` if the same stretches are called differently; `boundary` if the same types are
marked in other stretches; else `type and boundary`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from incognote.document import Document, Span
from incognote.evaluate.pairing import Pair


@dataclass(frozen=True)
class Disagreement:
    """The spans of both at one place of a note."""

    id: str
    first: tuple[Span, ...]
    second: tuple[Span, ...]

    @property
    def kind(self) -> str:
        if not self.second:
            return "only first"
        if not self.first:
            return "only second"
        places = [{(span.start, span.end) for span in side} for side in (self.first, self.second)]
        types = [{span.type for span in side} for side in (self.first, self.second)]
        if places[0] == places[1]:
            return "type"
        return "boundary" if types[0] == types[1] else "type and boundary"

    def to_json(self, show_text: bool = False) -> dict[str, Any]:
        """Offsets and types; the spans' texts only if asked for."""
        return {
            "id": self.id,
            "kind": self.kind,
            "first": [_span(span, show_text) for span in self.first],
            "second": [_span(span, show_text) for span in self.second],
        }


def _span(span: Span, show_text: bool) -> dict[str, Any]:
    place = {"start": span.start, "end": span.end, "type": span.type}
    return {**place, "text": span.text} if show_text else place


def disagreements(pair: Pair) -> Iterator[Disagreement]:
    """The places of a note where its annotators differ, in order."""
    first, second = _distinct(pair.gold), _distinct(pair.predicted)
    marks = sorted(
        [(place, 0, span) for place, span in first.items()]
        + [(place, 1, span) for place, span in second.items()],
        key=lambda mark: mark[:2],
    )
    sides: tuple[list[Span], list[Span]] = ([], [])
    reach = -1
    for (start, end, _), side, span in marks:
        if start >= reach and (start, end) != (reach, reach):
            yield from _place(pair.gold.id, sides)
            sides = ([], [])
        sides[side].append(span)
        reach = max(reach, end)
    yield from _place(pair.gold.id, sides)


def _distinct(document: Document) -> dict[tuple[int, int, str], Span]:
    return {(span.start, span.end, span.type): span for span in document.spans}


def _place(id: str, sides: tuple[list[Span], list[Span]]) -> Iterator[Disagreement]:
    first, second = ([(span.start, span.end, span.type) for span in side] for side in sides)
    if first != second:
        yield Disagreement(id, tuple(sides[0]), tuple(sides[1]))
