"""Formats of a user's own: by name, recognised after ours, and byte for byte as they promise."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from plugin_packages import forget_names, install, install_example

from incognote import Document
from incognote.formats import FORMATS, FormatError, detect, read, write
from incognote.formats.registry import FORMAT_PLUGINS, format_named
from incognote.formats.text import Text


@pytest.fixture
def dictation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    install_example(tmp_path / "site-packages", monkeypatch)
    path = tmp_path / "visit.dic"
    path.write_bytes(b"%DIC 1\r\nSeen by Dr. Okafor.\r\n")
    return path


def test_a_file_that_is_none_of_ours_is_tried_as_one_of_theirs(dictation: Path) -> None:
    assert detect(dictation).name == "dictation"
    assert [note.text for note in read(dictation)] == ["Seen by Dr. Okafor.\r\n"]
    unknown = dictation.with_suffix(".odd")
    unknown.write_bytes(b"?")
    with pytest.raises(FormatError, match="dictation"):
        detect(unknown)


def test_a_file_that_is_one_of_ours_is_tried_first(dictation: Path) -> None:
    class Greedy(Text):
        name = "greedy"
        sniff = lambda self, path, head: True  # noqa: E731

    FORMAT_PLUGINS.register("greedy")(Greedy)
    note = dictation.with_suffix(".txt")
    note.write_text("a note")
    assert detect(note) is FORMATS["text"]
    pdf = dictation.with_suffix(".bin")
    pdf.write_bytes(b"%PDF-1.7")
    assert detect(pdf).name == "greedy"


def test_packages_are_not_asked_about_a_file_of_ours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path, monkeypatch, "bad", "1.0", {FORMAT_PLUGINS.group: {"Not A Name": "bad:it"}})
    asked: list[str] = []

    def entry_points(group: str) -> list[str]:
        asked.append(group)
        return []

    monkeypatch.setattr("importlib.metadata.entry_points", entry_points)
    for name, format in (("n.txt", "text"), ("n.jsonl", "jsonl")):
        (tmp_path / name).write_bytes(b"{}")
        assert detect(tmp_path / name) is FORMATS[format]
    assert asked == []


def test_a_package_that_is_wrong_fails_only_files_that_are_nobodys(
    dictation: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    FORMAT_PLUGINS.register("broken")(7)
    unknown = dictation.with_suffix(".odd")
    unknown.write_bytes(b"?")
    assert detect(dictation).name == "dictation"
    with pytest.raises(FormatError, match="the format broken cannot be made"):
        detect(unknown)
    install(
        dictation.parent, monkeypatch, "bad", "1.0", {FORMAT_PLUGINS.group: {"Not A Name": "x:y"}}
    )
    with pytest.raises(
        FormatError, match=r"the package bad 1\.0: 'Not A Name' cannot name a format"
    ):
        detect(unknown)


@given(text=st.text(st.characters(codec="utf-8", exclude_characters="\0")))
def test_what_is_written_reads_back(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    folder = tmp_path_factory.mktemp("dictations")
    with pytest.MonkeyPatch.context() as monkeypatch:
        install_example(folder / "site-packages", monkeypatch)
        write([Document("a", text)], folder / "out", "dictation")
        assert [note.text for note in read(folder / "out")] == [text]


def lacking(**parts: Any) -> type:
    return type("Odd", (Text,), {"name": "odd", **parts})


@pytest.mark.parametrize(
    ("thing", "said"),
    [
        (lacking(name="even"), "calls itself otherwise"),
        (lacking(companions=lambda self, path: (path,)), "several files"),
        (lacking(holds_spans="no", gzip=None), "lacks holds_spans, gzip"),
        (lacking(sniff=None), "lacks sniff"),
        (7, "cannot be made"),
        (dataclasses.make_dataclass("NeedsMore", ["x"]), "cannot be made"),
    ],
)
def test_what_is_no_format_is_refused(
    monkeypatch: pytest.MonkeyPatch, thing: Any, said: str
) -> None:
    forget_names(monkeypatch)
    FORMAT_PLUGINS.register("odd")(thing)
    with pytest.raises(FormatError, match=said):
        format_named("odd")
