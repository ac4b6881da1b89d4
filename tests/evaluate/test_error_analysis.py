"""Every disagreement is shown once, under its kind, and agrees with the figures."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from incognote.document import Document, Span
from incognote.evaluate import Resampling, score
from incognote.evaluate.error_analysis import Analysis, DistinctSpan, analyse
from incognote.evaluate.error_page import ANNOTATED, AROUND, LONGEST, MARKED, in_context

TEXT = "Seen Ann Lee, 54, on 3/14 in Rome."


def note(*marks: tuple[str, str], id: str = "1", source: str = "x") -> Document:
    return Document(
        id,
        TEXT,
        tuple(
            Span.of(TEXT, TEXT.index(part), TEXT.index(part) + len(part), type, source=source)
            for part, type in marks
        ),
    )


GOLD = note(("Ann Lee", "PATIENT"), ("54", "AGE"), ("3/14", "DATE"), ("Rome", "CITY"))


def shown(analysis: Analysis) -> list[tuple[str, str | None, list[str], bool]]:
    return [
        (
            error.kind,
            TEXT[error.gold.start : error.gold.end] if error.gold else None,
            [TEXT[found.start : found.end] for found in error.predictions],
            error.leaks,
        )
        for error in analysis.errors
    ]


def test_each_kind() -> None:
    found = note(("Seen", "DOCTOR"), ("Lee", "PATIENT"), ("3/14", "AGE"), ("in Rome", "CITY"))
    analysis = analyse([GOLD], [found])
    assert shown(analysis) == [
        ("spurious", None, ["Seen"], False),
        ("boundary", "Ann Lee", ["Lee"], True),
        ("missed", "54", [], True),
        ("mistyped", "3/14", ["3/14"], False),
        ("boundary", "Rome", ["in Rome"], False),
    ]
    assert analysis.confusion == {
        (None, "DOCTOR"): 1,
        ("PATIENT", "PATIENT"): 1,
        ("AGE", None): 1,
        ("DATE", "AGE"): 1,
        ("CITY", "CITY"): 1,
    }


def test_a_perfect_prediction_has_no_errors() -> None:
    assert analyse([GOLD], [GOLD]).errors == ()


def test_a_missing_prediction_is_all_missed() -> None:
    kinds = Counter(error.kind for error in analyse([GOLD], []).errors)
    assert kinds == {"missed": 4}


def test_pieces_of_other_types_are_one_error_and_the_larger_names_it() -> None:
    analysis = analyse([GOLD], [note(("Ann", "CITY"), ("Lee, 5", "DOCTOR"), ("4", "AGE"))])
    first, second = analysis.errors[:2]
    assert first.kind == "mistyped"
    assert [found.type for found in first.predictions] == ["CITY", "DOCTOR"]
    assert analysis.confusion["PATIENT", "CITY"] == 1
    assert second.kind == "boundary"
    assert [found.type for found in second.predictions] == ["DOCTOR", "AGE"]


def test_a_second_type_on_a_right_span_is_still_shown() -> None:
    found = note(*((span.text, span.type) for span in GOLD.spans), ("54", "DATE"))
    analysis = analyse([GOLD], [found])
    assert shown(analysis) == [("mistyped", "54", ["54"], False)]


def test_detectors_that_agree_are_one_finding() -> None:
    spans = (*note(("Seen", "CITY"), source="b").spans, *note(("Seen", "CITY"), source="a").spans)
    (error,) = analyse([note()], [note().with_spans(spans)]).errors
    assert error.predictions[0].detectors == ("a", "b")


@st.composite
def notes(draw: st.DrawFn) -> tuple[Document, Document]:
    text = draw(st.text(alphabet="ab1 -\né", min_size=1, max_size=40))
    place = st.integers(0, len(text))
    marks = st.lists(st.tuples(place, place, st.sampled_from(["AGE", "CITY", "DATE"])), max_size=6)
    sides = [
        tuple(Span.of(text, min(a, b), max(a, b), type) for a, b, type in draw(marks) if a != b)
        for _ in range(2)
    ]
    return Document("1", text, sides[0]), Document("1", text, sides[1])


@given(notes())
def test_errors_and_confusion_agree_with_the_figures(pair: tuple[Document, Document]) -> None:
    gold, predicted = pair
    analysis = analyse([gold], [predicted])
    report = score([gold], [predicted], blocks=["release"], resampling=Resampling(resamples=0))
    covered = report.figures["release", "covered_recall"]
    assert sum(error.leaks for error in analysis.errors) == (covered.whole or 0) - (
        covered.part or 0
    )
    for path, figure in report.under("release", "overlap_by_type").items():
        if path[1] == "recall":
            type = path[0]
            assert analysis.confusion[type, type] == figure.part
            assert sum(n for (g, _), n in analysis.confusion.items() if g == type) == figure.whole
    golds = {(s.start, s.end, s.type) for s in gold.spans}
    exact = golds & {(s.start, s.end, s.type) for s in predicted.spans}
    of_gold = {
        (error.gold.start, error.gold.end, error.gold.type)
        for error in analysis.errors
        if error.gold and not (error.kind == "mistyped" and len(error.predictions) == 1)
    }
    assert of_gold <= golds - exact


@given(notes())
def test_the_pieces_of_a_context_are_its_text(pair: tuple[Document, Document]) -> None:
    gold, predicted = pair
    for error in analyse([gold], [predicted]).errors:
        pieces = in_context(gold.text, error.gold, error.predictions)
        joined = "".join(text for _, text in pieces).strip("…")
        assert joined in gold.text
        if error.gold:
            annotated = "".join(text for flags, text in pieces if flags & ANNOTATED)
            assert annotated == gold.text[error.gold.start : error.gold.end]
        marked = "".join(text for flags, text in pieces if flags & MARKED)
        assert all(gold.text[found.start : found.end] in marked for found in error.predictions)


@pytest.mark.parametrize(("length", "most"), [(10, 10), (100_000, LONGEST + 3)])
def test_a_context_is_short(length: int, most: int) -> None:
    text = "x" * 1000 + "y" * length + "z" * 1000
    pieces = in_context(text, DistinctSpan(1000, 1000 + length, "CITY"), ())
    assert [len(piece) for _, piece in pieces] == [1, AROUND, most, AROUND, 1]
