"""Joined tokens: every token in one of them, in order; what is judged is the word."""

from __future__ import annotations

import numpy as np
import pytest
from align.tiny_tokenizers import tiny_tokenizers
from hypothesis import given, settings
from hypothesis import strategies as st

from incognote.align.joined_tokens import CLOSING, NOTHING, OTHERS, join
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


def joined_texts(text: str, places: list[tuple[int, int]]) -> tuple[list[str], list[str]]:
    """What is given of each joined token, and what is judged, of tokens at these places."""
    made = join(text, Tokens(np.arange(len(places)), TokenOffsets.of(places), 0))
    return tuple(  # type: ignore[return-value]
        [text[start:end] for start, end in zip(offsets.starts, offsets.ends, strict=True)]
        for offsets in (made.input_offsets, made.offsets)
    )


@pytest.mark.parametrize("kind", READERS)
@settings(deadline=None)
@given(text=texts)
def test_every_token_is_in_one_joined_token_and_in_order(kind: str, text: str) -> None:
    tokens = READERS[kind].read(text)
    made = join(text, tokens)
    assert made.others is not None
    assert made.others.shape == (len(made.ids), OTHERS)
    laid = np.concatenate((made.ids[:, None], made.others), axis=1)
    assert laid[laid != NOTHING].tolist() == tokens.ids.tolist()
    assert len(made.ids) == len(made.offsets) == len(made.input_offsets) <= len(tokens.ids)
    assert (made.offsets.starts == made.input_offsets.starts).all()
    assert (made.offsets.ends <= made.input_offsets.ends).all()


@pytest.mark.parametrize("kind", READERS)
@settings(deadline=None)
@given(text=texts)
def test_only_closing_marks_are_given_and_not_judged(kind: str, text: str) -> None:
    tokens = READERS[kind].read(text)
    made = join(text, tokens)
    judged = within(made.offsets, len(text))
    for place in np.flatnonzero(within(tokens.offsets, len(text)) & ~judged & ~spaces(text)):
        assert text[place] in CLOSING


@pytest.mark.parametrize("kind", NOTE_READERS)
@settings(deadline=None)
@given(text=texts)
def test_the_whole_note_is_fed(kind: str, text: str) -> None:
    (reading,) = NOTE_READERS[kind].read_all([text])
    assert coverage(text, reading.input_offsets, reading.windows).whole
    assert reading.others is not None
    fed = [window.others for window in reading.inputs()]
    assert all(rows is not None and rows.shape[1] == OTHERS for rows in fed)


@settings(deadline=None)
@given(text=st.text(st.sampled_from("aJoné \n.,:;)('-_/%472漢"), max_size=60))
def test_no_joined_token_has_parts_of_two_words_but_closing_marks(text: str) -> None:
    made = join(text, READERS["wordpiece"].read(text))
    named = [(a, b) for a, b in words(text) if text[a].isalnum()]
    for start, end in zip(made.offsets.starts, made.offsets.ends, strict=True):
        assert sum(a < end and start < b for a, b in named) <= 1


@pytest.mark.parametrize(
    ("text", "inputs", "judged"),
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
def test_what_is_joined(text: str, inputs: list[str], judged: list[str]) -> None:
    assert joined_texts(text, words(text)) == (inputs, judged)


def test_a_long_word_is_several_joined_tokens() -> None:
    letters = [(place, place + 1) for place in range(7)]
    assert joined_texts("Quillo.", letters) == (["Quil", "lo."], ["Quil", "lo"])
    assert joined_texts("Quil...", letters) == (["Quil", "..."], ["Quil", "."])


def test_the_line_s_end_after_a_comma_is_seen_in_a_word_s_shape() -> None:
    reader = NOTE_READERS["wordpiece"]
    ends, goes_on = reader.read_all(["John,\na", "John, a"])
    assert ends.shapes is not None
    assert goes_on.shapes is not None
    assert ends.ids.tolist() == goes_on.ids.tolist()
    assert (ends.shapes != goes_on.shapes).any()
