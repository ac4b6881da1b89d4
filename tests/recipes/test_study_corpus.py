"""Notes with the study's proportions, in the study's format."""

from __future__ import annotations

from pathlib import Path

import pytest
from study_notes import study_notes

from incognote.corpus.stats import Counts
from incognote.formats import read, write
from incognote.phi import CATEGORY_OF
from incognote.workshop.compare.report.study_2022 import printed_parts

generate = study_notes().generate


def test_the_notes_have_the_proportions_of_the_study() -> None:
    counts = Counts()
    for note in generate(80):
        counts.add(note)
    parts = printed_parts().values()
    whole = sum(part.words for part in parts)
    assert counts.words / counts.notes == pytest.approx(whole / 1223, rel=0.02)
    non_phi = sum(part.types["Non-PHI"] for part in parts)
    assert counts.phi_words / counts.words == pytest.approx(1 - non_phi / whole, abs=0.001)
    for type in printed_parts()["train"].types.keys() - {"Non-PHI"}:
        wanted = sum(part.types[type] for part in parts) / whole * counts.words
        # One identifier more or less, of at most eight words.
        assert counts.word_types[type] == pytest.approx(wanted, rel=0.03, abs=8), type


def test_they_are_i2b2_files_and_the_same_for_the_same_seed(tmp_path: Path) -> None:
    notes = list(generate(6, seed=4))
    assert notes == list(generate(6, seed=4)) != list(generate(6, seed=5))
    write(notes, tmp_path / "notes", "i2b2")
    assert {path.name for path in (tmp_path / "notes").iterdir()} == {
        f"{note.id}.xml" for note in notes
    }
    back = sorted(read(tmp_path / "notes", "i2b2"), key=lambda note: Path(note.id).name)
    assert [note.text for note in back] == [note.text for note in notes]
    for note, twin in zip(notes, back, strict=True):
        assert [(s.start, s.end, s.type) for s in note.spans] == [
            (s.start, s.end, s.type) for s in twin.spans
        ]
        assert all(span.attributes["tag"] == CATEGORY_OF[span.type] for span in twin.spans)
