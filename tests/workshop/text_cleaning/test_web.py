"""OpenWebText, CC-News and Stories in the forms in which they are published."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow
import pyarrow.parquet
import pytest
from workshop.text_cleaning.published_corpora import tar_of, write_openwebtext, write_warc

from incognote.base.errors import TextError
from incognote.workshop.pretrain.corpus.text_files import Reading
from incognote.workshop.text_cleaning import web
from incognote.workshop.text_cleaning.position import Position
from incognote.workshop.text_cleaning.web import article, news, openwebtext, stories

SENTENCES = " ".join(
    f"The council of the town met for the {n}th time this year." for n in range(20)
)
PAGE = f"""<html><head><title>News</title></head><body>
<nav><a href="/">Home</a> <a href="/sport">Sport</a></nav>
<article><h1>Council meets</h1><p>{SENTENCES}</p><p>{SENTENCES}</p></article>
<footer>Copyright and cookies</footer></body></html>"""


def test_openwebtext_is_archives_in_archives(tmp_path: Path) -> None:
    path = write_openwebtext(
        tmp_path / "openwebtext.tar.xz", {"1.txt": "one", "2.txt": "two"}, {"3.txt": "three"}
    )
    assert list(openwebtext(path, Reading(), Position())) == ["one", "two", "three"]


def test_what_is_unpacked_of_openwebtext_is_read_too(tmp_path: Path) -> None:
    plain = tmp_path / "1.txt"
    plain.write_text("one")
    subset = tmp_path / "urlsf_subset00.tar"
    subset.write_bytes(tar_of({"a.txt": b"two \xff"}))
    assert list(openwebtext(plain, Reading(), Position())) == ["one"]
    assert list(openwebtext(subset, Reading(), Position())) == ["two \ufffd"]


def test_archives_without_end_are_refused(tmp_path: Path) -> None:
    data = tar_of({"a.txt": b"text"})
    for _ in range(6):
        data = tar_of({"inner.tar": data})
    (tmp_path / "a.tar").write_bytes(data)
    with pytest.raises(TextError, match="archives within archives"):
        list(openwebtext(tmp_path / "a.tar", Reading(), Position()))


def test_articles_are_found_in_pages(tmp_path: Path) -> None:
    path = write_warc(
        tmp_path / "CC-NEWS-20190201-00001.warc.gz",
        ("http://a/1", "text/html; charset=utf-8", PAGE),
        ("http://a/2.png", "image/png", "no text"),
    )
    (found,) = news(path, Reading(), Position())
    text = article(found)
    assert SENTENCES in text
    assert "Sport" not in text
    assert "cookies" not in text


def test_a_damaged_warc_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.warc"
    path.write_bytes(b"no WARC at all\r\n" * 10)
    with pytest.raises(TextError, match="not a WARC file"):
        list(news(path, Reading(), Position()))


def test_records_of_news_please_and_of_the_hub_are_read(tmp_path: Path) -> None:
    reading = Reading(("text", "maintext"))
    lines = tmp_path / "a.jsonl"
    lines.write_text(json.dumps({"title": "t", "maintext": "one"}) + "\n")
    table = tmp_path / "a.parquet"
    columns = {"title": ["t", "t"], "text": ["two", None]}
    pyarrow.parquet.write_table(pyarrow.table(columns), table)
    assert list(news(lines, reading, Position())) == ["one"]
    assert list(news(table, reading, Position())) == ["two", ""]


def test_a_damaged_or_other_table_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    path.write_bytes(b"PAR1 no table")
    with pytest.raises(TextError, match="not a Parquet file"):
        list(news(path, Reading(), Position()))
    pyarrow.parquet.write_table(pyarrow.table({"other": ["x"]}), path)
    with pytest.raises(TextError, match="no column text"):
        list(news(path, Reading(), Position()))


def test_stories_are_parted_as_the_user_says(tmp_path: Path) -> None:
    path = tmp_path / "stories.txt"
    path.write_text("One story.\n\nAnother story.\n")
    assert len(list(stories(path, Reading(), Position()))) == 1
    assert len(list(stories(path, Reading(documents="blank-lines"), Position()))) == 2


@pytest.mark.parametrize(
    ("module", "call"),
    [
        ("trafilatura", lambda: article(b"<p>x</p>")),
        ("warcio", lambda: list(news(Path("a.warc"), Reading(), Position()))),
    ],
)
def test_a_missing_library_is_named_with_its_extra(
    monkeypatch: pytest.MonkeyPatch, module: str, call: object
) -> None:
    monkeypatch.setattr(web, "find_spec", lambda name: None)
    with pytest.raises(TextError, match=r"incognote\[web\]"):
        call()  # type: ignore[operator]
