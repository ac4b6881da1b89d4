"""Rules and model together: who counts, who names, and that nothing falls out by the way."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from incognote.detect.decisions import assign_types, counting, trimmed
from incognote.detect.detector import Detection
from incognote.detect.finder import Sure, join
from incognote.detect.known import find_known
from incognote.detect.merge import merge
from incognote.detect.note_index import NoteIndex
from incognote.document import Span
from incognote.onnx.model_folder import DECISIONS, NAMERS, Hybrid

TYPES = ("CITY", "DATE", "PATIENT")
TEXT = "Ana Ruiz saw Bo in Oslo on 3/4/2011 zig zag zug."


def mark(part: str, type: str, source: str = "model") -> Span:
    start = TEXT.index(part)
    return Span.of(TEXT, start, start + len(part), type, source=source)


def decided(rules: Sequence[Span], model: Sequence[Span], hybrid: Hybrid) -> list[Span]:
    return assign_types(*counting(rules, model, hybrid), hybrid)


def kept(rules: Sequence[Span], model: Sequence[Span], hybrid: Hybrid) -> list[tuple[str, str]]:
    return sorted((span.text, span.type) for span in decided(rules, model, hybrid))


@pytest.mark.parametrize(
    ("decision", "expected"),
    [
        ("union", ["Ana", "Ana Ruiz", "Bo", "zig"]),
        ("rules", ["Ana", "Bo"]),
        ("model", ["Ana Ruiz", "zig"]),
        ("both agree", ["Ana", "Ana Ruiz"]),
    ],
)
def test_each_type_by_its_decision(decision: str, expected: list[str]) -> None:
    rules = [mark("Ana", "PATIENT"), mark("Bo", "PATIENT"), mark("Oslo", "CITY")]
    model = [mark("Ana Ruiz", "PATIENT"), mark("3/4/2011", "DATE"), mark("zig", "PATIENT")]
    found = kept(rules, model, Hybrid(decisions={"PATIENT": decision}))
    assert [text for text, type in found if type == "PATIENT"] == expected
    assert [text for text, type in found if type != "PATIENT"] == ["3/4/2011", "Oslo"]


def test_agreement_is_about_the_place() -> None:
    """A name that one takes for a patient's and the other for a town is a name."""
    agree = Hybrid(decisions=dict.fromkeys(TYPES, "both agree"))
    assert len(kept([mark("Oslo", "CITY")], [mark("Oslo", "PATIENT")], agree)) == 2


def test_who_names_what_both_mark() -> None:
    rules, model = [mark("Ana Ruiz", "PATIENT")], [mark("Ana Ruiz saw", "CITY")]
    for namer, type in (("rules", "PATIENT"), ("model", "CITY")):
        found = kept(rules, model, Hybrid(names={"PATIENT": namer}))
        assert found == [("Ana Ruiz", type), ("Ana Ruiz saw", type)]
    assert {type for _, type in kept(rules, model, Hybrid())} == {"PATIENT", "CITY"}
    longer = [mark("Ana Ruiz saw Bo in Oslo", "CITY")]
    assert kept(rules, longer, Hybrid(names={"PATIENT": "rules"})) == [
        ("Ana Ruiz", "PATIENT"),
        ("Ana Ruiz saw Bo in Oslo", "CITY"),
    ]


def test_what_a_table_knows_is_found_whoever_decides() -> None:
    note, nothing = NoteIndex(TEXT), Detection((), len(TEXT))
    rules = [mark("Ana Ruiz saw Bo", "PATIENT")]
    known = find_known(note, (("PATIENT", "Ana Ruiz"),))
    only_model = Hybrid(decisions={"PATIENT": "model"})
    (found,) = join(note, rules, nothing, only_model, Sure(TEXT, known)).spans
    assert (found.text, found.source) == ("Ana Ruiz", "known")
    assert join(note, rules, nothing, only_model).spans == ()


@st.composite
def findings(draw: st.DrawFn) -> list[Span]:
    places = draw(st.lists(st.integers(0, len(TEXT)), max_size=10, unique=True))
    return [
        Span.of(TEXT, start, end, draw(st.sampled_from(TYPES)))
        for start, end in list(pairwise(sorted(places)))[::2]
    ]


@given(findings(), findings(), st.sampled_from(["", *NAMERS]))
def test_naming_moves_no_character(rules: list[Span], model: list[Span], namer: str) -> None:
    hybrid = Hybrid(names=dict.fromkeys(TYPES, namer) if namer else {})
    spans = merge(TEXT, decided(rules, model, hybrid))
    assert _places(spans) == _places([*rules, *model])


@given(findings(), findings(), st.lists(st.sampled_from(DECISIONS), min_size=3, max_size=3))
def test_every_decision_stays_within_the_union(
    rules: list[Span], model: list[Span], decisions: list[str]
) -> None:
    hybrid = Hybrid(decisions=dict(zip(TYPES, decisions, strict=True)))
    some = _places(decided(rules, model, hybrid))
    assert some <= _places([*rules, *model])
    counted = [span for span in rules if hybrid.decision(span.type) in ("union", "rules")]
    assert some >= _places(counted)


@given(findings(), findings())
def test_joined_spans_are_disjoint_and_keep_all_that_counts(
    rules: list[Span], model: list[Span]
) -> None:
    joined = join(NoteIndex(TEXT), rules, Detection(tuple(model), len(TEXT))).spans
    assert all(one.end <= other.start for one, other in pairwise(joined))
    assert _places(joined) >= _places(rules)


def _places(spans: Sequence[Span]) -> set[int]:
    return {at for span in spans for at in range(span.start, span.end)}


@pytest.mark.parametrize(
    ("found", "kept"),
    [
        ("64-0797938\n------", "64-0797938"),
        ("☎ 910-944-6100", "910-944-6100"),
        ("___Okafor, N.", "Okafor, N."),
        ("(208) 600-3391", "(208) 600-3391"),
        ("------", None),
        ("...", None),
    ],
)
def test_edges(found: str, kept: str | None) -> None:
    text = f"x {found} y"
    spans = list(trimmed([Span.of(text, 2, 2 + len(found), "PHONE", score=0.5, source="model")]))
    assert [text[span.start : span.end] for span in spans] == ([kept] if kept else [])
    assert all((span.score, span.source) == (0.5, "model") for span in spans)


@given(st.text(st.sampled_from("a1é-_ \n.("), min_size=1))
def test_no_letter_or_digit_is_lost(text: str) -> None:
    spans = list(trimmed([Span.of(text, 0, len(text), "PHONE")]))
    kept = {at for span in spans for at in range(span.start, span.end)}
    assert kept >= {at for at, character in enumerate(text) if character.isalnum()}


def test_what_is_sure_stays_whole_where_others_reach_into_it() -> None:
    text = "Ines Castellanos R/11-240M seen"
    known = [Span.of(text, 17, 26, "MEDICALRECORD", source="known")]
    model = Detection((Span.of(text, 0, 21, "PATIENT", score=0.6, source="model"),), len(text))
    spans = join(NoteIndex(text), known, model, Hybrid(), Sure(text, known)).spans
    assert [(span.text, span.type) for span in spans] == [
        ("Ines Castellanos", "PATIENT"),
        ("R/11-240M", "MEDICALRECORD"),
    ]
    longer = Detection((Span.of(text, 0, 31, "PATIENT", score=0.6, source="model"),), len(text))
    (span,) = join(NoteIndex(text), known, longer, Hybrid(), Sure(text, known)).spans
    assert span.text == text
