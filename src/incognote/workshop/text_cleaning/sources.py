"""The kinds of source by name: how documents are read from their files, and what is their text."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple

from incognote.base.compressed import ENDINGS, opened
from incognote.base.errors import TextError
from incognote.base.files import files_below
from incognote.workshop.pretrain.corpus.text_files import Reading, is_about
from incognote.workshop.text_cleaning import books, web, wikitext
from incognote.workshop.text_cleaning.mediawiki import Page, articles
from incognote.workshop.text_cleaning.position import Position

SourceName = Literal["wikipedia", "books", "openwebtext", "cc-news", "stories"]
Published = Page | str | bytes
"""A document as it was published."""


class CleanDocument(NamedTuple):
    """A document's paragraphs, one a line; no text at all where none is worth reading."""

    text: str
    id: str = ""
    title: str = ""


@dataclass(frozen=True)
class Source:
    """How one kind of source is read and cleaned.

    endings: of the files of a folder that are read, without compression.
    """

    read: Callable[[Path, Reading, Position], Iterator[Published]]
    clean: Callable[[Published], CleanDocument]
    endings: tuple[str, ...]
    fields: tuple[str, ...] = ("text",)


def _read_wikipedia(path: Path, reading: Reading, position: Position) -> Iterator[Page]:
    with opened(path) as (stream, file):
        for page in articles(stream, str(path)):
            position.bytes = file.tell()
            yield page


def _clean_article(page: Published) -> CleanDocument:
    assert isinstance(page, Page)
    return CleanDocument(wikitext.plain_text(page.wikitext, page.dropped), page.id, page.title)


def _clean_book(book: Published) -> CleanDocument:
    assert isinstance(book, str)
    return CleanDocument(books.plain_text(book))


def _clean_page(page: Published) -> CleanDocument:
    assert not isinstance(page, Page)
    return CleanDocument(web.article(page))


_TEXTS = (".txt", ".text", ".md", ".jsonl", ".ndjson", ".json", ".csv", ".tsv", ".tar")

SOURCES: dict[SourceName, Source] = {
    "wikipedia": Source(_read_wikipedia, _clean_article, (".xml",)),
    "books": Source(books.books, _clean_book, _TEXTS),
    "openwebtext": Source(
        web.openwebtext, _clean_page, (*_TEXTS, ".parquet", ".tgz", ".txz", "_data")
    ),
    "cc-news": Source(web.news, _clean_page, (*_TEXTS, ".parquet", ".warc"), ("text", "maintext")),
    "stories": Source(web.stories, _clean_page, _TEXTS),
}


def files_of(source: Source, paths: list[Path]) -> list[Path]:
    """The files named, and of folders those that the source may have, in the order of their names."""
    files: list[Path] = []
    for path in paths:
        if path.is_dir():
            inside = [each for each in sorted(files_below(path)) if _is_source(source, each)]
            if not inside:
                raise TextError(
                    f"{path}: nothing to clean here (looked for {', '.join(source.endings)})"
                )
            files += inside
        elif path.is_file():
            files.append(path)
        else:
            raise TextError(f"{path}: no such file or folder")
    return files


def _is_source(source: Source, path: Path) -> bool:
    name = path.name.lower()
    for ending in ENDINGS:
        name = name.removesuffix(ending)
    return path.is_file() and name.endswith(source.endings) and not is_about(path.name)
