"""Files of entries: what is read of them, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from incognote.base.errors import UserError
from incognote.detect.site.list_files import MOST_WORDS, refusal
from incognote.detect.site.lists import read_entries


def write(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lines_are_entries(tmp_path: Path, encoding: str, end: str) -> None:
    text = end.join(["Jörg Müller", "", "  # a comment", " Ward 7B\t", "Jörg Müller", "C# team"])
    path = write(tmp_path, "staff.txt", text.encode(encoding))
    assert read_entries(path) == ["Jörg Müller", "Ward 7B", "Jörg Müller", "C# team"]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv", 'id,name\n1,"Okafor, Ngozi"\n2, White \n3,\n\n'),
        ("a.csv", 'id;name\r\n1;"Okafor, Ngozi"\r\n2;White\r\n'),
        ("a.csv", "id\tname\n1\tOkafor, Ngozi\n2\tWhite\n"),
        ("a.TSV", "name\tid\nOkafor, Ngozi\t1\nWhite\t2\n"),
        ("a.csv", '\ufeffid,name\n1,"Okafor,\nNgozi"\n2,White'),
    ],
)
def test_a_column_of_a_table(tmp_path: Path, name: str, content: str) -> None:
    path = write(tmp_path, name, content)
    assert read_entries(path, "name") == ["Okafor, Ngozi", "White"]


def test_a_table_of_one_column_needs_no_name(tmp_path: Path) -> None:
    assert read_entries(write(tmp_path, "a.csv", "name\n# 7 West\n")) == ["# 7 West"]


@pytest.mark.parametrize(
    ("name", "content", "column", "place", "reason"),
    [
        ("a.txt", "North House\n x \n", None, ":2", "too short"),
        ("a.txt", "North House\n---\n", None, ":2", "too short"),
        ("a.txt", "w " * (MOST_WORDS + 1), None, ":1", "too long"),
        ("a.txt", "# nothing\n\n", None, "", "no entries"),
        ("a.txt", b"House\nM\xfcller\n", None, ":2", "save the file as UTF-8"),
        ("a.txt", "House\n", "name", "", "no columns"),
        ("a.csv", "id,name\n1,House\n\n3,?\n", "name", ":4", "too short"),
        ("a.csv", "id,name\n1,House\n2\n", "name", ":3", "fewer fields"),
        ("a.csv", 'id,name\n1,"House\n', "name", ":", "quotation mark"),
        ("a.csv", "Ngozi,Okafor\nRose,White\n", "name", ":1", "no column 'name'"),
        ("a.csv", "name,name\nRose,White\n", "name", ":1", "twice"),
        ("a.csv", "id,name\n1,White\n", None, "", "several columns"),
        ("a.csv", "id,name\n", "name", "", "no entries"),
        ("a.csv", "", "name", ":1", "no column"),
    ],
)
def test_refused(
    tmp_path: Path, name: str, content: str | bytes, column: str | None, place: str, reason: str
) -> None:
    """With file and line, and without a word of what stands there."""
    path = write(tmp_path, name, content)
    with pytest.raises(UserError, match=reason) as error:
        read_entries(path, column)
    assert str(error.value).startswith(f"{path}{place}")
    message = str(error.value).removeprefix(str(path))
    assert not any(word in message for word in ("House", "Ngozi", "Okafor", "Rose", "White"))


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"staff\.txt: no such file"):
        read_entries(tmp_path / "staff.txt")


@given(st.text(max_size=6))
def test_an_entry_of_two_letters_or_digits_is_useful(entry: str) -> None:
    assert (refusal(entry) is None) == (sum(map(str.isalnum, entry)) > 1)
