"""Overlapping findings of several detectors become disjoint spans, and no character is lost.

The longer span wins; what the others cover beyond it stays covered, as spans of their own. A
remainder without a letter or digit joins the neighbour that displaced it instead. The result
depends on the set of findings only, not on their order.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import replace
from operator import attrgetter

from incognote.document import Span


def merge(text: str, spans: Iterable[Span]) -> list[Span]:
    """Disjoint spans, sorted, that cover exactly the characters that `spans` cover."""
    merged: list[Span] = []
    for cluster in _clusters(spans):
        merged += cluster if len(cluster) == 1 else _resolve(text, cluster)
    return merged


def _clusters(spans: Iterable[Span]) -> Iterator[list[Span]]:
    """Groups of spans that overlap, directly or through others."""
    cluster: list[Span] = []
    reach = -1
    for span in sorted(spans, key=attrgetter("start", "end")):
        if span.start == span.end:
            continue
        if cluster and span.start >= reach:
            yield cluster
            cluster = []
        cluster.append(span)
        if span.end > reach:
            reach = span.end
    if cluster:
        yield cluster


def _preference(span: Span) -> tuple[int, float, int, str, str]:
    return (-len(span), -span.score, span.start, span.type, span.source)


def _resolve(text: str, cluster: list[Span]) -> list[Span]:
    best = min(cluster, key=_preference)
    if all(best.start <= span.start and span.end <= best.end for span in cluster):
        return [best]
    taken: list[Span] = []
    for span in sorted(cluster, key=_preference):
        for start, end in _gaps(taken, span.start, span.end):
            place = bisect_left(taken, start, key=lambda other: other.start)
            if any(map(str.isalnum, text[start:end])):
                taken.insert(place, _cut(text, span, start, end))
            elif place > 0 and taken[place - 1].end == start:
                taken[place - 1] = _cut(text, taken[place - 1], taken[place - 1].start, end)
            elif place < len(taken) and taken[place].start == end:
                taken[place] = _cut(text, taken[place], start, taken[place].end)
            else:
                taken.insert(place, _cut(text, span, start, end))
    return taken


def _gaps(taken: list[Span], start: int, end: int) -> list[tuple[int, int]]:
    """The parts of start..end that no span of `taken` (sorted, disjoint) covers."""
    gaps = []
    place = bisect_left(taken, start, key=lambda other: other.end)
    while start < end:
        if place == len(taken) or taken[place].start >= end:
            gaps.append((start, end))
            break
        if taken[place].start > start:
            gaps.append((start, taken[place].start))
        start = max(start, taken[place].end)
        place += 1
    return gaps


def _cut(text: str, span: Span, start: int, end: int) -> Span:
    if (start, end) == (span.start, span.end):
        return span
    return replace(span, start=start, end=end, text=text[start:end])
