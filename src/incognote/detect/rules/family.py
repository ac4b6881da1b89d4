"""What a rule family is: a name, the types it may find, and a function from text to spans."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from incognote.detect.pattern import Pattern
from incognote.detect.reading import Reading
from incognote.document import Span


@dataclass(frozen=True)
class Family:
    """One kind of identifier and the rules for it.

    `find` reads a whole note and yields spans in any order, overlapping or not; its time grows
    linearly with the note.
    """

    name: str
    types: frozenset[str]
    find: Callable[[Reading], Iterable[Span]]

    @property
    def source(self) -> str:
        """What its spans name as their detector."""
        return f"rules.{self.name}"


def spans_of(
    pattern: Pattern,
    text: str,
    type: str,
    source: str,
    *,
    group: str | int = 0,
    score: float = 0.9,
) -> Iterator[Span]:
    """A span of `type` for the group of each match of `pattern`."""
    for match in pattern.finditer(text):
        start, end = match.span(group)
        if start < end:
            yield Span.of(text, start, end, type, score=score, source=source)
