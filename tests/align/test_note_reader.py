"""A model is given every character of a note, those too that its tokenizer drops."""

from __future__ import annotations

import pytest
from align.tiny_tokenizers import tiny_tokenizers
from hypothesis import given, settings
from hypothesis import strategies as st

from incognote.align.reading import NoteReader
from incognote.align.units import spaces, within
from incognote.align.windows import coverage

texts = st.text(st.sampled_from("aJé\u0301 \n\t.\x00\x07\u200b\ufeff4/漢"), max_size=40)
READERS = {
    kind: NoteReader(tokenizer, window=6, overlap=2, shape=True)
    for kind, tokenizer in tiny_tokenizers().items()
}


@pytest.mark.parametrize("kind", READERS)
@settings(deadline=None)
@given(text=texts)
def test_no_character_is_without_a_piece(kind: str, text: str) -> None:
    (reading,) = READERS[kind].read_all([text])
    assert (within(reading.units, len(text)) | spaces(text)).all()
    assert coverage(text, reading.units, reading.windows).whole
    assert len(reading.ids) == len(reading.units) == len(reading.shapes)  # type: ignore[arg-type]
    solid = reading.units.ends > reading.units.starts
    assert (reading.units.starts[solid][1:] >= reading.units.starts[solid][:-1]).all()


def test_unknown_pieces_stand_in_the_place_of_what_is_dropped() -> None:
    reader = READERS["wordpiece"]
    plain, odd = reader.read_all(["John a", "John \x00\x07 a \x07"])
    ids, places = odd.ids.tolist(), list(zip(odd.units.starts, odd.units.ends, strict=True))
    assert ids == [*plain.ids[:-1], ids[-1], plain.ids[-1], ids[-1]]
    assert places[-3:] == [(5, 7), (8, 9), (10, 11)]
