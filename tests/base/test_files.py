"""Files that appear whole and for their owner only."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from incognote.base.files import is_inside, make_private, private_file, real_path, write_private


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
