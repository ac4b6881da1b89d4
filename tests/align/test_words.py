from __future__ import annotations

import sys
import unicodedata

import pytest
from align.aligned import texts
from hypothesis import given
from hypothesis import strategies as st

from incognote.align.words import _unicode, combining_marks, table_of_words, words


def split(text: str) -> list[str]:
    return [text[start:end] for start, end in words(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        (" \t\r\n\u00a0\u2028", []),
        ("Seen 3/14/19.", ["Seen", "3", "/", "14", "/", "19", "."]),
        ("54yo M, jr_417", ["54yo", "M", ",", "jr", "_", "417"]),
        ("john\r\nsmith", ["john", "smith"]),
        ("...", [".", ".", "."]),
        ("½ x² Ⅷ", ["½", "x²", "Ⅷ"]),
        ("Núñez 李明 Ωμέγα", ["Núñez", "李明", "Ωμέγα"]),
        ("Nu\u0301n\u0303ez", ["Nu\u0301n\u0303ez"]),
        ("हिन्दी भाषा", ["हिन्दी", "भाषा"]),
        ("-\u0301a", ["-\u0301", "a"]),
        ("a \u0301\u0308b", ["a", "\u0301\u0308", "b"]),
        ("❤\ufe0f!", ["❤\ufe0f", "!"]),
        ("Jo\u200bhn Sm\u00adith", ["Jo\u200bhn", "Sm\u00adith"]),
        ("می\u200cخواهم", ["می\u200cخواهم"]),
        ("Jo\u200d\u200bhn", ["Jo\u200d\u200bhn"]),
        ("\ufeffJohn\u200b Doe\u200e.", ["\ufeff", "John", "\u200b", "Doe", "\u200e", "."]),
        ("👩\u200d👧", ["👩", "\u200d", "👧"]),
        ("a\ud800b", ["a", "\ud800", "b"]),
    ],
)
def test_examples(text: str, expected: list[str]) -> None:
    assert split(text) == expected
    assert table_of_words(text).tolist() == [list(place) for place in words(text)]


@given(texts)
def test_the_table_has_the_same_words(text: str) -> None:
    assert table_of_words(text).tolist() == [list(place) for place in words(text)]


@given(texts)
def test_every_character_but_white_space_is_in_one_word(text: str) -> None:
    found = words(text)
    inside = [place for start, end in found for place in range(start, end)]
    assert inside == [place for place, character in enumerate(text) if not character.isspace()]


@given(texts)
def test_letters_and_digits_that_touch_are_in_one_word(text: str) -> None:
    cuts = {start for start, _ in words(text)}
    for place in range(1, len(text)):
        if text[place - 1].isalnum() and text[place].isalnum():
            assert place not in cuts


@given(st.text(st.characters(codec="ascii"), max_size=60))
def test_ascii_notes_are_split_as_all_others(text: str) -> None:
    assert words(text) == [match.span() for match in _unicode().finditer(text)]


def test_marks_are_all_marks_of_unicode() -> None:
    inside = combining_marks()
    listed = {
        code
        for first, last in zip(inside[::3], inside[2::3], strict=True)
        for code in range(ord(first), ord(last) + 1)
    }
    assert listed == {
        code for code in range(sys.maxunicode + 1) if unicodedata.category(chr(code))[0] == "M"
    }


def test_long_runs_are_read_once() -> None:
    for unit in ("\u200b", "\u0301", "a\u200b", "a\u0301\u200b", "_"):
        text = "é" + unit * 50_000
        assert words(text)[-1][1] == len(text)
