"""Known values: every mention of what a table gave."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rule_cases import CASES, Case, parse

from incognote.detect.known import KnownValues, as_known, find_known
from incognote.detect.note_index import NoteIndex
from incognote.document import Span

Known = tuple[tuple[str, str], ...]


def _load() -> list[tuple[Known, Case]]:
    lines = (CASES / "known.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    return [
        (tuple((type, value) for type, value in row["known"]), parse(row["text"], row["why"]))
        for row in rows
    ]


ROWS = _load()


@pytest.mark.parametrize(("known", "case"), ROWS, ids=[case.why for _, case in ROWS])
def test_case(known: Known, case: Case) -> None:
    spans = find_known(NoteIndex(case.text), known)
    found = sorted((span.start, span.end, span.type) for span in spans)
    assert found == sorted(case.marks), case.why


@pytest.mark.parametrize(
    ("name", "marked"),
    [
        ("Le, Van", "[[PATIENT|Le, Van]]. [[PATIENT|Van Le]]. Ms. [[PATIENT|Le]] came"),
        ("Le, Van", "Le said so to Dr. Le at le van."),
        ("Van Le", "Ms. [[PATIENT|Van Le]] came. [[PATIENT|VAN LE]]. [[PATIENT|van le]]"),
        ("Do, An", "[[PATIENT|Do, An]]; [[PATIENT|An Do]]; What can he do. An MRI; will do an MRI"),
        ("Ho, Le", "[[PATIENT|Ho, Le]]; [[PATIENT|Le Ho]]"),
        ("Le, Van Thi", "[[PATIENT|Van Le]]; [[PATIENT|LE, VAN THI]]"),
        ("Van den Berg", "[[PATIENT|Van den Berg]] came"),
        ("Ibn Al", "[[PATIENT|Ibn Al]] came"),
        ("San Du", "[[PATIENT|DU,SAN]] came"),
        ("X Y", "[[PATIENT|X Y]] came. [[PATIENT|Y, X]]; the x y axis"),
        ("李小龍", "病人[[PATIENT|李小龍]]來了"),
        ("김, 철수", "[[PATIENT|김철수]]씨 [[PATIENT|철수 김]]"),
        ("Will Price", "[[PATIENT|will price]] came; the price will rise"),
        ("Young, Mark", "[[PATIENT|mark young]]; [[PATIENT|young, mark]]; a young mark"),
    ],
)
def test_the_full_name_is_found_whatever_its_words_mean(name: str, marked: str) -> None:
    case = parse(marked, name)
    spans = find_known(NoteIndex(case.text), (("PATIENT", name),))
    assert sorted((span.start, span.end, span.type) for span in spans) == sorted(case.marks)


def test_a_doctor_whose_name_is_a_particle() -> None:
    (span,) = find_known(NoteIndex("Dr. Le said le."), (("DOCTOR", "Le, Van"),))
    assert (span.text, span.type) == ("Le", "DOCTOR")


def test_there_are_enough_cases() -> None:
    positive = sum(bool(case.marks) for _, case in ROWS)
    assert positive >= 40
    assert len(ROWS) - positive >= 40


def test_the_patient_has_the_initials_that_a_doctor_shares() -> None:
    row = KnownValues((("DOCTOR", "Jane Sato"), ("PATIENT", "John Smith")))
    assert [span.type for span in row.find(NoteIndex("Seen with JS."))] == ["PATIENT"]


def test_others_call_a_place_what_the_table_calls_it() -> None:
    text = "Signed: JS at Smith Memorial Hospital"
    known = find_known(NoteIndex(text), (("PATIENT", "John Smith"),))
    others = [
        Span.of(text, 8, 10, "DOCTOR", source="model"),
        Span.of(text, 14, 37, "HOSPITAL", source="model"),
    ]
    named = as_known(text, others, known)
    assert [(span.start, span.end, span.type) for span in named] == [
        (8, 10, "PATIENT"),
        (14, 37, "HOSPITAL"),
    ]


FORMS = (
    "Ngozi Okafor",
    "OKAFOR, NGOZI",
    "N.O.",
    "Okaffor",
    "3/14/1958",
    "14Mar58",
    "March 14, 1958",
    "004719926",
    "914.705.3381",
    "18 Quarry Lane",
)
ROW = KnownValues(
    (
        ("PATIENT", "Okafor, Ngozi"),
        ("DATE", "1958-03-14"),
        ("MEDICALRECORD", "00471-9926"),
        ("PHONE", "(914) 705-3381"),
        ("STREET", "18 Quarry Ln"),
    )
)
FILLER = st.text(alphabet="abcxyz .,;\n", max_size=60)


@given(FILLER, st.sampled_from(FORMS), FILLER)
def test_a_planted_value_is_found_anywhere(before: str, form: str, after: str) -> None:
    text = f"{before} {form} {after}"
    start = len(before) + 1
    assert any(
        span.start <= start and span.end >= start + len(form.rstrip("."))
        for span in ROW.find(NoteIndex(text))
    )


@given(st.text(max_size=200))
def test_spans_agree_with_the_text(text: str) -> None:
    for span in ROW.find(NoteIndex(text)):
        assert text[span.start : span.end] == span.text
        assert (span.source, span.score) == ("known", 0.99)


def test_a_value_every_fifty_characters_is_found_each_time() -> None:
    unit = "seen and examined without complaints today. ".ljust(50)
    text = "".join(unit + FORMS[place % len(FORMS)] + " " for place in range(400))
    assert len(ROW.find(NoteIndex(text))) >= 400
