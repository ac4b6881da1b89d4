"""Whose findings count, rules' or the model's, and who names them: by type, as validation decided."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from incognote.document import Span
from incognote.onnx.model_folder import Hybrid

ALIKE = 0.5
"""Two spans are about the same thing when they share this much of each; otherwise ("Boston" in
"Boston Medical Center") the longer one knows better what it is.
"""

EDGES = "-_=*~|•·☎ \t\r\n\xa0"
"""What a form is drawn with; identifiers neither begin nor end so."""


def counting(
    rules: Sequence[Span],
    model: Sequence[Span],
    hybrid: Hybrid,
    confirming: Sequence[Span] | None = None,
) -> tuple[list[Span], list[Span]]:
    """The spans of each that count; every list is sorted and disjoint.

    `confirming` are the rules' spans with which the model may agree: by default `rules`.
    """
    confirming = rules if confirming is None else confirming
    return (
        [span for span in rules if _counts(span, "rules", model, hybrid)],
        [span for span in model if _counts(span, "model", confirming, hybrid)],
    )


def assign_types(rules: Sequence[Span], model: Sequence[Span], hybrid: Hybrid) -> list[Span]:
    """All these spans, under the type of the finder who names what both have."""
    return [
        *_assign_types(rules, "rules", model, hybrid),
        *_assign_types(model, "model", rules, hybrid),
    ]


def trimmed(spans: Iterable[Span]) -> Iterator[Span]:
    """A model's spans that have a letter or digit, without the lines and blanks at their ends."""
    for span in spans:
        if span.text[:1].isalnum() and span.text[-1:].isalnum():
            yield span
            continue
        core = span.text.strip(EDGES)
        if not any(map(str.isalnum, core)):
            continue
        start = span.start + len(span.text) - len(span.text.lstrip(EDGES))
        if len(core) < len(span):
            span = replace(span, start=start, end=start + len(core), text=core)
        yield span


def over(spans: Sequence[Span], start: int, end: int) -> Sequence[Span]:
    """The spans of a sorted, disjoint list that share a character with the place."""
    first = bisect_right(spans, start, key=lambda span: span.end)
    last = first
    while last < len(spans) and spans[last].start < end:
        last += 1
    return spans[first:last]


def _counts(span: Span, finder: str, others: Sequence[Span], hybrid: Hybrid) -> bool:
    """Agreement is about the place: a name that the two give to different persons is a name."""
    decision = hybrid.decision(span.type)
    if decision == "both agree":
        return bool(over(others, span.start, span.end))
    return decision in ("union", finder)


def _assign_types(
    spans: Sequence[Span], finder: str, others: Sequence[Span], hybrid: Hybrid
) -> Iterator[Span]:
    """The spans under the types that the other finder gives them, where that one names."""
    place = 0
    for span in spans:
        while place < len(others) and others[place].end <= span.start:
            place += 1
        yield _assign_type(span, finder, others, place, hybrid)


def _assign_type(
    span: Span, finder: str, others: Sequence[Span], place: int, hybrid: Hybrid
) -> Span:
    while place < len(others) and others[place].start < span.end:
        other = others[place]
        if other.type != span.type and alike(span, other):
            rule_type = span.type if finder == "rules" else other.type
            if hybrid.names.get(rule_type, finder) != finder:
                return replace(span, type=other.type, label=other.type)
        place += 1
    return span


def alike(one: Span, other: Span) -> bool:
    """Whether two spans are about the same thing."""
    shared = min(one.end, other.end) - max(one.start, other.start)
    return shared >= ALIKE * max(len(one), len(other))
