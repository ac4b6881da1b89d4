"""No note drops out of a score unseen."""

from __future__ import annotations

import pytest

from incognote.document import Document, Span
from incognote.evaluate import Mark, Marks, PairingError, Resampling, score
from incognote.evaluate.pairing import pair

NO_INTERVALS = Resampling(resamples=0)
A = Document("a", "Ann, 54", (Span(0, 3, "PATIENT", "Ann"), Span(5, 7, "AGE", "54")))
B = Document("b", "Bob, 61", (Span(0, 3, "PATIENT", "Bob"), Span(5, 7, "AGE", "61")))


def test_a_missing_prediction_is_reported_and_counts_as_all_missed() -> None:
    report = score([A, B], [B], resampling=NO_INTERVALS)
    assert report.missing == (0,)
    assert report.as_dict()["missing"] == [0]
    for path in (
        ("release", "covered_recall"),
        ("i2b2", "all", "strict", "micro", "recall"),
        ("i2b2", "all", "strict", "macro", "recall"),
        ("i2b2", "all", "strict", "macro", "precision"),
        ("study", "overall", "recall"),
        ("meddocan", "ner", "recall"),
        ("release", "leaked_notes"),
    ):
        assert report.value(*path) == 1 / 2, path


def test_an_extra_prediction_is_reported_and_not_scored() -> None:
    report = score([A], [B, A], resampling=NO_INTERVALS)
    assert report.extra == (0,)
    assert report.notes == 1
    assert report.predicted_spans == 2
    assert report.value("i2b2", "all", "strict", "micro", "f1") == 1.0


def test_marks_without_text_take_the_text_of_the_gold() -> None:
    found = Marks("b", (Mark(0, 3, "PATIENT", 0.9, "rules.names"), Mark(5, 7, "DATE")))
    paired = pair([A, B], [found, A])
    assert [span.text for span in paired.pairs[1].predicted.spans] == ["Bob", "61"]
    assert [span.source for span in paired.pairs[1].predicted.spans] == ["rules.names", "predicted"]


@pytest.mark.parametrize(
    ("gold", "predicted", "message"),
    [
        ([A, B], [Document("b", "Bob, 62")], "prediction 0 differs from that of gold note 1"),
        ([A, B, A], [], "gold note 2 has the same id as gold note 0"),
        ([A], [B, B], "prediction 1 has the same id as prediction 0"),
        ([A], [Marks("a", (Mark(5, 9, "AGE"),))], "prediction 0 does not fit gold note 0"),
        ([A], [Marks("a", (Mark(5, 4, "AGE"),))], "prediction 0 does not fit gold note 0"),
    ],
)
def test_what_cannot_be_compared_is_refused_by_index_without_id_or_text(
    gold: list[Document], predicted: list[Document | Marks], message: str
) -> None:
    secret = [
        Document("SMITH_JOHN" if note.id == "b" else note.id, note.text, note.spans)
        for note in gold
    ]
    other = [
        Marks(p.id, p.marks)
        if isinstance(p, Marks)
        else Document("SMITH_JOHN" if p.id == "b" else p.id, p.text, p.spans)
        for p in predicted
    ]
    with pytest.raises(PairingError, match=message) as caught:
        score(secret, other)
    assert "SMITH" not in str(caught.value)
    assert "Bob" not in str(caught.value)


def test_no_notes_at_all_is_an_empty_report() -> None:
    report = score([], [])
    assert report.notes == 0
    assert report.value("release", "covered_recall") is None
    assert report.value("i2b2", "all", "strict", "micro", "f1") == 0.0
