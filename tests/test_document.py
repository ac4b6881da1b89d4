"""Span and Document refuse what contradicts itself, and never show a text."""

from __future__ import annotations

import dataclasses
import pickle

import pytest

from incognote.document import Document, DocumentError, Span

TEXT = "Seen by Dr. Okafor today."


def test_a_span_marks_code_points() -> None:
    text = "Mrs 😀 Ngô here"
    assert Span.of(text, 6, 9, "PATIENT").text == "Ngô"


@pytest.mark.parametrize(
    ("start", "end", "text"), [(-1, 2, "See"), (5, 3, ""), (0, 4, "See"), (0, 2, "See")]
)
def test_a_span_whose_offsets_disagree_with_its_text_is_refused(
    start: int, end: int, text: str
) -> None:
    with pytest.raises(DocumentError):
        Span(start, end, "DATE", text)


def test_a_span_past_the_end_is_refused() -> None:
    with pytest.raises(DocumentError):
        Span.of(TEXT, 20, 40, "DATE")


def test_a_document_refuses_a_span_of_another_text_without_quoting_it() -> None:
    with pytest.raises(DocumentError) as refusal:
        Document("1", TEXT, (Span(12, 18, "DOCTOR", "Okafro"),))
    assert "Oka" not in str(refusal.value)
    assert "12-18" in str(refusal.value)


def test_spans_are_kept_in_order_and_keep_label_and_attributes() -> None:
    late = Span.of(TEXT, 19, 24, "DATE", label="FECHA", attributes={"id": "T2"})
    early = Span.of(TEXT, 12, 18, "DOCTOR")
    document = Document("1", TEXT, (late, early))
    assert document.spans == (early, late)
    assert document.spans[1].label == "FECHA"
    assert document.spans[1].attributes == {"id": "T2"}
    assert document.spans[0].label == "DOCTOR"


def test_repr_shows_no_text() -> None:
    document = Document(
        "1", TEXT, (Span.of(TEXT, 12, 18, "DOCTOR"),), known=(("DOCTOR", "Okafor"),)
    )
    assert "Okafor" not in repr(document)
    assert "Seen" not in repr(document)


def test_both_are_frozen_and_travel_between_processes() -> None:
    span = Span.of(TEXT, 12, 18, "DOCTOR", attributes={"id": "T1"})
    document = Document("1", TEXT, (span,))
    with pytest.raises(dataclasses.FrozenInstanceError):
        span.start = 3  # type: ignore[misc]
    assert pickle.loads(pickle.dumps(document)) == document
