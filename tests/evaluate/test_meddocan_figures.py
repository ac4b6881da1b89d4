"""MEDDOCAN's figures by hand."""

from __future__ import annotations

import pytest

from incognote.document import Document, Span
from incognote.evaluate import Resampling, score
from incognote.evaluate.meddocan import sentences

TEXT = "Nombre: Ana Ruiz.\nEdad: 54 años. Vive en Calle Mayor, 3 - Madrid.\n"


def note(*marks: tuple[str, str]) -> Document:
    return Document(
        "1",
        TEXT,
        tuple(
            Span.of(TEXT, TEXT.index(part), TEXT.index(part) + len(part), label)
            for part, label in marks
        ),
    )


GOLD = note(
    ("Ana Ruiz", "NOMBRE_SUJETO_ASISTENCIA"),
    ("54 años", "EDAD_SUJETO_ASISTENCIA"),
    ("Calle Mayor, 3", "CALLE"),
    ("Madrid", "TERRITORIO"),
)


def figures(predicted: Document, *path: str) -> tuple[float | None, ...]:
    report = score([GOLD], [predicted], blocks=["meddocan"], resampling=Resampling(resamples=0))
    return tuple(report.value("meddocan", *path, name) for name in ("precision", "recall", "f1"))


FOUND = note(
    ("Ana", "NOMBRE_SUJETO_ASISTENCIA"),
    ("Ruiz", "NOMBRE_SUJETO_ASISTENCIA"),
    ("54 años", "FECHAS"),
    ("Calle Mayor, 3 - Madrid", "CALLE"),
    ("Vive", "HOSPITAL"),
)


def test_ner_needs_the_label_and_spans_only_the_place() -> None:
    assert figures(FOUND, "ner") == (0, 0, 0)
    # 54 años of 5 predicted and 4 gold.
    assert figures(FOUND, "spans") == pytest.approx((1 / 5, 1 / 4, 2 / 9))


def test_merged_joins_neighbours_across_signs_and_spaces() -> None:
    # Gold joined: Ana Ruiz | 54 años | Calle Mayor, 3 - Madrid.
    # Found joined: Ana Ruiz | 54 años. Vive (a sign between) | Calle Mayor, 3 - Madrid.
    # Hits: 54 años as it stands, Ana Ruiz and the address joined = 3. Spurious: Vive. Missed: none.
    assert figures(FOUND, "merged") == pytest.approx((3 / 4, 1, 6 / 7))


def test_leak_is_missed_spans_per_sentence() -> None:
    # Sentences: the name line, "Edad: 54 años.", "Vive en … Madrid." = 3.
    assert sentences(TEXT) == 3
    found = note(("Ana Ruiz", "NOMBRE_SUJETO_ASISTENCIA"), ("Madrid", "PAIS"))
    report = score([GOLD], [found], blocks=["meddocan"], resampling=Resampling(resamples=0))
    assert report.value("meddocan", "leak") == 3 / 3
    assert report.figures["meddocan", "leak"].part == 3


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("", 0),
        ("\n --- \n\n", 0),
        ("Hola", 1),
        ("Uno. Dos! ¿Tres? 4 mg…", 4),
        ("aprox. 3 mg", 2),
        ("aprox. tres mg", 1),
        ("Dr. élite. Éxito.", 2),
        ("una\r\ndos\rtres", 3),
    ],
)
def test_sentences(text: str, count: int) -> None:
    assert sentences(text) == count


def test_nothing_against_nothing_is_undefined() -> None:
    empty = note()
    report = score([empty], [empty], blocks=["meddocan"], resampling=Resampling(resamples=0))
    assert report.value("meddocan", "ner", "f1") is None
    assert report.value("meddocan", "leak") == 0.0
