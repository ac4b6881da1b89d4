"""No output ever replaces an input, another note, or something nobody asked to replace."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from commands import Command

NOTE = "Seen by Dr. Okafor."


@pytest.fixture
def namesakes(tmp_path: Path) -> list[Path]:
    """Two patients' notes with one name."""
    paths = [tmp_path / folder / "notes" / "a.txt" for folder in "xy"]
    for path in paths:
        path.parent.mkdir(parents=True)
        path.write_text(f"{path.parent.parent.name}: {NOTE}")
    return paths


def texts(folder: Path) -> set[str]:
    return {path.read_text() for path in folder.rglob("*.txt")}


BOTH = {"x: Seen by Dr. [DOCTOR].", "y: Seen by Dr. [DOCTOR]."}


@pytest.mark.parametrize("names", ["number", "hash", "keep"])
@pytest.mark.parametrize("whole_folders", [False, True])
def test_notes_of_one_name_stay_apart(
    incognote: Command, namesakes: list[Path], tmp_path: Path, names: str, whole_folders: bool
) -> None:
    key = tmp_path / "key"
    key.write_bytes(b"k" * 32)
    key.chmod(0o600)
    inputs = [path.parent if whole_folders else path for path in namesakes]
    clean = tmp_path / "clean"
    assert incognote("deid", *inputs, "-o", clean, "--names", names, "--key-file", key).status == 0
    assert texts(clean) == BOTH


def test_they_stay_apart_when_resumed(
    incognote: Command, namesakes: list[Path], tmp_path: Path
) -> None:
    bad, clean = tmp_path / "z.txt", tmp_path / "clean"
    bad.write_bytes(b"\xff")
    assert incognote("deid", *namesakes, bad, "-o", clean).status == 1
    bad.write_text("Better.")
    assert incognote("deid", *namesakes, bad, "-o", clean, "--resume").status == 0
    assert texts(clean) == BOTH | {"Better."}
    rows = list(csv.DictReader((tmp_path / "clean.names.csv").read_text().splitlines()))
    assert len({row["original"] for row in rows}) == len({row["output"] for row in rows}) == 3


def test_overwrite_leaves_nothing_of_the_earlier_run(incognote: Command, tmp_path: Path) -> None:
    first, second, clean = tmp_path / "first", tmp_path / "second", tmp_path / "clean"
    for folder, count in ((first, 5), (second, 1)):
        folder.mkdir()
        for turn in range(count):
            (folder / f"{turn}.txt").write_text(NOTE)
    incognote("deid", first, "-o", clean, "--replace", "keep")
    assert incognote("deid", second, "-o", clean, "--overwrite").status == 0
    assert texts(clean) == {"Seen by Dr. [DOCTOR]."}
    assert len(list(clean.iterdir())) == 1


def test_overwrite_does_not_mix_with_other_files(incognote: Command, tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.txt").write_text(NOTE)
    clean = tmp_path / "clean"
    clean.mkdir()
    (clean / "thesis.txt").write_text("precious")
    ran = incognote("deid", tmp_path / "notes", "-o", clean, "--overwrite")
    assert ran.status == 2
    assert "would not replace" in ran.err
    assert texts(clean) == {"precious"}


def test_a_glob_cannot_lead_back_into_the_inputs(incognote: Command, tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "a.txt").write_text(NOTE)
    ran = incognote("deid", f"{tmp_path}/no*/*.txt", "-o", notes, "--names", "keep", "--overwrite")
    assert ran.status == 2
    assert (notes / "a.txt").read_text() == NOTE


@pytest.mark.parametrize("target", ["note.txt", "clean.txt"])
def test_the_audit_replaces_neither_input_nor_output(
    incognote: Command, tmp_path: Path, target: str
) -> None:
    note = tmp_path / "note.txt"
    note.write_text(NOTE)
    ran = incognote("deid", note, "-o", tmp_path / "clean.txt", "--audit", tmp_path / target)
    assert ran.status == 2
    assert note.read_text() == NOTE
    assert not (tmp_path / "clean.txt").exists()


def test_an_earlier_name_list_is_not_lost(incognote: Command, tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.txt").write_text(NOTE)
    clean, name_list = tmp_path / "clean", tmp_path / "clean.names.csv"
    incognote("deid", tmp_path / "notes", "-o", clean)
    clean.rename(tmp_path / "shipped")
    before = name_list.read_bytes()
    ran = incognote("deid", tmp_path / "notes", "-o", clean)
    assert ran.status == 2
    assert name_list.read_bytes() == before


def test_a_mistake_in_a_table_can_be_mended_at_once(incognote: Command, tmp_path: Path) -> None:
    table, clean = tmp_path / "notes.csv", tmp_path / "clean.csv"
    table.write_text(f"id,note\n1,{NOTE}\n")
    failed = incognote("deid", table, "-o", clean)
    assert failed.status == 1
    assert f"notes: {clean}" not in failed.err
    assert incognote("deid", table, "-o", clean, "--text-field", "note").status == 0


def test_a_failed_note_leaves_an_earlier_single_output(incognote: Command, tmp_path: Path) -> None:
    note, clean = tmp_path / "note.txt", tmp_path / "clean.txt"
    note.write_text(NOTE)
    incognote("deid", note, "-o", clean)
    note.write_bytes(b"\xff")
    assert incognote("deid", note, "-o", clean, "--overwrite").status == 1
    assert clean.read_text() == "Seen by Dr. [DOCTOR]."
