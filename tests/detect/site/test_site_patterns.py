"""A site's patterns: exact places, linear time, context words and check digits."""

from __future__ import annotations

import random
import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from incognote.detect.note_index import NoteIndex
from incognote.detect.site.patterns import LONGEST, LinearPattern, SitePattern

TEXTS = st.text(
    st.sampled_from(["a", "b", "1", "2", " ", "\n", "é", "ß", "İ", "漢", "😀", "\ud800", "\u0301"])
)


def found(pattern: str, text: str, **options: object) -> list[str]:
    row = SitePattern("row", "IDNUM", LinearPattern(pattern), **options)  # type: ignore[arg-type]
    return [text[start:end] for start, end in row.find(NoteIndex(text))]


@given(TEXTS, st.sampled_from(["a+", "[0-9]+", "é", "(?:ab|a)1?", "[^ab ]+", "a(?:.*b)?", "漢?1"]))
@settings(max_examples=200, deadline=None)
def test_places_are_code_points_in_any_text(text: str, pattern: str) -> None:
    ours = LinearPattern(pattern).find(NoteIndex(text))
    assert ours == [match.span() for match in re.finditer(pattern, text)]


@given(st.integers(0, 3 * LONGEST), st.sampled_from(["x", "é", "😀"]))
@settings(max_examples=60, deadline=None)
def test_a_match_is_found_wherever_it_stands(before: int, filling: str) -> None:
    text = filling * before + " ODL-1234 " + filling * 2 * LONGEST + " ODL-5678"
    places = LinearPattern(r"ODL-\d{4}").find(NoteIndex(text))
    assert [text[start:end] for start, end in places] == ["ODL-1234", "ODL-5678"]


def test_a_group_may_be_what_is_wanted() -> None:
    text = "key é: ODL-17, key ü: ODL-18"
    for group in (1, "number"):
        pattern = LinearPattern(r"key \pL: (?P<number>ODL-\d+)", group=group)
        assert [text[start:end] for start, end in pattern.find(NoteIndex(text))] == [
            "ODL-17",
            "ODL-18",
        ]
    optional = LinearPattern(r"a(b)?", group=1)
    assert optional.find(NoteIndex("a ab")) == [(3, 4)]


def test_a_match_ends_with_the_most_characters_it_may_have() -> None:
    places = LinearPattern(r"1+").find(NoteIndex("1" * (2 * LONGEST + 50) + " 11"))
    assert sum(end - start for start, end in places) == 2 * LONGEST + 52


@pytest.mark.parametrize(
    "pattern",
    [r"(a+)+$", r"(a|aa)+b", r"a([\s\S]*z)?", r"(x+x+)+y", r"(.*)(.*)(.*)(.*)z", r"a", r"[ab]+?b"],
)
@pytest.mark.parametrize("filling", ["a", "ab", "aé"])
def test_work_grows_with_the_note_whatever_the_pattern(pattern: str, filling: str) -> None:
    linear = LinearPattern(pattern)
    linear.check_syntax()

    def seconds(size: int) -> float:
        note = NoteIndex(filling * size)
        start = time.perf_counter()
        linear.find(note)
        return time.perf_counter() - start

    seconds(100)
    # Backtracking would take years, and looking on to the end from each place the square.
    assert seconds(20_000) < 4.0


def test_random_patterns_never_hang() -> None:
    draws = random.Random(7)
    parts = ["a", "b", "(", ")", "*", "+", "?", "|", "{2,9}", ".", "[ab]", "$", r"\w", r"\pL"]
    note = NoteIndex("ab" * 1_000)
    start = time.perf_counter()
    for _ in range(150):
        pattern = LinearPattern("".join(draws.choices(parts, k=12)))
        try:
            pattern.check_syntax()
        except ValueError:
            continue
        pattern.find(note)
    assert time.perf_counter() - start < 10


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("study ODL-17", ["ODL-17"]),
        ("STUDY: ODL-17", ["ODL-17"]),
        ("Trial\n no. 4, ODL-17", ["ODL-17"]),
        ("studying ODL-17", []),
        ("ODL-17 is of the study", []),
        ("study of a rather long name indeed, ODL-17", []),
        ("ODL-17", []),
    ],
)
def test_words_before_a_match(text: str, words: list[str]) -> None:
    assert found(r"ODL-\d+", text, before=("study", "trial no."), reach=20) == words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("17 study", ["17"]),
        ("17 studying", []),
        ("17 (study)", ["17"]),
        ("17 is of a study", []),
        ("study 17", []),
    ],
)
def test_words_after_a_match(text: str, words: list[str]) -> None:
    assert found(r"\d+", text, after=("Study",), reach=7) == words


def test_words_on_both_sides_must_both_be_there() -> None:
    sides = {"before": ("bed",), "after": ("ward",)}
    assert found(r"\d+", "bed 17, ward", **sides) == ["17"]
    assert found(r"\d+", "bed 17", **sides) == []
    assert found(r"\d+", "17, ward", **sides) == []


@pytest.mark.parametrize(
    ("check", "right", "wrong"),
    [
        ("luhn", "79927398713", "79927398714"),
        ("mod11", "0-306-40615-2", "0-306-40615-3"),
        ("mod11", "0-8044-2957-X", "0-8044-2957-0"),
        ("nhs", "943 476 5919", "943 476 5918"),
        ("npi", "1234567893", "1234567894"),
        ("dea", "AB1234563", "AB1234564"),
        ("vin", "1M8GDM9AXKP042788", "1M8GDM9A0KP042788"),
        ("iban", "GB82 WEST 1234 5698 7654 32", "GB83 WEST 1234 5698 7654 32"),
        ("card", "4111 1111 1111 1111", "4111 1111 1111 1112"),
    ],
)
def test_check_digits_by_name(check: str, right: str, wrong: str) -> None:
    pattern = r"[0-9A-Z][0-9A-Z -]+"
    assert found(pattern, f"{right};{wrong}", check=check) == [right]
