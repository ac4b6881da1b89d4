"""Whose findings count, rules' or the model's, and who names them: by type, as validation decided."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import replace

from incognote.document import Span
from incognote.onnx.hybrid import Hybrid

ALIKE = 0.5
"""Two spans are about the same thing when they share this much of each; otherwise ("Boston" in
"Boston Medical Center") the longer one knows better what it is.
"""


def decided(rules: Sequence[Span], model: Sequence[Span], hybrid: Hybrid) -> list[Span]:
    """The spans that count, named; both lists are sorted and each is disjoint."""
    by_rules = [span for span in rules if _counts(span, "rules", model, hybrid)]
    by_model = [span for span in model if _counts(span, "model", rules, hybrid)]
    return [
        *(_named(span, "rules", by_model, hybrid) for span in by_rules),
        *(_named(span, "model", by_rules, hybrid) for span in by_model),
    ]


def over(spans: Sequence[Span], start: int, end: int) -> Sequence[Span]:
    """The spans of a sorted, disjoint list that share a character with the stretch."""
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


def _named(span: Span, finder: str, others: Sequence[Span], hybrid: Hybrid) -> Span:
    """The span under the type that the other finder gives it, where that one names."""
    for other in over(others, span.start, span.end):
        rule_type = span.type if finder == "rules" else other.type
        namer = hybrid.names.get(rule_type, finder)
        if other.type != span.type and namer != finder and alike(span, other):
            return replace(span, type=other.type, label=other.type)
    return span


def alike(one: Span, other: Span) -> bool:
    shared = min(one.end, other.end) - max(one.start, other.start)
    return shared >= ALIKE * max(len(one), len(other))
