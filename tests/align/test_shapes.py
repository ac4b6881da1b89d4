"""What is known of a token beside its id."""

from __future__ import annotations

import numpy as np
from align.tiny_tokenizers import tiny_tokenizers
from hypothesis import given
from hypothesis import strategies as st

from incognote.align.shapes import FEATURES, NO_SHAPE, ROWS, shapes
from incognote.align.tokens import TokenOffsets, TokenReader
from incognote.align.words import words


def told(text: str, feature: str) -> list[int]:
    """One feature of every word."""
    rows = shapes(text, TokenOffsets.of(words(text)))
    place = list(FEATURES).index(feature)
    return [int(row) for row in rows[:, place] - NO_SHAPE[place]]


def test_case() -> None:
    assert told("rosa Rosa ROSA R McCoy 12 ñ Ñu", "case") == [1, 4, 3, 2, 5, 0, 1, 4]


def test_digits_of_the_word() -> None:
    assert told("a 1 12 123 1234 12345 1234567 123456789012 A1", "digits") == [
        *(0, 1, 2, 3, 4, 5, 6, 7, 8)
    ]


def test_white_space_around() -> None:
    assert told("a b\tc  d\ne\r\n\r\nf.", "before") == [5, 1, 1, 2, 3, 4, 0]
    assert told("a b\tc  d\ne\r\n\r\nf.", "after") == [1, 1, 2, 3, 4, 0, 5]


def test_accents() -> None:
    assert told("José Jose e\u0301", "accents") == [1, 0, 1]


def test_a_piece_knows_its_word() -> None:
    text = "JOHN"
    rows = shapes(text, TokenOffsets.of([(0, 1), (1, 4)]))
    assert (rows[:, 0] - NO_SHAPE[0]).tolist() == [2, 3]
    assert (rows[:, 1] - NO_SHAPE[1]).tolist() == [3, 3]


@given(st.text(max_size=60), st.sampled_from(sorted(tiny_tokenizers())))
def test_every_piece_has_one_row_of_each_feature(text: str, kind: str) -> None:
    offsets = TokenReader(tiny_tokenizers()[kind]).read(text).offsets
    rows = shapes(text, offsets)
    ends = np.append(NO_SHAPE[1:], ROWS)
    assert rows.shape == (len(offsets), len(FEATURES))
    assert ((rows >= NO_SHAPE) & (rows < ends)).all()
