"""Propagation: a name found once is found in all its mentions."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rule_cases import CASES, Case, parse

from incognote.detect.note_index import NoteIndex
from incognote.detect.propagate import propagate
from incognote.document import Span


def _load() -> list[tuple[list[int], Case]]:
    lines = (CASES / "propagate.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    return [(row["given"], parse(row["text"], row["why"])) for row in rows]


ROWS = _load()


@pytest.mark.parametrize(("origins", "case"), ROWS, ids=[case.why for _, case in ROWS])
def test_case(origins: list[int], case: Case) -> None:
    marks = list(case.marks)
    known = [
        Span.of(case.text, *marks[place], score=0.9, source="rules.names") for place in origins
    ]
    wanted = [mark for place, mark in enumerate(marks) if place not in origins]
    found = propagate(NoteIndex(case.text), known)
    assert sorted((span.start, span.end, span.type) for span in found) == wanted, case.why
    assert all(span.source == "propagated" and span.score < 0.9 for span in found)


def test_there_are_enough_cases() -> None:
    positive = sum(len(case.marks) > len(origins) for origins, case in ROWS)
    assert positive >= 40
    assert len(ROWS) - positive >= 40


FILLER = st.text(alphabet="abcxyz .,;\n", max_size=60)


@given(FILLER, st.sampled_from(["Okafor", "Ngozi", "OKAFOR", "Okafor, Ngozi"]), FILLER)
def test_a_mention_is_found_anywhere(before: str, form: str, after: str) -> None:
    text = f"Patient: Ngozi Okafor\n{before} {form} {after}"
    start = len("Patient: Ngozi Okafor\n") + len(before) + 1
    found = propagate(NoteIndex(text), [Span.of(text, 9, 21, "PATIENT", score=0.9)])
    assert any(span.start <= start and span.end >= start + len(form) for span in found)


@given(st.text(max_size=120), st.integers(0, 100), st.integers(1, 20))
def test_spans_agree_with_the_text(text: str, start: int, length: int) -> None:
    start = min(start, len(text))
    origin = Span.of(text, start, min(len(text), start + length), "PATIENT")
    for span in propagate(NoteIndex(text), [origin]):
        assert text[span.start : span.end] == span.text


def test_nothing_to_propagate() -> None:
    assert propagate(NoteIndex("Resting comfortably."), []) == []


def test_one_finder_may_name_what_the_other_marked() -> None:
    text = "Seen by Dr. Okafor. Later Okafor and Ruiz came; Ruiz left."
    rules = [Span.of(text, 12, 18, "DOCTOR", score=0.9)]
    okafor, ruiz = text.rindex("Okafor"), text.index("Ruiz")
    model = [
        Span.of(text, okafor, okafor + 6, "CITY", score=0.5),
        Span.of(text, ruiz, ruiz + 4, "PATIENT", score=0.8),
    ]
    found = {(span.start, span.type) for span in propagate(NoteIndex(text), rules, model)}
    assert found == {(okafor, "DOCTOR"), (text.rindex("Ruiz"), "PATIENT")}
