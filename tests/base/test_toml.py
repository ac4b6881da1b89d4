"""Errors in TOML files name the file, the line and the key."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from incognote.base.errors import RunError
from incognote.base.toml import TomlTable, line_of, read_toml, toml_text

TEXT = '''\
# a site
title = "St Odile"

[types.STUDYID]
category = "ID"

[[lists]]
type = "DOCTOR"
words = ["Rask", "Ito"]

[[lists]]
type = "HOSPITAL"
note = """
[[lists]]
words = 3
"""
words = [
    "Odile",
    "North House",
]
case.any = true
'''


@given(st.text())
def test_every_text_can_be_written(text: str) -> None:
    written = toml_text(text)
    assert tomllib.loads(f"{written} = {written}") == {text: text}


def table(tmp_path: Path, text: str = TEXT) -> TomlTable:
    path = tmp_path / "site.toml"
    path.write_text(text, encoding="utf-8")
    return read_toml(path, RunError)


@pytest.mark.parametrize(
    ("steps", "line"),
    [
        (("title",), 2),
        (("types", "STUDYID"), 4),
        (("types", "STUDYID", "category"), 5),
        (("lists", 0), 7),
        (("lists", 0, "words"), 9),
        (("lists", 1), 11),
        (("lists", 1, "words"), 17),
        (("lists", 1, "case", "any"), 21),
        (("lists", 1, "mode"), 11),
    ],
)
def test_a_key_is_found_on_its_line(steps: tuple[str | int, ...], line: int) -> None:
    assert line_of(TEXT, steps) == line


def test_values_are_given_by_kind(tmp_path: Path) -> None:
    file = table(tmp_path)
    assert file.string("title") == "St Odile"
    assert [row.strings("words") for row in file.rows("lists")] == [
        ("Rask", "Ito"),
        ("Odile", "North House"),
    ]
    own = file.table("types")
    assert own is not None
    assert [(name, type.string("category")) for name, type in own.tables()] == [("STUDYID", "ID")]
    file.done()


def test_what_is_wrong_is_said_with_file_line_and_key(tmp_path: Path) -> None:
    file = table(tmp_path)
    first, second = file.rows("lists")
    with pytest.raises(RunError, match=r"site\.toml:9: lists\.words: must be a whole number$"):
        first.integer("words")
    with pytest.raises(RunError, match=r"site\.toml:11: lists: has no mode, which must be a text$"):
        second.string("mode")
    with pytest.raises(
        RunError,
        match=r"site\.toml:8: lists\.type: 'DOCTOR' is none of DOCTORS, CITY \(did you mean DOCTORS\?\)",
    ):
        first.word("type", ("DOCTORS", "CITY"))
    first, _ = table(tmp_path).rows("lists")
    first.strings("word", None)
    first.string("type")
    with pytest.raises(
        RunError, match=r"site\.toml:9: lists\.words: no such key \(did you mean word\?\)"
    ):
        first.done()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b'a = 1\nb = "open', r"site\.toml:2: "),
        (b"a = 1\na = 2\n", r"site\.toml:2: cannot overwrite a value$"),
        (b"a = 1" + b"0" * 5000, "a number in it is too large$"),
        (b'a = 1\nb = "\xff"\n', r"site\.toml:2: is not UTF-8$"),
    ],
)
def test_a_file_that_is_no_toml_is_refused_with_its_line(
    tmp_path: Path, content: bytes, message: str
) -> None:
    path = tmp_path / "site.toml"
    path.write_bytes(content)
    with pytest.raises(RunError, match=message):
        read_toml(path, RunError)


def test_a_file_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="no such file"):
        read_toml(tmp_path / "none.toml", RunError)


def test_what_might_never_end_is_not_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.toml")
    with pytest.raises(RunError, match=r"pipe\.toml: is no file"):
        read_toml(tmp_path / "pipe.toml", RunError)
    with pytest.raises(RunError, match="is a folder"):
        read_toml(tmp_path, RunError)
    with pytest.raises(RunError, match="is no path"):
        read_toml(tmp_path / "a\0b", RunError)
