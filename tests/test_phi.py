"""The types, label sets and views."""

from __future__ import annotations

from incognote.document import Document, Span
from incognote.phi import (
    CATEGORIES,
    CATEGORY_OF,
    HIPAA,
    HIPAA_DOCUMENTED,
    LABEL_SETS,
    TYPES,
    VIEWS,
)


def test_there_are_28_types_each_in_one_category() -> None:
    assert len(TYPES) == len(set(TYPES)) == 28
    assert set(CATEGORY_OF) == set(TYPES)
    assert CATEGORY_OF["MEDICALRECORD"] == "ID"
    assert len(CATEGORIES) == 7


def test_the_hipaa_subset_is_the_scripts() -> None:
    assert len(HIPAA) == 18
    assert set(TYPES) > HIPAA
    assert {"IDNUM"} == HIPAA_DOCUMENTED - HIPAA


def test_label_sets() -> None:
    full, study = LABEL_SETS["full"], LABEL_SETS["study41"]
    assert len(full) == 57
    assert len(study) == 41
    assert full[0] == study[0] == "O"
    assert set(study) < set(full)
    assert all(label in study for label in ("B-ZIP", "I-DATE", "B-BIOID"))
    for labels in (full, study):
        assert all("B" + label[1:] in labels for label in labels if label.startswith("I-"))


def test_a_view_renames_keeps_the_source_label_and_counts_what_it_drops() -> None:
    text = "Ana, mujer, 54"
    document = Document(
        "1",
        text,
        (
            Span.of(text, 0, 3, "NOMBRE_SUJETO_ASISTENCIA"),
            Span.of(text, 5, 10, "SEXO_SUJETO_ASISTENCIA"),
            Span.of(text, 12, 14, "EDAD_SUJETO_ASISTENCIA"),
        ),
    )
    mapped, dropped = VIEWS["meddocan"].apply(document)
    assert [(span.type, span.label) for span in mapped.spans] == [
        ("PATIENT", "NOMBRE_SUJETO_ASISTENCIA"),
        ("AGE", "EDAD_SUJETO_ASISTENCIA"),
    ]
    assert dropped == {"SEXO_SUJETO_ASISTENCIA": 1}


def test_views_lead_to_our_types() -> None:
    for view in VIEWS.values():
        assert set(view.types.values()) <= set(TYPES)
