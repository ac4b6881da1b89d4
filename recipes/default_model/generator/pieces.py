"""A note under construction: stretches of text, each with its PHI type or none.

Spans are counted only at the end, so that every edit keeps marks and text together.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

Piece: TypeAlias = tuple[str, str]
"""A text and its PHI type; the type is empty outside identifiers."""

Pieces: TypeAlias = list[Piece]


def plain(text: str) -> Pieces:
    """Text that is no identifier."""
    return [(text, "")]


def join(pieces: Iterable[Piece]) -> tuple[str, list[tuple[int, int, str]]]:
    """The note's text and its spans (start, end, type); marks never begin or end with a space."""
    parts: list[str] = []
    spans: list[tuple[int, int, str]] = []
    position = 0
    for text, type in pieces:
        if type:
            stripped = text.strip()
            if stripped:
                start = position + text.index(stripped)
                spans.append((start, start + len(stripped), type))
        parts.append(text)
        position += len(text)
    return "".join(parts), spans


def text_of(pieces: Iterable[Piece]) -> str:
    """The text alone."""
    return "".join(text for text, _ in pieces)


def lines(pieces: Iterable[Piece]) -> list[Pieces]:
    """The note cut at the line breaks outside identifiers; joined again by a break."""
    rows: list[Pieces] = [[]]
    for text, type in pieces:
        if type or "\n" not in text:
            rows[-1].append((text, type))
            continue
        first, *rest = text.split("\n")
        if first:
            rows[-1].append((first, ""))
        for part in rest:
            rows.append([(part, "")] if part else [])
    return rows


def from_lines(rows: Iterable[Pieces]) -> Pieces:
    """The reverse of `lines`."""
    pieces: Pieces = []
    for number, row in enumerate(rows):
        if number:
            pieces.append(("\n", ""))
        pieces += row
    return pieces
