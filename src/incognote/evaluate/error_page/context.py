"""A span in its surroundings, or a whole note, in pieces that are marked, annotated, both or neither."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

from incognote.evaluate.errors import Stretch

AROUND = 70
"""Characters shown before and after."""
LONGEST = 600
"""Of a longer stretch only the two ends are shown."""

PLAIN, ANNOTATED, MARKED = 0, 1, 2
"""Flags of a piece; a piece that is annotated and marked has the sum of both."""

Piece = tuple[int, str]


def in_context(text: str, gold: Stretch | None, found: Sequence[Stretch]) -> list[Piece]:
    """The pieces of the window around all stretches; together they are its text."""
    stretches = [*found, gold] if gold else [*found]
    first, last = min(s.start for s in stretches), max(s.end for s in stretches)
    start, end = max(0, first - AROUND), min(len(text), last + AROUND)
    cuts = {start, end}
    for stretch in stretches:
        cuts |= {stretch.start, stretch.end}
    edges = sorted(cuts)
    pieces = [
        (_flags(left, right, gold, found), _shortened(text[left:right]))
        for left, right in pairwise(edges)
    ]
    before = [(PLAIN, "…")] if start > 0 else []
    after = [(PLAIN, "…")] if end < len(text) else []
    return before + pieces + after


def whole_note(
    text: str, annotated: Iterable[tuple[int, int]], marked: Iterable[tuple[int, int]]
) -> list[Piece]:
    """All of a note, given the places that are annotated and those that are marked."""
    changes: dict[int, list[int]] = {0: [0, 0], len(text): [0, 0]}
    for kind, places in enumerate((annotated, marked)):
        for start, end in places:
            changes.setdefault(start, [0, 0])[kind] += 1
            changes.setdefault(end, [0, 0])[kind] -= 1
    pieces: list[Piece] = []
    depth = [0, 0]
    for left, right in pairwise(sorted(changes)):
        depth = [before + change for before, change in zip(depth, changes[left], strict=True)]
        flags = ANNOTATED * (depth[0] > 0) + MARKED * (depth[1] > 0)
        if pieces and pieces[-1][0] == flags:
            pieces[-1] = (flags, pieces[-1][1] + text[left:right])
        else:
            pieces.append((flags, text[left:right]))
    return pieces


def _flags(left: int, right: int, gold: Stretch | None, found: Sequence[Stretch]) -> int:
    annotated = gold is not None and gold.start <= left and right <= gold.end
    marked = any(stretch.start <= left and right <= stretch.end for stretch in found)
    return ANNOTATED * annotated + MARKED * marked


def _shortened(text: str) -> str:
    half = LONGEST // 2
    return text if len(text) <= LONGEST else f"{text[:half]} … {text[-half:]}"
