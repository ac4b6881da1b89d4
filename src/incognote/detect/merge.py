"""Overlapping findings of several detectors become disjoint spans, and no character is lost.

The longer span wins; what the others cover beyond it stays covered, as spans of their own. A
remainder without a letter or digit joins the neighbour that displaced it instead. The result
depends on the set of findings only, not on their order.
"""

from __future__ import annotations

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
    taken = _Taken(text, cluster)
    for span in sorted(cluster, key=_preference):
        for start, end in taken.gaps(span):
            taken.add(span, start, end)
    return taken.spans()


class _Taken:
    """Disjoint stretches of a cluster, each with the span that it is of, found by either end."""

    def __init__(self, text: str, cluster: list[Span]) -> None:
        self._text = text
        self._first = cluster[0].start
        self._free = bytearray(b"\1") * (max(span.end for span in cluster) - self._first)
        self._by_start: dict[int, tuple[int, Span]] = {}
        self._start_of: dict[int, int] = {}
        """From the end of a stretch to its start."""

    def gaps(self, span: Span) -> Iterator[tuple[int, int]]:
        """The parts of a span that are not taken."""
        first, free = self._first, self._free
        start, end = span.start - first, span.end - first
        while (begin := free.find(1, start, end)) >= 0:
            start = free.find(0, begin, end)
            start = end if start < 0 else start
            yield begin + first, start + first

    def add(self, span: Span, start: int, end: int) -> None:
        """Take a gap for a span; one without a letter or digit goes to the neighbour, if any."""
        self._free[start - self._first : end - self._first] = bytes(end - start)
        if not any(map(str.isalnum, self._text[start:end])):
            if start in self._start_of:
                start = self._start_of.pop(start)
                span = self._by_start[start][1]
            elif end in self._by_start:
                end, span = self._by_start.pop(end)
        self._by_start[start] = end, span
        self._start_of[end] = start

    def spans(self) -> list[Span]:
        """In order."""
        return [
            _cut(self._text, span, start, end)
            for start, (end, span) in sorted(self._by_start.items(), key=lambda item: item[0])
        ]


def _cut(text: str, span: Span, start: int, end: int) -> Span:
    if (start, end) == (span.start, span.end):
        return span
    return replace(span, start=start, end=end, text=text[start:end])
