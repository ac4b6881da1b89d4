"""Words, marks, and texts in which nothing else changes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from incognote.workshop.restore.words import (
    MARKS,
    Restored,
    dictated,
    rewritten,
    words_of,
)

NOTES = st.text(
    alphabet=st.one_of(
        st.sampled_from("abcXYZ 12.,?:;!-/()\"'\n\t\r İßﬁΣ▁👍"), st.characters(codec="utf-8")
    ),
    max_size=80,
)
GUESSES = st.builds(
    Restored, text=st.text(max_size=6), mark=st.sampled_from([*MARKS, "", "x", "..", " "])
)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Denies pain.", [("Denies", ""), ("pain", ".")]),
        (
            "BP 120/80, on 3.5 mg",
            [("BP", ""), ("120/80", ","), ("on", ""), ("3.5", ""), ("mg", "")],
        ),
        ('said "stop."', [("said", ""), ('"stop', ".")]),
        ("(left). wait... e.g. no", [("(left)", "."), ("wait", "."), ("e.g", "."), ("no", "")]),
        ("PLAN: - ... , 1.", [("PLAN", ":"), ("-", ""), ("1", ".")]),
        (" \n\t", []),
    ],
)
def test_words_and_what_ends_them(text: str, words: list[tuple[str, str]]) -> None:
    found = words_of(text)
    assert [(word.text, word.mark) for word in found] == words
    assert all(text[word.start : word.end] == word.text for word in found)


def test_dictation_has_small_letters_and_no_marks() -> None:
    text = 'PLAN:\n  1.  Aspirin, 81 mg (daily).\tShe said "No."\r\n'
    assert dictated(text) == 'plan\n  1  aspirin 81 mg (daily)\tshe said "no\r\n'


@given(NOTES)
def test_what_is_dictated_has_the_same_words(text: str) -> None:
    words, spoken = words_of(text), words_of(dictated(text))
    assert [word.spoken for word in spoken] == [word.spoken for word in words]
    assert not any(word.mark for word in spoken)


@given(NOTES, st.data())
def test_whatever_is_guessed_words_and_white_space_stay(text: str, data: st.DataObject) -> None:
    words = words_of(text)
    guesses = data.draw(st.lists(GUESSES, min_size=len(words), max_size=len(words)))
    changed = rewritten(text, words, guesses)
    assert [run for run in changed if run.isspace()] == [run for run in text if run.isspace()]
    before, after = text.split(), changed.split()
    assert len(before) == len(after)
    for old, new in zip(before, after, strict=True):
        assert new.lower() == old.lower() or (
            new[-1] in MARKS and new[:-1].lower() == old.lower() and old[-1] not in MARKS
        )


def test_capitals_and_marks_that_are_there_stay() -> None:
    text = "McAfee said, ok"
    words = words_of(text)
    guesses = [Restored("mcafee", "."), Restored("SAID", "?"), Restored("Ok", ".")]
    assert rewritten(text, words, guesses) == "McAfee. SAID, Ok."


def test_another_word_is_never_put_in() -> None:
    words = words_of("no pain")
    assert rewritten("no pain", words, [Restored("Yes", "."), Restored("", ",")]) == "no. pain,"
