"""What the eye does not see must not hide an identifier from the rules."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from incognote.detect.finder import Finder
from incognote.detect.normalise import normal_texts
from incognote.document import Document, Span

INVISIBLE = "\u00ad\u200b\u200d\u200e\u202a\u2060\ufeff"
NOTE = "Patient: John Quixxalby, MRN 77301946, tel 617-555-0199, seen by Dr. Amanda Zorbelheim"
IDENTIFIERS = ("John", "Quixxalby", "77301946", "617-555-0199", "Amanda", "Zorbelheim")


def left_of(text: str, known: tuple[tuple[str, str], ...] = ()) -> str:
    """The note without its findings and without what cannot be seen."""
    spans = Finder().detect(Document("", text, known=known)).spans
    for span in reversed(spans):
        assert text[span.start : span.end] == span.text
        text = f"{text[: span.start]}|{text[span.end :]}"
    return "".join(character for character in text if character not in INVISIBLE)


@pytest.mark.parametrize("hidden", INVISIBLE)
@pytest.mark.parametrize("word", IDENTIFIERS)
def test_a_character_within_a_word_or_number_hides_nothing(word: str, hidden: str) -> None:
    for at in range(len(word) + 1):
        left = left_of(NOTE.replace(word, word[:at] + hidden + word[at:]))
        assert left == left_of(NOTE), f"{word} cut at {at}"


def test_a_character_in_place_of_a_blank_hides_nothing() -> None:
    assert "Quixxalby" not in left_of("Patient: John\u200bQuixxalby was seen")
    assert "77301946" not in left_of("MRN:\u206077301946")


@pytest.mark.parametrize("blank", "\u2002\u2007\u2009\u202f\u3000")
def test_odd_blanks_are_blanks(blank: str) -> None:
    assert left_of(NOTE.replace(" ", blank)) == left_of(NOTE).replace(" ", blank)


def test_digits_of_other_scripts_and_of_full_width_are_digits() -> None:
    assert left_of("MRN \uff17\uff17\uff13\uff10\uff11\uff19\uff14\uff16 seen") == "MRN | seen"
    assert left_of("MRN \u0667\u0667\u0663\u0660\u0661\u0669\u0664\u0666 seen") == "MRN | seen"


def test_a_known_value_is_found_through_them() -> None:
    known = (("PATIENT", "Quixxalby"),)
    assert "xxalby" not in left_of("today qui\u00adxxalby came", known)


@given(st.text(alphabet="aB 7\u200b\u00ad\ufeff\u3000\uff11é", max_size=30))
def test_every_place_leads_back(note: str) -> None:
    for plain in normal_texts(note):
        for at, character in enumerate(plain.text):
            (span,) = plain.in_note(note, [Span(at, at + 1, "DATE", character)])
            assert span.text == note[span.start : span.end]
            assert character in ("1", " ", span.text)


def test_a_plain_note_is_read_as_it_is() -> None:
    assert normal_texts("Seen by Dr. Müller – “well”\xa0today") == []
