"""Open clinical texts: their lines restored, placeholders named, doubtful sentences dropped."""

from __future__ import annotations

import pytest
from generator.prepare.layout import restore_lines, sentences
from generator.prepare.placeholders import name_placeholders
from generator.prepare.screen import Screen

from incognote.detect.finder import Finder
from incognote.document import Document

SCREEN = Screen(
    {"foley", "she", "the", "seen", "on", "pain", "history"}, {"karen", "boston", "foley"}
)


def kept(text: str) -> list[tuple[str, str]] | None:
    """The marked values of a text, or nothing if it was dropped."""
    named, placed = name_placeholders(text)
    spans = Finder().detect(Document("", named)).spans
    left, marks = SCREEN.keep(named, placed, spans)
    return [(left[start:end], type) for start, end, type in marks] if left.strip() else None


def test_commas_become_lines_again() -> None:
    text = "SUBJECTIVE:,  This man has pain.,MEDICATIONS: , 1.  Aspirin.,2.  Zocor, daily.,PLAN:, None."
    assert restore_lines(text).split("\n") == [
        "SUBJECTIVE:",
        "This man has pain.",
        "",
        "MEDICATIONS:",
        "1.  Aspirin.",
        "2.  Zocor, daily.",
        "",
        "PLAN:",
        "None.",
    ]


def test_a_title_does_not_end_a_sentence() -> None:
    line = "Seen by Dr. Roux today. She is well."
    assert [line[start:end] for start, end in sentences(line)] == [
        "Seen by Dr. Roux today. ",
        "She is well.",
    ]


def test_placeholders_are_marked() -> None:
    text, found = name_placeholders("Dr. X saw Mr. ABC at ABCD General Hospital on MM/DD/YYYY.")
    assert [(text[start:end], type) for start, end, type in found[:3]] == [
        ("Xstand", "DOCTOR"),
        ("Abcstand", "PATIENT"),
        ("Abcdstand General Hospital", "HOSPITAL"),
    ]
    assert found[3][2] == "DATE"


@pytest.mark.parametrize(
    ("text", "marks"),
    [
        ("This is a 54-year-old man with pain.", [("54", "AGE")]),
        ("Surgery was done on 03/14/2007.", [("03/14/2007", "DATE")]),
        ("Foley catheter was placed.", []),
        ("The pain was 5/10 for 3 weeks.", []),
    ],
)
def test_plain_sentences_are_kept_with_their_marks(text: str, marks: list[tuple[str, str]]) -> None:
    assert kept(text) == marks


@pytest.mark.parametrize(
    "text",
    [
        "She lives in Boston with family.",
        "He is retired from the mill.",
        "Her sister Karen was with her.",
        "Seen on ____ by staff.",
        "Children ages 15 and 16 at home.",
        "I'm nineteen, sir.",
        "The year was 1984 or so, XXXX.",
    ],
)
def test_doubtful_sentences_are_dropped(text: str) -> None:
    assert kept(text) is None
