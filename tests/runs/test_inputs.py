"""Which files a run reads, in which order."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from incognote.base.errors import RunError
from incognote.runs.inputs import list_inputs


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


def test_a_link_to_itself_is_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    make(tmp_path, "in/a.txt")
    (tmp_path / "in" / "SMITH.txt").symlink_to("SMITH.txt")
    loop, note = list_inputs([str(tmp_path / "in")])
    assert (note.problem, loop.problem) == ("", "too many levels of symbolic links")


@pytest.fixture
def deep_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """1,200 folders in each other, gone after the test: nothing that recurses can remove them."""
    monkeypatch.chdir(tmp_path)
    for _ in range(1200):
        Path("d").mkdir()
        os.chdir("d")
    Path("a.txt").write_text("x")
    yield tmp_path
    Path("a.txt").unlink()
    for _ in range(1200):
        os.chdir("..")
        Path("d").rmdir()


def test_folders_may_be_deeper_than_a_function_may_call_itself(deep_folder: Path) -> None:
    (found,) = list_inputs([str(deep_folder)])
    assert (found.relative.name, found.problem) == ("a.txt", "")


def test_nothing_there(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="no such file"):
        list_inputs([str(tmp_path / "none")])
    with pytest.raises(RunError, match="no file matches"):
        list_inputs([str(tmp_path / "*.txt")])


@pytest.mark.parametrize(
    ("include", "exclude", "left"),
    [
        ((), (), ["a.csv", "a.txt", "p1/2019/b.txt", "p1/old/c.txt"]),
        (("*.txt",), (), ["a.txt", "p1/2019/b.txt", "p1/old/c.txt"]),
        (("*.txt",), ("old",), ["a.txt", "p1/2019/b.txt"]),
        ((), ("p1/*",), ["a.csv", "a.txt"]),
        (("p1/2019/",), (), ["p1/2019/b.txt"]),
        (("*.xml",), (), []),
    ],
)
def test_patterns_choose_files(
    tmp_path: Path, include: tuple[str, ...], exclude: tuple[str, ...], left: list[str]
) -> None:
    for name in ("a.txt", "a.csv", "p1/2019/b.txt", "p1/old/c.txt"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x")
    found = list_inputs([str(tmp_path)], include, exclude)
    assert sorted(input.relative.as_posix() for input in found) == left
