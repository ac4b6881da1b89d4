"""A reading tells where the words, numbers and lines of a note begin; patterns look only there."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from incognote.detect.note_index import NoteIndex
from incognote.detect.pattern import CodePattern, FigurePattern, LinePattern, Pattern, WordPattern

NOTES = st.text(alphabet="aAbBdrDRmM10259 .,:/-\n\téÉß", max_size=80)


@given(NOTES)
def test_words_are_the_runs_of_letters(text: str) -> None:
    note = NoteIndex(text)
    places = {place for word, found in note.words.items() for place in found}
    assert places == {match.start() for match in re.finditer(r"[^\W\d_]+", text)}
    for word, found in note.words.items():
        assert all(note.small.startswith(word, place) for place in found)


@given(st.text(max_size=60))
def test_small_letters_keep_their_places(text: str) -> None:
    assert len(NoteIndex(text).small) == len(text)


def test_a_word_glued_to_capitals_is_there_with_and_without_them() -> None:
    words = NoteIndex("plateBKT9914 McIver").words
    assert list(words["plate"]) == list(words["platebkt"]) == [0]
    assert list(words["mc"]) == list(words["mciver"]) == [13]


PATTERNS = (
    WordPattern(r"(?<![^\W_])(?i:dr|drs)\b\.?"),
    WordPattern(r"(?<!\w)(?:mr|dr)[ .]+\w", small=True),
    FigurePattern(r"\d(?<!\d\d)\d{0,2}(?!\d)[/-]\d+"),
    FigurePattern(r"\d(?<!\d\d)\d(?!\d)/\d", digits=[2], then="/"),
    CodePattern(r"[A-Z](?<![^\W_].)[A-Z]{0,3}\d+"),
    LinePattern(r"^[ \t]*[AB]\w", re.MULTILINE),
    LinePattern(r"^[ \t]*[AB]\w", re.MULTILINE, first="AB"),
    Pattern(r"\d+(?=[ ]?b)", needs=frozenset({"b"})),
)


@given(NOTES, st.sampled_from(PATTERNS))
def test_looking_in_few_places_finds_what_looking_everywhere_does(
    text: str, pattern: Pattern
) -> None:
    note = NoteIndex(text)
    everywhere = pattern.finditer(note.small if getattr(pattern, "small", False) else text)
    found = [match.span() for match in pattern.find(note)]
    wanted = [match.span() for match in everywhere]
    assert found == (wanted if not pattern.needs or "b" in note.words else [])


def test_an_answer_is_worked_out_once() -> None:
    asked = []

    def length(note: NoteIndex) -> int:
        asked.append(note)
        return len(note.text)

    note = NoteIndex("abc")
    assert (note.once(length), note.once(length)) == (3, 3)
    assert asked == [note]
