"""The figures of a release, worked out by hand."""

from __future__ import annotations

import pytest

from incognote.document import Document, Span
from incognote.evaluate import score

TEXT = "Seen Ann Lee, 54, on 3/14 in Rome."
#       0         1         2         3


def note(*marks: tuple[str, str], id: str = "1", text: str = TEXT, source: str = "x") -> Document:
    """A note with the first occurrence of each string marked."""
    return Document(
        id,
        text,
        tuple(
            Span.of(text, text.index(part), text.index(part) + len(part), type, source=source)
            for part, type in marks
        ),
    )


GOLD = note(("Ann Lee", "PATIENT"), ("54", "AGE"), ("3/14", "DATE"), ("Rome", "CITY"))


def test_a_span_is_covered_by_several_spans_of_any_type_when_only_spaces_or_signs_show() -> None:
    found = note(("Ann", "DOCTOR"), ("Lee", "CITY"), ("3", "AGE"), ("14", "AGE"), ("Rom", "CITY"))
    report = score([GOLD], [found], blocks=["release"])
    # Covered: Ann Lee and 3/14 of four; 54 is missed, Rome shows its e.
    assert report.value("release", "covered_recall") == 2 / 4
    by_type = report.as_dict()["release"]["covered_recall_by_type"]
    assert {type: figure["value"] for type, figure in by_type.items()} == {
        "PATIENT": 1.0,
        "AGE": 0.0,
        "DATE": 1.0,
        "CITY": 0.0,
    }
    assert report.value("release", "leaked_notes") == 1.0


def test_over_redaction_counts_hidden_characters_outside_gold() -> None:
    found = note(("Seen Ann Lee,", "PATIENT"), ("in Rome.", "CITY"))
    # Outside gold: Seen(4) ,(1) ,(1) on(2) in(2) .(1) = 11; hidden: Seen(4) ,(1) in(2) .(1) = 8.
    report = score([GOLD], [found], blocks=["release"])
    assert report.value("release", "over_redaction") == 8 / 11
    # Characters: gold AnnLee 54 3/14 Rome = 6+2+4+4 = 16, predicted 8 + 6 + 4 = 18, both 10.
    assert report.value("release", "characters", "precision") == 10 / 18
    assert report.value("release", "characters", "recall") == 10 / 16
    assert report.value("release", "characters", "f1") == pytest.approx(20 / 34)


def test_overlap_is_typed_and_counts_each_side_by_itself() -> None:
    found = note(("Ann", "PATIENT"), ("Lee", "PATIENT"), ("54", "DATE"), ("3/1", "DATE"))
    report = score([GOLD], [found], blocks=["release"])
    # Right: Ann, Lee, 3/1 of four predicted. Found: Ann Lee, 3/14 of four gold.
    assert report.value("release", "overlap", "precision") == 3 / 4
    assert report.value("release", "overlap", "recall") == 2 / 4
    assert report.value("release", "overlap", "f1") == pytest.approx(0.6)
    assert report.value("release", "overlap_by_type", "DATE", "precision") == 1 / 2
    assert report.value("release", "overlap_by_type", "CITY", "precision") is None
    assert report.value("release", "overlap_by_type", "CITY", "recall") == 0.0


def test_a_detector_is_judged_alone_and_by_what_only_it_adds() -> None:
    rules = note(("54", "AGE"), ("3/14", "DATE"), ("Seen", "PATIENT"), source="rules")
    model = note(("Ann Lee", "PATIENT"), ("3/14", "DATE"), source="model")
    both = GOLD.with_spans(rules.spans + model.spans)
    table = score([GOLD], [both], blocks=["release"]).as_dict()["release"]["by_detector"]
    values = {name: {k: v["value"] for k, v in row.items()} for name, row in table.items()}
    assert values["rules"] == {
        "precision": 2 / 3,
        "alone": 2 / 4,
        "only": 1 / 4,
        "over_redaction": 4 / 11,
    }
    assert values["model"] == {"precision": 1.0, "alone": 2 / 4, "only": 1 / 4, "over_redaction": 0}


def test_leaked_notes_are_a_share_of_the_notes_that_have_gold() -> None:
    plain = note(id="2")
    half = note(("54", "AGE"), ("Rome", "CITY"), id="3")
    found = [GOLD, plain, note(("54", "AGE"), id="3")]
    report = score([GOLD, plain, half], found, blocks=["release"])
    assert report.value("release", "leaked_notes") == 1 / 2


def test_nothing_to_find_and_nothing_found_is_undefined_not_zero() -> None:
    report = score([note()], [note()], blocks=["release"])
    assert report.value("release", "covered_recall") is None
    assert report.value("release", "leaked_notes") is None
    assert report.value("release", "overlap", "f1") is None
    assert report.value("release", "over_redaction") == 0.0


def test_zero_length_and_repeated_spans_have_defined_results() -> None:
    gold = Document("1", "ab cd", (Span(1, 1, "AGE", ""), *[Span(3, 5, "AGE", "cd")] * 2))
    report = score([gold], [Document("1", "ab cd")], blocks=["release"])
    # Two distinct spans; the empty one shows nothing, the other shows.
    assert report.value("release", "covered_recall") == 1 / 2
    itself = score([gold], [gold], blocks=["release"])
    assert itself.value("release", "covered_recall") == 1.0
    assert itself.value("release", "over_redaction") == 0.0
