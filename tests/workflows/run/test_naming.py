"""Names of outputs: safe, stable, and the way back."""

from __future__ import annotations

from pathlib import Path, PurePath

import pytest

from incognote.workflows.run.inputs import Input, RunError
from incognote.workflows.run.naming import (
    name_outputs,
    read_key_list,
    suffix_of,
    write_key_list,
)


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
    write_key_list(tmp_path / "names.csv", before, outputs)
    earlier = read_key_list(tmp_path / "names.csv")
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
