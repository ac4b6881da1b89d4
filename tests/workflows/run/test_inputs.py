"""Which files a run reads, in which order."""

from __future__ import annotations

from pathlib import Path

import pytest

from incognote.workflows.run.inputs import RunError, list_inputs


def make(folder: Path, *names: str) -> None:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)


def relatives(*arguments: Path) -> list[str]:
    return [input.relative.as_posix() for input in list_inputs(map(str, arguments))]


def test_a_folder_gives_all_files_below_it_sorted_without_hidden_ones(tmp_path: Path) -> None:
    make(tmp_path, "b.txt", "a/2.txt", "a/1.txt", ".git/config", "a/.x.txt")
    assert relatives(tmp_path) == ["a/1.txt", "a/2.txt", "b.txt"]


def test_numbers_count_from_one(tmp_path: Path) -> None:
    make(tmp_path, "a.txt", "b.txt")
    assert [input.index for input in list_inputs([str(tmp_path)])] == [1, 2]


def test_several_folders_stay_apart(tmp_path: Path) -> None:
    make(tmp_path, "x/a.txt", "y/a.txt")
    assert relatives(tmp_path / "x", tmp_path / "y") == ["x/a.txt", "y/a.txt"]


def test_a_file_named_twice_is_read_once(tmp_path: Path) -> None:
    make(tmp_path, "a.txt")
    assert relatives(tmp_path / "a.txt", tmp_path / "*.txt", tmp_path / "a.txt") == ["a.txt"]


def test_annotations_are_not_a_second_note(tmp_path: Path) -> None:
    make(tmp_path, "a.txt", "a.ann", "b.ann")
    assert relatives(tmp_path) == ["a.txt", "b.ann"]


def test_linked_folders_are_read_but_loops_end(tmp_path: Path) -> None:
    make(tmp_path, "in/a.txt", "elsewhere/b.txt")
    (tmp_path / "in" / "link").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "elsewhere" / "back").symlink_to(tmp_path / "in")
    inputs = list_inputs([str(tmp_path / "in")])
    assert [(input.relative.as_posix(), bool(input.problem)) for input in inputs] == [
        ("a.txt", False),
        ("link/b.txt", False),
        ("link/back", True),
    ]


def test_nothing_there(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="no such file"):
        list_inputs([str(tmp_path / "none")])
    with pytest.raises(RunError, match="no file matches"):
        list_inputs([str(tmp_path / "*.txt")])
