"""Overlapping marks become disjoint ones, because a unit carries one tag."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple


class Mark(NamedTuple):
    """A stretch of a note and its type."""

    start: int
    end: int
    type: str


def disjoint(marks: Iterable[Mark]) -> list[Mark]:
    """Disjoint marks over the same characters, in order, whatever the order given.

    The mark that starts first keeps all its characters; of those that start together the longest,
    then the one whose type comes first in the alphabet. A later mark keeps what lies beyond the
    earlier ones, so a nested mark goes, and none of its characters is lost. Empty marks go.
    """
    kept: list[Mark] = []
    covered = 0
    for start, end, type in sorted(marks, key=lambda mark: (mark.start, -mark.end, mark.type)):
        start = max(start, covered)
        if start < end:
            kept.append(Mark(start, end, type))
            covered = end
    return kept
