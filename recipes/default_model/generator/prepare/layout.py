"""The lines of a report whose line breaks became commas, and the sentences of a line."""

from __future__ import annotations

import itertools
import re

_AFTER_STOP = re.compile(r"(?<=[.:?!;)]) ?,\s*(?=[A-Z0-9(\"])")
_BEFORE_HEADING = re.compile(r",\s*(?=[A-Z][A-Z /&()-]{3,}:)")
_BEFORE_ITEM = re.compile(r",\s*(?=\d{1,2}\.\s)")
_HEADING_COMMA = re.compile(r"(?<=:) {2},(?=\S)")
_SENTENCE = re.compile(
    r"(?<!\bDr\.)(?<!\bMr\.)(?<!\bMs\.)(?<!\bMrs\.)(?<!\bvs\.)(?<!\bNo\.)(?<!\bSt\.)(?<=[.?!])\s+(?=[A-Z0-9\"])"
)


def restore_lines(text: str) -> str:
    """Sections and list items on lines of their own again."""
    text = _HEADING_COMMA.sub(" ", text)
    text = _BEFORE_HEADING.sub("\n\n", text)
    text = _AFTER_STOP.sub("\n", text)
    text = _BEFORE_ITEM.sub("\n", text)
    return re.sub(r"[ \t]+\n", "\n", text).strip(" ,\n")


def sentences(line: str) -> list[tuple[int, int]]:
    """Start and end of each sentence of a line, with the spaces after it."""
    cuts = [0, *(found.end() for found in _SENTENCE.finditer(line)), len(line)]
    return list(itertools.pairwise(cuts))
