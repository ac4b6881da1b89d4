"""Notes with what was found marked in them, for people to correct."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from incognote.corpus.convert import Target
from incognote.corpus.premark import PremarkResult, premark
from incognote.corpus.source import CorpusError
from incognote.formats import FORMATS, read
from incognote.runs.inputs import list_inputs
from incognote.runs.settings import Settings

NOTES = {
    "a/1.txt": "Seen by Dr. Okafor on 3/14/2019.\r\n",
    "2.txt": "José: nothing to see.",
    "3.txt": "[[PATIENT|Lee]] called Dr. Okafor.",
}
RULES = Settings(find_by="rules")


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    for name, text in NOTES.items():
        path = tmp_path / "notes" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    return tmp_path / "notes"


def premark_notes(notes: Path, output: Path, format: str, **options: bool) -> PremarkResult:
    return premark(
        [str(notes)], list_inputs([str(notes)]), RULES, Target.of(output, format, **options)
    )


@pytest.mark.parametrize("format", ["inline", "brat", "i2b2", "jsonl"])
def test_the_notes_stay_and_what_was_found_is_marked(
    notes: Path, tmp_path: Path, format: str
) -> None:
    output = tmp_path / ("marked.jsonl" if FORMATS[format].table else "marked")
    result = premark_notes(notes, output, format)
    assert (result.notes, result.marks, result.failures) == (3, 4, [])
    back = {note.id: note for note in read(output)}
    assert set(back) == {"a/1", "2", "3"}
    first = back["a/1"]
    assert first.text.replace("\r\n", "\n") == "Seen by Dr. Okafor on 3/14/2019.\n"
    assert [(s.text, s.type) for s in first.spans] == [("Okafor", "DOCTOR"), ("3/14/2019", "DATE")]
    assert (back["2"].text, back["2"].spans) == ("José: nothing to see.", ())


def test_marks_that_were_there_stay(notes: Path, tmp_path: Path) -> None:
    premark_notes(notes, tmp_path / "marked", "inline")
    assert (tmp_path / "marked" / "3.txt").read_text() == (
        "[[PATIENT|Lee]] called Dr. [[DOCTOR|Okafor]]."
    )


@pytest.mark.parametrize("format", ["brat", "jsonl"])
def test_only_the_owner_may_read_them(notes: Path, tmp_path: Path, format: str) -> None:
    output = tmp_path / "out" / ("marked.jsonl" if format == "jsonl" else "marked")
    premark_notes(notes, output, format)
    paths = [output, *output.rglob("*")]
    assert len(paths) == (1 if format == "jsonl" else 8)
    for path in paths:
        assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600)


def test_a_note_that_a_format_cannot_hold_is_told_and_left_out(notes: Path, tmp_path: Path) -> None:
    (notes / "4.txt").write_text("by Dr. Okafor] again")
    (notes / "5.txt").write_bytes(b"\xff\xfe\xff")
    result = premark_notes(notes, tmp_path / "marked", "inline")
    assert result.notes == 3
    first, second = result.failures
    assert first.reason == "U+005D at position 13 follows span 7-13, so its mark would end too late"
    assert "Okafor" not in first.reason
    assert second.input == 4
    assert premark_notes(notes, tmp_path / "brat", "brat").notes == 4


@pytest.mark.parametrize("format", ["inline", "brat", "i2b2"])
def test_a_note_whose_id_cannot_name_a_file_is_told_and_left_out(
    notes: Path, tmp_path: Path, format: str
) -> None:
    Path(os.fsdecode(os.fsencode(notes) + b"/caf\xe9.txt")).write_text("Dr. Okafor")
    (notes / "rows.jsonl").write_text('{"id": "/up", "text": "x"}\n{"id": "ok", "text": "x"}\n')
    result = premark_notes(notes, tmp_path / "marked", format)
    assert [(failure.input, failure.reason) for failure in result.failures] == [
        (4, "its id cannot be the name of a file"),
        (5, "its id cannot be the name of a file"),
    ]
    assert {note.id for note in read(tmp_path / "marked")} == {"a/1", "2", "3", "ok"}


def test_what_exists_is_kept_and_input_is_not_mixed_with_output(
    notes: Path, tmp_path: Path
) -> None:
    premark_notes(notes, tmp_path / "marked", "inline")
    with pytest.raises(CorpusError, match="exists; choose another output or use --overwrite"):
        premark_notes(notes, tmp_path / "marked", "inline")
    assert premark_notes(notes, tmp_path / "marked", "inline", overwrite=True).notes == 3
    with pytest.raises(CorpusError, match="lies inside the input folder"):
        premark_notes(notes, notes / "marked", "inline")


def test_one_note_goes_to_one_file(tmp_path: Path) -> None:
    (tmp_path / "note.txt").write_text("Dr. Okafor")
    premark_notes(tmp_path / "note.txt", tmp_path / "marked.txt", "inline")
    assert (tmp_path / "marked.txt").read_text() == "Dr. [[DOCTOR|Okafor]]"


def test_notes_of_one_name_are_refused(notes: Path, tmp_path: Path) -> None:
    (notes / "2.xml").write_text("<r><TEXT>x</TEXT></r>")
    with pytest.raises(CorpusError, match="two notes have the same id") as error:
        premark_notes(notes, tmp_path / "marked", "inline")
    assert str(error.value).endswith("nothing was written")
    assert not (tmp_path / "marked").exists()
