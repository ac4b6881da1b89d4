"""Counting words in a bounded memory."""

from __future__ import annotations

import pytest

from incognote.workshop.tokenization import TokenizerError
from incognote.workshop.tokenization.word_counts import word_counts


def test_words_are_counted_over_all_texts() -> None:
    assert word_counts(lambda: ["a b", "b\tc b"]) == {"a": 1, "b": 3, "c": 1}


def test_rare_words_are_forgotten_when_there_are_too_many() -> None:
    texts = [f"pain rare{number} pain chest" for number in range(1000)]
    counts = word_counts(lambda: texts, distinct=100)
    assert len(counts) <= 100
    assert (counts["pain"], counts["chest"]) == (2000, 1000)


def test_no_words_are_refused() -> None:
    with pytest.raises(TokenizerError, match="no text"):
        word_counts(lambda: [" ", ""])
