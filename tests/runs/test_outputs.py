"""Names of outputs: safe, stable, and the way back."""

from __future__ import annotations

import csv
from pathlib import Path, PurePath

import pytest

from incognote.base.errors import RunError
from incognote.runs.inputs import Input
from incognote.runs.outputs import name_outputs, read_name_list, suffix_of, write_name_list
from incognote.runs.plan import plan
from incognote.runs.settings import Settings


def inputs(*names: str) -> list[Input]:
    return [Input(index, Path(name), PurePath(name)) for index, name in enumerate(names, start=1)]


def names_of(outputs: dict[int, PurePath]) -> list[str]:
    return [output.as_posix() for output in outputs.values()]


@pytest.mark.parametrize(
    ("name", "suffix"),
    [
        ("a.txt", ".txt"),
        ("SMITH.JOHN.TXT", ".txt"),
        ("a.csv.gz", ".csv.gz"),
        ("a.smith", ""),
        ("notes.txt.smith", ""),
        ("txt", ""),
    ],
)
def test_only_the_format_shows(name: str, suffix: str) -> None:
    assert suffix_of(PurePath(name)) == suffix


def test_numbers_keep_the_shape_of_the_tree() -> None:
    outputs = name_outputs(inputs("SMITH/a.txt", "SMITH/x/b.xml", "c.csv"), "number")
    assert names_of(outputs) == [
        "folder-0001/note-000001.txt",
        "folder-0001/folder-0002/note-000002.xml",
        "note-000003.csv",
    ]


def test_names_of_an_earlier_run_stay_when_files_were_added(tmp_path: Path) -> None:
    before = inputs("b/2.txt", "c.txt")
    outputs = name_outputs(before, "number")
    write_name_list(tmp_path / "names.csv", before, outputs)
    earlier = read_name_list(tmp_path / "names.csv")
    now = name_outputs(inputs("a.txt", "b/1.txt", "b/2.txt", "c.txt"), "number", earlier=earlier)
    assert names_of(now) == [
        "note-000003.txt",
        "folder-0001/note-000004.txt",
        "folder-0001/note-000001.txt",
        "note-000002.txt",
    ]


def test_more_than_a_million_notes_are_still_told_apart() -> None:
    earlier = {"x.txt": "note-1234567.txt"}
    assert names_of(name_outputs(inputs("y.txt"), "number", earlier=earlier)) == [
        "note-1234568.txt"
    ]


def test_hashed_names_need_a_key_and_depend_on_it() -> None:
    with pytest.raises(RunError, match="--key-file"):
        name_outputs(inputs("a.txt"), "hash")
    one = name_outputs(inputs("SMITH/a.txt"), "hash", key=b"k" * 16)
    other = name_outputs(inputs("SMITH/a.txt"), "hash", key=b"j" * 16)
    assert names_of(one) != names_of(other)
    assert names_of(one)[0].endswith(".txt")
    assert "SMITH" not in names_of(one)[0]


def test_kept_names_must_not_collide() -> None:
    with pytest.raises(RunError, match="same name"):
        name_outputs(inputs("a.txt", "a.txt"), "keep")


def test_a_name_that_is_not_utf8_has_a_hash_too() -> None:
    (name,) = names_of(name_outputs(inputs("M\udcfcller.txt"), "hash", key=b"k" * 16))
    assert len(name) == len("0123456789abcdef.txt")


def notes_of(folder: Path, *patients: str) -> Path:
    for patient in patients:
        (folder / patient).mkdir(parents=True, exist_ok=True)
        (folder / patient / "a.txt").write_text(f"{patient}: seen by Dr. Okafor.")
    return folder


def numbers(names: Path) -> dict[str, str]:
    with names.open() as lines:
        return {row["original"]: row["output"] for row in csv.DictReader(lines)}


def test_numbers_stay_when_a_patient_is_added(tmp_path: Path) -> None:
    asked = Settings(find_by="rules", workers=1)
    notes, clean = notes_of(tmp_path / "notes", "b", "d"), tmp_path / "clean"
    plan([str(notes)], clean, asked).run()
    first = numbers(tmp_path / "clean.names.csv")
    notes_of(notes, "a", "c")
    plan([str(notes)], clean, asked, overwrite=True).run()
    second = numbers(tmp_path / "clean.names.csv")
    assert first.items() < second.items()
    assert len(set(second.values())) == 4
    assert {path.name for path in clean.rglob("*.txt")} == {
        Path(output).name for output in second.values()
    }
    plan([str(notes)], tmp_path / "other", asked, names_from=tmp_path / "clean.names.csv").run()
    assert numbers(tmp_path / "other.names.csv") == second


def test_a_list_of_names_that_no_run_wrote_is_refused(tmp_path: Path) -> None:
    notes = notes_of(tmp_path / "notes", "a", "b")
    forged = tmp_path / "forged.csv"
    forged.write_text("input,original,output\n1,a/a.txt,../../etc/note-000001.txt\n")
    with pytest.raises(RunError, match="was not written by incognote"):
        plan([str(notes)], tmp_path / "clean", Settings(find_by="rules"), names_from=forged)
    with pytest.raises(RunError, match="--names-from"):
        plan(
            [str(notes)],
            tmp_path / "clean",
            Settings(find_by="rules", names="keep"),
            names_from=forged,
        )
    assert not (tmp_path / "clean").exists()
