"""Words by vocabulary and by features: every character in a word, the same rows however a note is read."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from toy_corpus import toy

from incognote.align.feature_words import NEAR, OWN, learn_features
from incognote.align.long_notes import LongNote, portions_of
from incognote.align.note_reader import NoteReader
from incognote.align.tokens import spaces, within
from incognote.align.vocabulary_words import UNKNOWN, VocabularyWords, learn_vocabulary
from incognote.align.windows import coverage
from incognote.align.word_tokenizer import WordTokenizer
from incognote.base.errors import AlignError

TEXTS = [note.text for note in toy(12)]
VOCABULARY = learn_vocabulary(TEXTS).tokenizer
FEATURES = learn_features(TEXTS, {"city": {"Lima", "oslo"}, "name": {"ana", "Lima"}}, min_count=2)
BOTH = (VOCABULARY, FEATURES)
texts = st.text(
    st.sampled_from("aJé\u0301 \n\t.\x00\x07\x1c\x85\u200b\ufeff4/漢\ud800😀") | st.characters(),
    max_size=60,
)


@settings(deadline=None)
@given(text=texts)
def test_every_character_is_in_a_word_and_every_row_is_whole(text: str) -> None:
    for tokenizer in BOTH:
        (reading,) = NoteReader(tokenizer, window=6, overlap=2, shape=True).read_all([text])
        assert (within(reading.offsets, len(text)) | spaces(text)).all()
        assert coverage(text, reading.input_offsets, reading.windows).whole
        assert reading.ids.shape == (len(reading.offsets), tokenizer.row)
        assert reading.shapes is not None
        assert len(reading.shapes) == len(reading.ids)
        assert reading.ids.min(initial=0) >= 0
        assert reading.ids.max(initial=0) < tokenizer.rows_needed


@settings(deadline=None)
@given(texts=st.lists(texts, max_size=4))
def test_what_is_learned_is_written_and_read_again(texts: list[str]) -> None:
    """From any notes, half of a pair of surrogates among them."""
    for own in (
        learn_vocabulary(texts, more=["Ana"]).tokenizer,
        learn_features(texts, {"names": ["Ana"]}, min_count=1),
    ):
        stored = own.to_str().encode("utf-8").decode("utf-8")
        again = WordTokenizer.from_str(stored)
        assert type(again) is type(own)
        for text in (*texts, "Ana 1987"):
            np.testing.assert_array_equal(again.read(text).ids, own.read(text).ids)


@pytest.mark.parametrize("tokenizer", BOTH)
def test_a_long_note_read_in_portions_has_the_same_windows(tokenizer: WordTokenizer) -> None:
    text = "Ana Ruiz, MRN 123. \n" * 3000 + "y" * 20_000 + " end\n\u0301 of note."
    reader = NoteReader(tokenizer, window=30, overlap=8, shape=True)
    portions = portions_of(text, at_spaces=True)
    assert len(portions) > 10
    whole = reader.read_all([text])[0]
    note = LongNote(reader, text, portions)
    rows = [some.input(number) for some in note.some(7) for number in range(len(some.windows))]
    assert len(rows) == len(whole.windows)
    for own, other in zip(rows, whole.inputs(), strict=True):
        np.testing.assert_array_equal(own.ids, other.ids)
        np.testing.assert_array_equal(own.shapes, other.shapes)


def test_words_are_known_in_any_case_and_with_any_digits() -> None:
    learned = learn_vocabulary(["Ward 7 ward 7 Ruth"], more=["Zoe"])
    tokenizer = learned.tokenizer
    assert tokenizer.words == ("0", "ward", "zoe", "ruth")
    assert learned.common == 3  # what was seen once comes last
    ids = tokenizer.read("WARD 3 Zoe Xan").ids
    assert ids[:, 0].tolist() == [3, 2, 4, UNKNOWN]
    assert ids[0, 1] != ids[1, 1]
    assert tokenizer.read("Ward").ids[0, 1:5].min() > UNKNOWN


def test_of_a_long_word_the_ends_are_seen() -> None:
    tokenizer = VocabularyWords(words=(), letters="abcdefgh", per_word=4)
    assert tokenizer.read("abcdefgh").ids.tolist() == [[UNKNOWN, 2, 3, 8, 9]]


def test_features_are_what_a_reader_sees_of_a_word() -> None:
    texts = ["Lima Quito 2014", "Lima Quito 2014"]
    tokenizer = learn_features(texts, {"city": ["Lima", "Oslo"]}, min_count=2)

    def values(word: str) -> dict[str, str]:
        (row,) = tokenizer.read(word).ids.tolist()
        columns = [*NEAR, "city", *OWN]
        tables = dict(zip((*NEAR, *OWN), tokenizer.values, strict=True))
        starts = dict.fromkeys(columns, 1)
        for slots in (NEAR, OWN):
            begin = 1
            for slot in slots:
                starts[slot], begin = begin, begin + len(tables[slot])
        return {
            slot: tables[slot][number - starts[slot]] if slot in tables else "listed"
            for slot, number in zip(columns, row, strict=True)
            if number
        }

    assert values("LIMA") == {
        "word": "lima",
        "city": "listed",
        "length": "4",
        "prefix1": "l",
        "prefix2": "li",
        "prefix3": "lim",
        "suffix1": "a",
        "suffix2": "ma",
        "suffix3": "ima",
    }
    assert values("Oslo")["city"] == "listed"
    assert values("Oslo")["shape"] == "Xxxx"
    assert values("1987")["pattern"] == "0*4"
    assert values("1987")["word"] == "0000"


def settings_of(tokenizer: WordTokenizer) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(tokenizer.to_str())
    return content


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ({**settings_of(FEATURES), "definition": 9}, "features of version 9"),
        ({**settings_of(FEATURES), "values": [["a"]]}, "a list of values for each slot"),
        ({**settings_of(FEATURES), "gazetteers": {"a": [1]}}, "a list of values"),
        ({**settings_of(FEATURES), "gazetteers": 3}, "damaged"),
        ({**settings_of(VOCABULARY), "per_word": 1}, "2 letters of a word or more"),
        ({**settings_of(VOCABULARY), "words": [1]}, "a vocabulary has words"),
        ({**settings_of(VOCABULARY), "version": 7}, "version 7"),
    ],
)
def test_a_damaged_vocabulary_is_refused(content: dict[str, Any], says: str) -> None:
    with pytest.raises(AlignError, match=says):
        WordTokenizer.from_str(json.dumps(content))
