"""Joined pieces: every piece in one unit, in order; what is judged is the word."""

from __future__ import annotations

import numpy as np
import pytest
from align.tiny_tokenizers import tiny_tokenizers
from hypothesis import given, settings
from hypothesis import strategies as st

from incognote.align.joined_tokens import CLOSING, NOTHING, OTHERS, joined
from incognote.align.note_reader import NoteReader
from incognote.align.tokens import TokenOffsets, TokenReader, Tokens, spaces, within
from incognote.align.windows import coverage
from incognote.align.words import words

texts = st.text(
    st.sampled_from("aJoné\u0301 \n\t.,:;)('-_/%\x00\x07\u200b\ufeff472漢"), max_size=60
)
READERS = {kind: TokenReader(tokenizer) for kind, tokenizer in tiny_tokenizers().items()}
NOTE_READERS = {
    kind: NoteReader(tokenizer, window=6, overlap=2, shape=True, join=True)
    for kind, tokenizer in tiny_tokenizers().items()
}


def units_of(text: str, places: list[tuple[int, int]]) -> tuple[list[str], list[str]]:
    """What is given of each unit, and what is judged, of pieces at these places."""
    made = joined(text, Tokens(np.arange(len(places)), TokenOffsets.of(places), 0))
    return tuple(  # type: ignore[return-value]
        [text[start:end] for start, end in zip(units.starts, units.ends, strict=True)]
        for units in (made.given, made.units)
    )


@pytest.mark.parametrize("kind", READERS)
@settings(deadline=None)
@given(text=texts)
def test_every_piece_is_in_one_unit_and_in_order(kind: str, text: str) -> None:
    pieces = READERS[kind].read(text)
    made = joined(text, pieces)
    assert made.others is not None
    assert made.others.shape == (len(made.ids), OTHERS)
    laid = np.concatenate((made.ids[:, None], made.others), axis=1)
    assert laid[laid != NOTHING].tolist() == pieces.ids.tolist()
    assert len(made.ids) == len(made.units) == len(made.given) <= len(pieces.ids)
    assert (made.units.starts == made.given.starts).all()
    assert (made.units.ends <= made.given.ends).all()


@pytest.mark.parametrize("kind", READERS)
@settings(deadline=None)
@given(text=texts)
def test_only_closing_marks_are_given_and_not_judged(kind: str, text: str) -> None:
    pieces = READERS[kind].read(text)
    made = joined(text, pieces)
    judged = within(made.units, len(text))
    for place in np.flatnonzero(within(pieces.units, len(text)) & ~judged & ~spaces(text)):
        assert text[place] in CLOSING


@pytest.mark.parametrize("kind", NOTE_READERS)
@settings(deadline=None)
@given(text=texts)
def test_the_whole_note_is_fed(kind: str, text: str) -> None:
    (reading,) = NOTE_READERS[kind].read_all([text])
    assert coverage(text, reading.given, reading.windows).whole
    assert reading.others is not None
    fed = [window.others for window in reading.inputs()]
    assert all(rows is not None and rows.shape[1] == OTHERS for rows in fed)


@settings(deadline=None)
@given(text=st.text(st.sampled_from("aJoné \n.,:;)('-_/%472漢"), max_size=60))
def test_no_unit_has_parts_of_two_words_but_closing_marks(text: str) -> None:
    made = joined(text, READERS["wordpiece"].read(text))
    named = [(a, b) for a, b in words(text) if text[a].isalnum()]
    for start, end in zip(made.units.starts, made.units.ends, strict=True):
        assert sum(a < end and start < b for a, b in named) <= 1


@pytest.mark.parametrize(
    ("text", "given_units", "judged"),
    [
        ("John, a", ["John,", "a"], ["John", "a"]),
        ("(John).", ["(", "John)."], ["(", "John"]),
        ("O'John", ["O", "'", "John"], ["O", "'", "John"]),
        ("3/14 4:5", ["3", "/", "14", "4", ":", "5"], ["3", "/", "14", "4", ":", "5"]),
        ("a ---- b", ["a", "----", "b"], ["a", "----", "b"]),
        ("a - - b", ["a", "-", "-", "b"], ["a", "-", "-", "b"]),
        ("John\n,", ["John", ","], ["John", ","]),
        ("", [], []),
        (" \n", [], []),
    ],
)
def test_what_is_joined(text: str, given_units: list[str], judged: list[str]) -> None:
    assert units_of(text, words(text)) == (given_units, judged)


def test_a_long_word_is_several_units() -> None:
    letters = [(place, place + 1) for place in range(7)]
    assert units_of("Quillo.", letters) == (["Quil", "lo."], ["Quil", "lo"])
    assert units_of("Quil...", letters) == (["Quil", "..."], ["Quil", "."])


def test_the_line_s_end_after_a_comma_is_seen_in_a_word_s_shape() -> None:
    reader = NOTE_READERS["wordpiece"]
    ends, goes_on = reader.read_all(["John,\na", "John, a"])
    assert ends.shapes is not None
    assert goes_on.shapes is not None
    assert ends.ids.tolist() == goes_on.ids.tolist()
    assert (ends.shapes != goes_on.shapes).any()
