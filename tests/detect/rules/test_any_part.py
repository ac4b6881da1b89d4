"""Rules read whatever is put before them: notes cut anywhere, and lines that begin with any word."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from incognote.detect.finder import Finder
from incognote.document import Document
from incognote.formats import read

CORPUS = Path(__file__).parents[3] / "corpus"
TEXTS = [note.text for name in "ABCD" for note in read(CORPUS / name)]
RULES = Finder()


@settings(max_examples=200)
@given(st.sampled_from(TEXTS), st.floats(0, 1), st.integers(1, 160))
def test_a_note_may_be_cut_anywhere(text: str, place: float, length: int) -> None:
    start = int(place * len(text))
    part = text[start : start + length]
    assert RULES.detect(Document("", part)).seen == len(part)


@pytest.mark.parametrize("value", ["3/4", "3/14/2019", "Tuesday", "1987", "89", "555-0199", "Ruiz"])
@pytest.mark.parametrize(
    "word", "of on by to from in at the a and Dr. Mr pt # ( , : 5 May St. room age MRN".split()
)
def test_a_line_may_begin_and_end_with_any_word(word: str, value: str) -> None:
    for text in (f"{word} {value}", f"{value} {word}", f"{word}{value}", f"\n{word}\n{value}\n"):
        assert RULES.detect(Document("", text)).seen == len(text)
