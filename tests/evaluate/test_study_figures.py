"""Word-level figures by hand."""

from __future__ import annotations

import pytest

from incognote.document import Document, Span
from incognote.evaluate import Resampling, score

TEXT = "Ann-Marie Lee seen 3/14 in Rome"
# words: Ann - Marie Lee seen 3 / 14 in Rome = 10


def note(*marks: tuple[int, int, str], text: str = TEXT) -> Document:
    return Document("1", text, tuple(Span.of(text, *mark) for mark in marks))


GOLD = note((0, 13, "PATIENT"), (19, 23, "DATE"), (27, 31, "CITY"))


def figures(predicted: Document, *path: str) -> tuple[float | None, ...]:
    report = score([GOLD], [predicted], blocks=["study"], resampling=Resampling(resamples=0))
    return tuple(report.value("study", *path, name) for name in ("precision", "recall", "f1"))


FOUND = note((0, 9, "PATIENT"), (10, 13, "DOCTOR"), (14, 18, "DATE"), (19, 23, "DATE"))
# gold:  P P P P O D D D O C
# found: P P P R D D D D O O


def test_words_are_compared_one_by_one() -> None:
    # Same type: 3 PATIENT + 3 DATE = 6 of 8 predicted and 8 gold.
    assert figures(FOUND, "overall") == (6 / 8, 6 / 8, 6 / 8)
    # PHI on both sides: 7.
    assert figures(FOUND, "binary") == (7 / 8, 7 / 8, 7 / 8)
    assert figures(FOUND, "by_type", "PATIENT") == pytest.approx((1, 3 / 4, 6 / 7))
    assert figures(FOUND, "by_type", "DATE") == pytest.approx((3 / 4, 1, 6 / 7))
    assert figures(FOUND, "by_type", "DOCTOR") == (0, None, 0)
    assert figures(FOUND, "by_type", "CITY") == (None, 0, 0)


def test_accuracy_is_over_all_words() -> None:
    report = score([GOLD], [FOUND], blocks=["study"], resampling=Resampling(resamples=0))
    # Same: P P P, D D D, the O of "in" = 7 of 10.
    assert report.value("study", "accuracy") == 7 / 10
    assert report.figures["study", "accuracy"].whole == 10


def test_a_word_cut_by_a_span_belongs_to_it() -> None:
    cut = note((0, 13, "PATIENT"), (19, 23, "DATE"), (28, 29, "CITY"))
    assert figures(cut, "overall") == (1, 1, 1)


def test_two_spans_or_one_over_the_same_words_are_the_same() -> None:
    split = note((0, 3, "PATIENT"), (3, 13, "PATIENT"), (19, 23, "DATE"), (27, 31, "CITY"))
    assert figures(split, "overall") == (1, 1, 1)
