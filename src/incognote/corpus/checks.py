"""What can be wrong with the spans of one note. Messages give places and types, never text."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, get_args

from incognote.align.words import words
from incognote.document import Document, Span
from incognote.formats.encoding import character_name

Level = Literal["error", "warning", "info"]
LEVELS: tuple[Level, ...] = get_args(Level)

_LOST = re.compile("[\ufffd\x80-\x84\x86-\x9f]")
_SHORTEST = 3
"""Letters and digits that a surface needs before its other occurrences mean anything."""


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong, with the place in the note where it has one."""

    level: Level
    kind: str
    message: str
    start: int | None = None
    end: int | None = None
    type: str | None = None

    @classmethod
    def of(cls, span: Span, level: Level, kind: str, message: str) -> Finding:
        """About a span."""
        return cls(level, kind, message, span.start, span.end, span.type)


def check(
    document: Document, types: frozenset[str] | None, *, consistency: bool = False
) -> Iterator[Finding]:
    """Everything that is wrong with a note; `types` are those allowed, None for any."""
    yield from _characters(document)
    for span in document.spans:
        if span.start == span.end:
            yield Finding.of(span, "error", "empty", "the span has no characters")
        elif span.text != span.text.strip():
            yield Finding.of(span, "warning", "space", "the span begins or ends with white space")
        if types is not None and span.type not in types:
            yield Finding.of(span, "error", "unknown-type", "the type is not one of the scheme")
    yield from _meeting(document)
    yield from _cut(document)
    if consistency:
        yield from _unmarked(document)
        yield from _two_types(document)


def _characters(document: Document) -> Iterator[Finding]:
    for match in _LOST.finditer(document.text):
        what = character_name(match[0], match.start())
        message = f"{what} tells of a text decoded wrongly before"
        yield Finding("warning", "encoding", message, match.start(), match.end())


def _meeting(document: Document) -> Iterator[Finding]:
    """Spans that repeat or overlap an earlier one; empty ones overlap nothing."""
    seen: set[tuple[int, int, str]] = set()
    reach: Span | None = None
    for span in document.spans:
        place = (span.start, span.end, span.type)
        if place in seen:
            yield Finding.of(span, "error", "duplicate-span", "the span occurs twice")
        elif reach is not None and span.overlaps(reach):
            other = f"{reach.start}-{reach.end} {reach.type}"
            yield Finding.of(span, "error", "overlap", f"the span overlaps {other}")
        seen.add(place)
        if reach is None or span.end > reach.end:
            reach = span


def _cut(document: Document) -> Iterator[Finding]:
    pieces = words(document.text)
    starts = [start for start, _ in pieces]

    def inside(position: int) -> bool:
        at = bisect_right(starts, position) - 1
        return at >= 0 and starts[at] < position < pieces[at][1]

    for span in document.spans:
        if inside(span.start) or inside(span.end):
            yield Finding.of(span, "info", "cut-word", "the span begins or ends inside a word")


def _surfaces(document: Document) -> dict[str, set[str]]:
    """What is marked, with its types."""
    surfaces: defaultdict[str, set[str]] = defaultdict(set)
    for span in document.spans:
        if sum(map(str.isalnum, span.text)) >= _SHORTEST:
            surfaces[span.text].add(span.type)
    return surfaces


def _unmarked(document: Document) -> Iterator[Finding]:
    """What is marked in one place and not in another, where it may also be in capitals."""
    surfaces = _surfaces(document)
    forms = {form: surface for surface in surfaces for form in (surface, surface.upper())}
    if not forms:
        return
    longest_first = sorted(forms, key=lambda form: (-len(form), form))
    pattern = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, longest_first))})(?!\w)")
    marked = bytearray(len(document.text))
    for span in document.spans:
        marked[span.start : span.end] = b"\1" * len(span)
    for match in pattern.finditer(document.text):
        if not any(marked[match.start() : match.end()]):
            type = "/".join(sorted(surfaces[forms[match[0]]]))
            message = "the same words are marked elsewhere in the note"
            yield Finding("warning", "unmarked", message, match.start(), match.end(), type)


def _two_types(document: Document) -> Iterator[Finding]:
    surfaces = _surfaces(document)
    for span in document.spans:
        others = surfaces.get(span.text, set()) - {span.type}
        if others:
            message = f"the same words are {', '.join(sorted(others))} elsewhere in the note"
            yield Finding.of(span, "info", "two-types", message)
