"""Figures and errors of one huge note are counted with work in proportion to its spans."""

from __future__ import annotations

import sys
from types import FrameType

from incognote.document import Document, Span
from incognote.evaluate import Resampling, score
from incognote.evaluate.error_analysis import analyse

FACTOR, LIMIT = 4, 5.5


def note(size: int) -> tuple[Document, Document]:
    """Many small spans on one side; on the other the same, and one over all of them."""
    text = "ab1 " * size
    small = [Span.of(text, 4 * at, 4 * at + 3, "DATE") for at in range(size)]
    wide = Span.of(text, 0, len(text), "PATIENT")
    return Document("", text, tuple(small)), Document("", text, (*small, wide))


def calls(size: int) -> int:
    gold, predicted = note(size)
    count = 0

    def count_calls(_frame: FrameType, event: str, _what: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(count_calls)
    try:
        score([gold], [predicted], resampling=Resampling(resamples=0))
        analyse([gold], [predicted])
    finally:
        sys.setprofile(None)
    return count


def test_scoring_grows_with_the_spans() -> None:
    calls(50)
    assert calls(FACTOR * 300) < LIMIT * calls(300)
