"""A mention of a place, an institution or a job, with what stands around it in the note."""

from __future__ import annotations

from dataclasses import dataclass, field

AROUND = 48


@dataclass(frozen=True)
class Mention:
    """The text of a span, its type, and the note's own text before and after it.

    `after` tells the state of a town (`, ME 04401`), `before` the town of a ZIP.
    """

    text: str = field(repr=False)
    type: str
    before: str = field(default="", repr=False)
    after: str = field(default="", repr=False)


def mention_at(note: str, start: int, end: int, type: str) -> Mention:
    """The mention that a span marks."""
    before = note[max(0, start - AROUND) : start]
    return Mention(note[start:end], type, before, note[end : end + AROUND])
