"""The articles of a dump, and what is none."""

from __future__ import annotations

import bz2
from pathlib import Path

import pytest
from workshop.text_cleaning.published_corpora import page, write_dump

from incognote.base.compressed import opened
from incognote.base.errors import TextError
from incognote.workshop.text_cleaning import mediawiki
from incognote.workshop.text_cleaning.mediawiki import Page, articles


def pages_of(path: Path) -> list[Page]:
    with opened(path) as (stream, _):
        return list(articles(stream, path.name))


def test_articles_have_their_own_id_and_title_and_markup(tmp_path: Path) -> None:
    dump = write_dump(
        tmp_path / "d.xml.bz2", page("A & B", "x < y &amp; z", 3), page("C", "text", 4)
    )
    found = pages_of(dump)
    assert [(each.id, each.title, each.wikitext) for each in found] == [
        ("3", "A & B", "x < y &amp; z"),
        ("4", "C", "text"),
    ]


def test_other_pages_are_left_out(tmp_path: Path) -> None:
    dump = write_dump(
        tmp_path / "d.xml.bz2",
        page("Talk:A", "talk", 1, namespace=1),
        page("Old name", "#REDIRECT [[A]]", 2, redirect="A"),
        page("Mercury", "'''Mercury''' may be:\n* a planet\n{{disambiguation|planet}}", 3),
        page("Paris (name)", "{{Human name disambiguation}}", 4),
        page("A", "An article about {{disambiguation needed}} things.", 5),
        page("B", "An article.", 6),
    )
    assert [each.title for each in pages_of(dump)] == ["A", "B"]


def test_a_dump_in_several_streams_is_read_to_its_end(tmp_path: Path) -> None:
    pages = [page(f"P{n}", f"text {n}", n) for n in range(50)]
    dump = write_dump(tmp_path / "d.xml.bz2", *pages, streams=7)
    assert len(pages_of(dump)) == 50


def test_a_dump_names_its_pictures_and_categories(tmp_path: Path) -> None:
    (article,) = pages_of(write_dump(tmp_path / "d.xml.bz2", page("A", "x")))
    assert {"datei", "kategorie", "file", "category"} <= article.dropped


def test_an_endless_page_is_left_out_and_the_next_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mediawiki, "LONGEST", 1000)
    dump = write_dump(tmp_path / "d.xml.bz2", page("A", "x" * 200_000), page("B", "y", 2))
    assert [each.title for each in pages_of(dump)] == ["B"]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"<mediawiki><page><title>A</title>", "not a whole MediaWiki dump"),
        (b"no XML", "not a whole MediaWiki dump"),
        (b"<html></html>", "no MediaWiki dump"),
        (
            b'<!DOCTYPE m [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><mediawiki>&b;</mediawiki>',
            "declares entities",
        ),
    ],
)
def test_what_is_no_dump_is_refused(tmp_path: Path, data: bytes, message: str) -> None:
    path = tmp_path / "d.xml"
    path.write_bytes(data)
    with pytest.raises(TextError, match=message):
        pages_of(path)


def test_a_dump_that_was_cut_short_is_refused(tmp_path: Path) -> None:
    dump = write_dump(tmp_path / "d.xml.bz2", page("A", "x" * 1000))
    dump.write_bytes(dump.read_bytes()[:-20])
    with pytest.raises(TextError, match="cut short"):
        pages_of(dump)
    dump.write_bytes(bz2.compress(b"<mediawiki/>") + b"not bzip2")
    assert pages_of(dump) == []  # what follows a stream is no part of it, as for gzip
