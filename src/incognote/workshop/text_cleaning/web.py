"""Text from the web, as RoBERTa's corpora are published: OpenWebText, CC-News and Stories.

| corpus | files |
|---|---|
| OpenWebText | `openwebtext.tar.xz` or `urlsf_subset…tar`: tars whose members are tars of texts, compressed by xz; or what is unpacked of them; or Parquet, as the Hugging Face hub has it |
| CC-News | `CC-NEWS-….warc.gz` of commoncrawl.org, from whose pages the articles are extracted; or JSONL of news-please (`maintext`); or Parquet |
| Stories | texts, one document a file, a line, or between blank lines |
"""

from __future__ import annotations

import io
import re
import tarfile
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Any, cast

from incognote.base.compressed import decompressed, opened
from incognote.base.errors import TextError
from incognote.workshop.pretrain.corpus.text_files import (
    LONGEST,
    Reading,
    documents,
)
from incognote.workshop.text_cleaning.position import Position

_TAR_MARK, _TAR_PLACE = b"ustar", 257
_NESTED = 3
"""Archives within archives that are looked into."""

PARQUET = ".parquet"
_ROWS = 256
_HTML = ("text/html", "application/xhtml+xml")
_SPACES = re.compile(r"[^\S\n]+")
_LINES = re.compile(r"\n\s*")


def openwebtext(path: Path, reading: Reading, position: Position) -> Iterator[str]:
    """The texts of a file, of however many archives within archives."""
    if path.suffix == PARQUET:
        yield from _parquet(path, reading)
        return
    with opened(path) as (stream, file):
        buffered = io.BufferedReader(cast(io.RawIOBase, stream))
        if _is_tar(buffered):
            for text in _members(buffered, str(path), _NESTED):
                position.bytes = file.tell()
                yield text
            return
    yield from stories(path, reading, position)


def stories(path: Path, reading: Reading, position: Position) -> Iterator[str]:
    """The texts of a file that incognote reads anyway."""
    for document in documents(path, reading):
        position.bytes = document.read
        yield document.text


def _is_tar(stream: io.BufferedReader[Any]) -> bool:
    return stream.peek(_TAR_PLACE + len(_TAR_MARK))[_TAR_PLACE:].startswith(_TAR_MARK)


def _members(stream: IO[bytes], name: str, depth: int) -> Iterator[str]:
    """The texts in a tar, those of archives in it among them."""
    try:
        with tarfile.open(fileobj=stream, mode="r|") as archive:
            for member in archive:
                if not member.isfile():
                    continue
                inside = f"{name}: {member.name}"
                file = cast(io.BufferedReader, archive.extractfile(member))
                with decompressed(file, inside) as content:
                    buffered = io.BufferedReader(cast(io.RawIOBase, content))
                    if not _is_tar(buffered):
                        yield _text(buffered, inside)
                    elif depth:
                        yield from _members(buffered, inside, depth - 1)
                    else:
                        raise TextError(f"{inside}: more archives within archives than there are")
    except tarfile.TarError:
        raise TextError(f"{name}: not a tar archive, or damaged") from None


def _text(stream: IO[bytes], name: str) -> str:
    data = stream.read(LONGEST + 1)
    if len(data) > LONGEST:
        raise TextError(f"{name}: longer than {LONGEST // 2**20} MB")
    return data.decode(errors="replace")


def news(path: Path, reading: Reading, position: Position) -> Iterator[str | bytes]:
    """Articles, or from a WARC file pages as they were fetched."""
    if ".warc" in path.suffixes:
        yield from _pages(path, position)
    elif path.suffix == PARQUET:
        yield from _parquet(path, reading)
    else:
        yield from stories(path, reading, position)


def _pages(path: Path, position: Position) -> Iterator[bytes]:
    """The HTML of each page that was answered."""
    iterator, error = _warc_library()
    with path.open("rb") as file:
        try:
            for record in iterator(file):
                if record.rec_type != "response" or record.http_headers is None:
                    continue
                kind = record.http_headers.get_header("Content-Type") or ""
                if record.http_headers.get_statuscode() != "200" or not kind.startswith(_HTML):
                    continue
                page = record.content_stream().read(LONGEST + 1)
                if len(page) <= LONGEST:
                    position.bytes = file.tell()
                    yield page
        except (error, EOFError, ValueError) as problem:
            if isinstance(problem, TextError):
                raise
            raise TextError(f"{path}: not a WARC file, or damaged") from None


def _warc_library() -> tuple[Any, type[Exception]]:
    if find_spec("warcio") is None:
        raise TextError(
            "WARC files need warcio, which is not installed: pip install 'incognote[web]'"
        )
    return (
        import_module("warcio.archiveiterator").ArchiveIterator,
        import_module("warcio.exceptions").ArchiveLoadFailed,
    )


def _parquet(path: Path, reading: Reading) -> Iterator[str]:
    """The text columns of each row, a few rows at a time."""
    if find_spec("pyarrow") is None:
        raise TextError(
            "Parquet files need pyarrow, which is not installed: pip install 'incognote[tables]'"
        )
    arrow, parquet = import_module("pyarrow"), import_module("pyarrow.parquet")
    try:
        with parquet.ParquetFile(path) as file:
            names = [name for name in reading.fields if name in file.schema_arrow.names]
            if not names:
                raise TextError(
                    f"{path}: no column {' or '.join(reading.fields)}; name the one that holds text"
                )
            for batch in file.iter_batches(_ROWS, columns=names):
                for row in batch.to_pylist():
                    yield "\n\n".join(str(row[name]) for name in names if row[name])
    except (arrow.ArrowException, OSError, UnicodeDecodeError):
        raise TextError(f"{path}: not a Parquet file, or damaged") from None


def article(page: str | bytes) -> str:
    """The article of a page, or of a text that is one already."""
    if isinstance(page, str):
        return plain_text(page)
    if find_spec("trafilatura") is None:
        raise TextError(
            "articles are found in pages by trafilatura, which is not installed: "
            "pip install 'incognote[web]'"
        )
    extract = import_module("trafilatura").extract
    found = extract(page, include_comments=False, include_tables=False, favor_precision=True)
    return plain_text(found or "")


def plain_text(text: str) -> str:
    r"""Paragraphs, one a line, without what is no character.

    >>> plain_text("One  \r\n\n  two\tthree\0")
    'One\ntwo three'
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "").replace("\ufeff", "")
    return _LINES.sub("\n", _SPACES.sub(" ", text).replace(" \n", "\n")).strip()
