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


def test_the_full_label_set_has_b_and_i_of_every_type() -> None:
    full = LABEL_SETS["full"]
    assert full[0] == "O"
    assert set(full[1:]) == {f"{prefix}-{type}" for prefix in "BI" for type in TYPES}


def test_study41_is_the_studys_appendix_a() -> None:
    printed = """
        B-AGE B-BIOID B-CITY B-COUNTRY B-DATE B-DEVICE B-DOCTOR B-EMAIL B-FAX B-HEALTHPLAN
        B-HOSPITAL B-IDNUM B-LOCATION-OTHER B-MEDICALRECORD B-ORGANIZATION B-PATIENT B-PHONE
        B-PROFESSION B-STATE B-URL B-USERNAME B-ZIP I-AGE I-CITY I-COUNTRY I-DATE I-DOCTOR I-FAX
        I-HEALTHPLAN I-HOSPITAL I-IDNUM I-LOCATION-OTHER I-MEDICALRECORD I-ORGANIZATION I-PATIENT
        I-PHONE I-PROFESSION I-STATE I-STREET I-URL
    """
    study = LABEL_SETS["study41"]
    assert study == ("O", *printed.split())
    assert len(study) == 41


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


def test_the_old_corpora_have_a_view() -> None:
    assert len(VIEWS["i2b2-2006"].labels) == 8
    assert VIEWS["i2b2-2006"].types["ID"] == "IDNUM"
    assert len(VIEWS["physionet"].types) == 10
    assert VIEWS["physionet"].types["HCPName"] == "DOCTOR"
    assert "PHI" in VIEWS["physionet"].labels - VIEWS["physionet"].types.keys()


def test_views_lead_to_our_types() -> None:
    for view in VIEWS.values():
        assert set(view.types.values()) <= set(TYPES)
