"""Words as rows of numbers: every character of a note is in one, however odd or long."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from incognote.align.long_notes import LongNote, portions_of
from incognote.align.note_reader import NoteReader
from incognote.align.tokens import spaces, within
from incognote.align.windows import coverage
from incognote.align.word_tokenizer import ByteWords, WordTokenizer, character_ids
from incognote.align.words import words
from incognote.base.errors import AlignError

READER = NoteReader(ByteWords(), window=6, overlap=2)
texts = st.text(
    st.sampled_from("aJé\u0301 \n\t.\x00\x07\x1c\x85\u200b\ufeff4/漢\ud800😀") | st.characters(),
    max_size=60,
)


def written(row: np.ndarray) -> str:
    """The text that a row stands for."""
    inner = row[1 : int((row == 260).argmax())]
    return bytes((inner - 1).tolist()).decode("utf-8", "surrogatepass")


@settings(deadline=None)
@given(text=texts)
def test_rows_spell_the_words_and_no_character_is_without_one(text: str) -> None:
    (reading,) = READER.read_all([text])
    places = reading.offsets
    assert (within(places, len(text)) | spaces(text)).all()
    assert coverage(text, reading.input_offsets, reading.windows).whole
    spelled = [text[a:b] for a, b in zip(places.starts, places.ends, strict=True)]
    assert [written(row) for row in reading.ids] == spelled
    starts = set(places.starts.tolist())
    assert all(start in starts for start, _ in words(text))


@given(text=st.text(st.sampled_from("ab1. é漢"), max_size=40))
def test_short_words_are_the_rows_that_were_published(text: str) -> None:
    expected = character_ids([text[a:b] for a, b in words(text)])
    windowed = NoteReader(ByteWords(), window=100, overlap=2).read_all([text])[0]
    for window in windowed.inputs():
        np.testing.assert_array_equal(window.ids, expected)


def test_of_a_word_of_ten_thousand_characters_the_model_is_given_every_one() -> None:
    text = "x " + "é漢a" * 3334 + "\nend"
    (reading,) = READER.read_all([text])
    assert "".join(written(row) for row in reading.ids) == "".join(text.split())
    assert (reading.ids[:, 0] == 259).all()
    assert len(reading.ids) < 10_002 * 6 / 3 / 44


def test_windows_have_the_rows_of_a_sentences_ends_around_them() -> None:
    (reading,) = READER.read_all(["a b c d e f g h i j"])
    for window in reading.inputs():
        assert window.ids[0, :3].tolist() == [259, 257, 260]
        assert window.ids[-1, :3].tolist() == [259, 258, 260]
        assert window.segments is None
    assert READER.read_all([""])[0].ids.shape == (0, 50)
    assert not list(READER.read_all(["", " \n "])[1].inputs())


def test_a_long_note_read_in_portions_has_the_same_windows() -> None:
    text = "Ana Ruiz, MRN 123. " * 4000 + "y" * 600_000 + " end\n\u0301 of note."
    portions = portions_of(text, at_spaces=True)
    assert len(portions) > 10
    whole = READER.read_all([text])[0]
    note = LongNote(READER, text, portions)
    rows = [some.input(number) for some in note.some(7) for number in range(len(some.windows))]
    assert len(rows) == len(whole.windows)
    for own, other in zip(rows, whole.inputs(), strict=True):
        np.testing.assert_array_equal(own.ids, other.ids)


def test_a_reader_of_words_is_written_and_read_again(tmp_path: Path) -> None:
    own = ByteWords(per_word=20)
    own.save(str(tmp_path / "words.json"))
    assert WordTokenizer.from_file(tmp_path / "words.json") == own
    assert own.read("x" * 40).ids.shape == (3, 20)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("{", "damaged"),
        ("[]", "damaged"),
        ('{"version": 1, "kind": "none"}', "damaged"),
        ('{"version": 1, "kind": "bytes", "more": 1}', "damaged"),
        ('{"version": 9, "kind": "bytes"}', "version 9"),
        ('{"version": 1, "kind": "bytes", "per_word": 2}', "6 places"),
        ('{"version": 1, "kind": "bytes", "per_word": "50"}', "6 places"),
    ],
)
def test_a_damaged_description_is_refused_by_name(tmp_path: Path, content: str, says: str) -> None:
    path = tmp_path / "words.json"
    path.write_text(content)
    with pytest.raises(AlignError, match=rf"words\.json: .*{says}"):
        WordTokenizer.from_file(path)
    with pytest.raises(AlignError, match="missing"):
        WordTokenizer.from_file(tmp_path / "none.json")


def test_joining_is_for_tokens() -> None:
    with pytest.raises(AlignError, match="reads words"):
        NoteReader(ByteWords(), window=6, overlap=2, join=True)
