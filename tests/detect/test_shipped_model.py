"""The shipped model on notes of the corpus: how the work is divided changes nothing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from incognote.detect.detector import detect_many
from incognote.detect.finder import choose
from incognote.detect.model import ModelDetector
from incognote.detect.uncertain import FLOOR
from incognote.document import Document
from incognote.models import shipped_model

FOLDER = Path(__file__).parents[2] / "corpus" / "G"
NOTES = [
    Document(path.stem, path.read_text(encoding="utf-8"))
    for path in sorted(FOLDER.glob("*.txt"))[:6]
]


def test_threads_change_neither_spans_nor_scores() -> None:
    folder = shipped_model()
    assert folder is not None
    one, two = (ModelDetector(folder, threads=n, uncertain=FLOOR) for n in (1, 2))
    found = list(one.detect_many(NOTES))
    assert list(two.detect_many(NOTES)) == found
    assert sum(len(each.spans) for each in found) > 20


def test_nor_do_they_with_rules() -> None:
    one, two = (choose("both").detector(threads=n) for n in (1, 2))
    assert list(detect_many(two, NOTES)) == list(detect_many(one, NOTES))


def test_the_first_note_is_answered_before_the_second_is_read() -> None:
    """Its network takes one window at a time, so that notes gain nothing by waiting for others."""
    folder = shipped_model()
    assert folder is not None
    taken = []

    def coming() -> Iterator[Document]:
        for note in NOTES:
            taken.append(note.id)
            yield note

    next(ModelDetector(folder).detect_many(coming()))
    assert taken == [NOTES[0].id]
