"""A folder of clean text: the same whatever comes in between, and read by what pretrains."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from workshop.text_cleaning.published_corpora import page, write_dump

from incognote.base.errors import TextError
from incognote.workshop.pretrain.corpus.text_files import Reading, documents, list_files
from incognote.workshop.text_cleaning import run
from incognote.workshop.text_cleaning.run import Cleaning, clean_text

CLEANING = Cleaning(source="wikipedia", shortest=20)


@pytest.fixture
def dump(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Forty articles, cleaned five at a time, and ten in a part."""
    sentences = "It is a [[town]]. " * 4
    pages = [page(f"T{n}", f"'''T{n}''' is here. {sentences}\n* a\n", n) for n in range(40)]
    monkeypatch.setattr(run, "BATCH", 5 * len(sentences))
    monkeypatch.setattr(run, "PART", 10 * len(sentences) * 2 // 3)
    return write_dump(tmp_path / "wiki.xml.bz2", *pages, page("Stub", "Short.", 99))


def contents(folder: Path) -> dict[str, Any]:
    return {
        path.name: gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else None
        for path in sorted(folder.iterdir())
    }


def test_articles_become_records_with_their_title(dump: Path, tmp_path: Path) -> None:
    result = clean_text([dump], tmp_path / "out", CLEANING)
    assert (result.documents, result.left_out) == (40, 1)
    assert result.parts > 2
    with gzip.open(tmp_path / "out/part-00000.jsonl.gz", "rt") as lines:
        first = json.loads(next(lines))
    assert first == {
        "id": "0",
        "title": "T0",
        "text": "T0 is here. " + "It is a town. " * 3 + "It is a town.",
    }


def test_what_comes_out_is_what_pretraining_reads(dump: Path, tmp_path: Path) -> None:
    clean_text([dump], tmp_path / "out", CLEANING)
    files = list_files([tmp_path / "out"])
    assert sum(1 for path in files for _ in documents(path, Reading())) == 40


def test_a_run_that_was_killed_ends_as_an_unbroken_one(dump: Path, tmp_path: Path) -> None:
    clean_text([dump], tmp_path / "whole", CLEANING)
    steps = 0

    def stop(step: run.Step) -> None:
        nonlocal steps
        steps += 1
        if steps % 3 == 0:
            raise KeyboardInterrupt

    for _ in range(20):
        try:
            clean_text([dump], tmp_path / "broken", CLEANING, watch=stop)
            break
        except KeyboardInterrupt:
            continue
    assert steps > 6
    assert contents(tmp_path / "broken") == contents(tmp_path / "whole")
    assert (tmp_path / "broken/source.json").read_text() == (
        tmp_path / "whole/source.json"
    ).read_text()


def test_processes_change_nothing(dump: Path, tmp_path: Path) -> None:
    clean_text([dump], tmp_path / "one", CLEANING)
    clean_text([dump], tmp_path / "two", CLEANING, workers=2)
    assert contents(tmp_path / "two") == contents(tmp_path / "one")


def test_a_finished_folder_is_left_as_it_is(dump: Path, tmp_path: Path) -> None:
    clean_text([dump], tmp_path / "out", CLEANING)
    before = (tmp_path / "out/part-00000.jsonl.gz").stat().st_mtime_ns
    steps: list[run.Step] = []
    clean_text([dump], tmp_path / "out", CLEANING, watch=steps.append)
    assert not steps
    assert (tmp_path / "out/part-00000.jsonl.gz").stat().st_mtime_ns == before


def test_other_text_is_never_mixed_in(dump: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    clean_text([dump], out, CLEANING)
    longer = Cleaning(source="wikipedia", shortest=30)
    with pytest.raises(TextError, match="cleaned in another way"):
        clean_text([dump], out, longer)
    again = clean_text([dump], out, longer, overwrite=True)
    assert again.documents == 40
    (out / "part-00001.jsonl.gz").unlink()
    with pytest.raises(TextError, match="is not there any more"):
        clean_text([dump], out, longer)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/notes.txt").write_text("mine")
    with pytest.raises(TextError, match="holds other files"):
        clean_text([dump], tmp_path / "mine", CLEANING, overwrite=True)
    assert (tmp_path / "mine/notes.txt").read_text() == "mine"


def test_a_folder_of_books_is_read_without_what_tells_of_them(tmp_path: Path) -> None:
    books = tmp_path / "books"
    books.mkdir()
    (books / "README.txt").write_text("about the books " * 40)
    (books / "b.txt").write_text("A tale of the sea. " * 20)
    (books / "cover.png").write_bytes(b"\x89PNG\0")
    result = clean_text([books], tmp_path / "out", Cleaning(source="books"))
    assert result.documents == 1
    with pytest.raises(TextError, match="nothing to clean here"):
        clean_text([books], tmp_path / "wiki", CLEANING)


def test_lone_surrogates_do_not_stop_a_run(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps({"text": "\ud800 " + "word " * 60}) + "\n")
    assert clean_text([path], tmp_path / "out", Cleaning(source="stories")).documents == 1


def test_files_without_text_are_named_as_such(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("short")
    with pytest.raises(
        TextError, match=r"no document of 1 files has 200 characters.*--source books"
    ):
        clean_text([tmp_path / "a.txt"], tmp_path / "out", Cleaning(source="books"))
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["source.json"]


@pytest.mark.parametrize("content", ["{", "[]", "{}", '{"schema": 1, "progress": {"x": 1}}'])
def test_a_damaged_manifest_is_said(dump: Path, tmp_path: Path, content: str) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / "source.json").write_text(content)
    with pytest.raises(TextError, match="--overwrite"):
        clean_text([dump], out, CLEANING)
    assert clean_text([dump], out, CLEANING, overwrite=True).documents == 40
