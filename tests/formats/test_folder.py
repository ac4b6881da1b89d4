"""Documents out of files and folders, and into them."""

from __future__ import annotations

import gzip
import os
import pickle
from collections.abc import Iterator
from pathlib import Path

import pytest

from incognote.document import Document
from incognote.formats import FORMATS, FormatError, inputs, read, write


def test_a_folder_is_read_in_order_with_paths_as_ids(tmp_path: Path) -> None:
    (tmp_path / "b" / "c").mkdir(parents=True)
    for name in ("z.txt", "b/c/x.txt", "b/.hidden.txt"):
        (tmp_path / name).write_bytes(b"note")
    (tmp_path / "b" / "y.txt.gz").write_bytes(gzip.compress(b"note"))
    (tmp_path / "b" / "t.csv").write_bytes(b"n,text\n7,note\n")
    (tmp_path / "b" / "u.jsonl").write_bytes(b'{"id": "own", "text": "note"}')
    assert [document.id for document in read(tmp_path)] == ["z", "b/t/1", "own", "b/y", "b/c/x"]
    assert [path.name for path in inputs(tmp_path, "csv")] == ["t.csv"]


def test_linked_folders_are_read_and_loops_refused(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "a.txt").write_bytes(b"note")
    (tmp_path / "in" / "link").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "in" / "same").symlink_to(tmp_path / "elsewhere")
    assert [document.id for document in read(tmp_path / "in")] == ["link/a", "same/a"]
    (tmp_path / "elsewhere" / "loop").symlink_to(tmp_path / "in")
    with pytest.raises(FormatError, match=r"in/link/loop: a link that leads back to a folder"):
        list(inputs(tmp_path / "in"))


def test_a_folder_that_cannot_be_listed_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "shut").mkdir()
    (tmp_path / "a.txt").write_bytes(b"note")
    iterdir = Path.iterdir

    def refuse(folder: Path) -> Iterator[Path]:
        if folder.name == "shut":
            raise PermissionError(13, "Permission denied")
        return iterdir(folder)

    monkeypatch.setattr(Path, "iterdir", refuse)
    for listing in (inputs(tmp_path), read(tmp_path), inputs(tmp_path, "csv")):
        with pytest.raises(FormatError, match=r"/shut: cannot be read \(Permission denied\)$"):
            list(listing)


@pytest.mark.parametrize("name", sorted(FORMATS))
@pytest.mark.parametrize("suffix", ["", ".gz"])
def test_a_pipe_is_refused_and_not_waited_for(name: str, suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"pipe{FORMATS[name].extensions[0]}{suffix}"
    os.mkfifo(path)
    for format in (None, name):
        with pytest.raises(FormatError, match=r"pipe.*: not a regular file$"):
            list(read(tmp_path, format))
        with pytest.raises(FormatError, match=r"not a regular file$"):
            list(read(path, format))


def test_a_link_to_itself_or_to_nothing_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    for aim in (path, tmp_path / "nothing"):
        path.symlink_to(aim)
        with pytest.raises(FormatError, match=r"a\.txt: cannot be read"):
            list(read(tmp_path))
        path.unlink()


def test_a_folder_is_written_by_id(tmp_path: Path) -> None:
    notes = [Document("a/1", "x"), Document("b", "y")]
    write(notes, tmp_path / "out", "text")
    assert sorted(read(tmp_path / "out"), key=lambda note: note.id) == notes
    for ids in (["../x"], ["/x"], [""], ["c", "c"], ["x\\y"]):
        with pytest.raises(FormatError):
            write([Document(id, "") for id in ids], tmp_path / "out", "text")
    with pytest.raises(FormatError, match="one file holds one note"):
        write(notes, tmp_path / "two.txt", "text")


def test_errors_name_file_and_place(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"ok \xc3\xa9\xff")
    (tmp_path / "b.jsonl").write_bytes(b'{"text": "a"}\n{')
    with pytest.raises(FormatError, match=r"a\.txt, byte 5: not valid UTF-8$"):
        list(read(tmp_path))
    with pytest.raises(FormatError, match=r"b\.jsonl, line 2, column 2: not valid JSON$"):
        list(read(tmp_path / "b.jsonl"))
    error = pickle.loads(pickle.dumps(FormatError("why", "line 1")))
    assert (error.reason, error.place, str(error)) == ("why", "line 1", "line 1: why")
