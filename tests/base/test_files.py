"""Files that appear whole, or for their owner only; names and JSON that come from others."""

from __future__ import annotations

import errno
import json
import os
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from incognote.base.files import (
    JsonError,
    files_below,
    is_inside,
    is_plain_name,
    make_private,
    parse_json,
    private_file,
    real_path,
    staged,
    whole_file,
    write_private,
    write_whole,
)


@pytest.mark.parametrize("durable", [False, True])
def test_a_file_is_replaced_whole(durable: bool, tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(b"old")
    write_whole(path, b"new", durable=durable)
    assert path.read_bytes() == b"new"
    assert list(tmp_path.iterdir()) == [path]


def test_the_old_one_stays_where_the_new_has_no_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    path = tmp_path / "a.json"
    path.write_bytes(b"old")
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match=r"No space left on device: '.*/a\.json'"):
        write_whole(path, b"new", durable=True)
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_what_fails_half_way_leaves_no_file(tmp_path: Path) -> None:
    path = tmp_path / "a.bin"
    with suppress(KeyError), whole_file(path) as part:
        part.write_bytes(b"half")
        raise KeyError
    assert not list(tmp_path.iterdir())


def test_a_staged_file_brings_what_was_written_beside_it(tmp_path: Path) -> None:
    with staged(tmp_path / "note.txt", private=True) as stage:
        stage.write_text("text")
        stage.with_name("note.ann").write_text("marks")
        assert not list(tmp_path.glob("note.*"))
    assert (tmp_path / "note.txt").stat().st_mode & 0o077 == 0
    assert (tmp_path / "note.ann").read_text() == "marks"
    assert len(list(tmp_path.iterdir())) == 2


def test_a_staged_folder_that_is_refused_leaves_the_old_one(tmp_path: Path) -> None:
    def refuse(stage: Path) -> None:
        raise KeyError

    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "a.txt").write_text("old")
    with suppress(KeyError), staged(tmp_path / "out", check=refuse) as stage:
        stage.mkdir()
        (stage / "a.txt").write_text("new")
    assert (tmp_path / "out" / "a.txt").read_text() == "old"
    with staged(tmp_path / "out") as stage:
        stage.mkdir()
        (stage / "a.txt").write_text("new")
        (stage / "b").mkdir()
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["a.txt", "b"]
    assert (tmp_path / "out" / "a.txt").read_text() == "new"


def test_links_below_a_folder_are_listed_and_not_followed(tmp_path: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "b" / "c.txt").write_text("x")
    (tmp_path / "a" / "up").symlink_to(tmp_path)
    (tmp_path / "state").mkdir()
    (tmp_path / "state" / "d.txt").write_text("x")
    paths = set(files_below(tmp_path, without=tmp_path / "state"))
    assert paths == {tmp_path / "a" / "b" / "c.txt", tmp_path / "a" / "up"}


def test_a_private_file_is_private_from_its_first_byte(tmp_path: Path) -> None:
    path = tmp_path / "folder" / "spans.jsonl"
    with private_file(path) as stream:
        stream.write(b"x")
        (half,) = path.parent.iterdir()
        assert half.stat().st_mode & 0o077 == 0
        assert not path.exists()
    assert path.read_bytes() == b"x"
    assert path.stat().st_mode & 0o777 == 0o600


def test_what_was_not_written_to_its_end_is_not_there(tmp_path: Path) -> None:
    path = tmp_path / "spans.jsonl"
    write_private(path, b"old")
    with suppress(KeyError), private_file(path) as stream:
        stream.write(b"new")
        raise KeyError
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_whole_folder_becomes_private(tmp_path: Path) -> None:
    (tmp_path / "outside").write_text("x")
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "b" / "c.txt").write_text("x")
    (tmp_path / "a" / "link").symlink_to(tmp_path / "outside")
    before = (tmp_path / "outside").stat().st_mode
    make_private(tmp_path / "a")
    for path in (tmp_path / "a", tmp_path / "a" / "b", tmp_path / "a" / "b" / "c.txt"):
        assert path.stat().st_mode & 0o077 == 0
    assert (tmp_path / "outside").stat().st_mode == before


def test_a_loop_of_links_leads_nowhere_and_raises_nothing(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    assert real_path(tmp_path / "loop").name == "loop"


def test_a_link_can_lead_out_of_a_folder(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "link").symlink_to(tmp_path)
    assert is_inside(tmp_path / "out" / "a" / "b.txt", tmp_path / "out")
    assert not is_inside(tmp_path / "out" / "link" / "b.txt", tmp_path / "out")
    assert not is_inside(tmp_path / "out" / ".." / "b.txt", tmp_path / "out")


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(VALUES)
def test_what_was_written_is_read(value: Any) -> None:
    assert parse_json(json.dumps(value).encode()) == value


@pytest.mark.parametrize(
    "text", ["", "{", b"\xff\xfe\xfa", "[" * 10**6, '{"a":' * 10**5, "9" * 10**5, "nul"]
)
def test_what_is_no_json_is_one_error(text: str | bytes) -> None:
    with pytest.raises(JsonError) as caught:
        parse_json(text)
    assert "\n" not in str(caught.value)
    assert "999" not in str(caught.value)


@pytest.mark.parametrize("name", ["model.onnx", "shared.bin", ".hidden", "a b", "..."])
def test_plain_names(name: str) -> None:
    assert is_plain_name(name)


@pytest.mark.parametrize(
    "name", ["", ".", "..", "../x", "a/b", "/etc/passwd", "a\\b", "C:x", "C:\\x", "a\0", "a/"]
)
def test_names_that_lead_elsewhere(name: str) -> None:
    assert not is_plain_name(name)
