"""A span in its surroundings, cut into pieces that are marked, annotated, both or neither."""

from __future__ import annotations

from collections.abc import Sequence
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


def _flags(left: int, right: int, gold: Stretch | None, found: Sequence[Stretch]) -> int:
    annotated = gold is not None and gold.start <= left and right <= gold.end
    marked = any(stretch.start <= left and right <= stretch.end for stretch in found)
    return ANNOTATED * annotated + MARKED * marked


def _shortened(text: str) -> str:
    half = LONGEST // 2
    return text if len(text) <= LONGEST else f"{text[:half]} … {text[-half:]}"
