"""Delimited tables (CSV, TSV, and with `;` or `|`): one note or more a row, with a header.

All fields are strings. Only the fields of the text columns are ever rewritten; every other field,
and every line end, keeps its bytes. The file is read in flat memory, whatever its size. Quotes
that do not fit end the reading of the file, because the rows after them cannot be told from the
text of a note; a row with another number of fields than the header is a bad record.

The dialect is guessed from the beginning of the file: the one whose header has the columns asked
for and whose rows have as many fields as the header. A field that begins with a quote is quoted in
all dialects: were it read as plain text, the lines of a note whose quote is never closed would be
rows, and what stands in their other columns would be copied.

It holds any text without lone surrogates, and no spans.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import NamedTuple

from incognote.document import Document
from incognote.formats.columns import Columns, Values
from incognote.formats.container import BadRecord, CopiedColumns, Record
from incognote.formats.encoding import UTF8, Encoding, not_text
from incognote.formats.fields import Fields
from incognote.formats.format_bases import StreamFormat
from incognote.formats.format_error import FormatError
from incognote.formats.streams import chunks, extension, new_file, open_text, reading

QUOTE = b'"'
HEAD = 1 << 18
"""Bytes that the dialect of a table is guessed from."""
_LONGEST_ROW = 512 << 20
_CLOSING = re.compile(rb'[^"]*+(?:""[^"]*+)*+"')
_NEEDS_QUOTES = re.compile(rb'["\r\n]')
_FIRST_IS_CR = re.compile(rb"[^\r\n]*+\r(?!\n)")


class QuoteError(FormatError):
    """Quotes that do not fit: rows after them cannot be told from the text of a note."""


class Row(NamedTuple):
    """The fields as their bytes, quotes and all; `end` is the line end."""

    fields: list[bytes]
    end: bytes
    line: int
    offset: int

    def offset_of(self, column: int) -> int:
        """Where a field begins in the file."""
        return self.offset + sum(len(field) + 1 for field in self.fields[:column])


@dataclass(frozen=True)
class Dialect:
    """A delimiter and the line end; a `"` at the beginning of a field quotes it."""

    delimiter: bytes = b","
    line_end: bytes = b"\n"

    def rows(self, chunks: Iterable[bytes]) -> Iterator[Row]:
        """The rows of a file that comes in chunks; a quoted field may go over many lines.

        A row that is not whole is tried again with twice as many bytes, so that the time stays
        linear in its length.
        """
        feed = iter(chunks)
        data, at, line, offset, whole = b"", 0, 1, 0, False
        while not whole or at < len(data):
            stop = data.find(self.line_end, at) + 1 or (len(data) if whole else 0)
            fields: list[bytes] | None = None
            if stop and data.find(QUOTE, at, stop) < 0:
                body = data[at:stop].rstrip(b"\r\n")
                fields, end = body.split(self.delimiter), at + len(body)
            elif stop:
                fields, end, stop = self._quoted(data, at, whole, f"line {line}")
            if fields is not None:
                yield Row(fields, data[end:stop], line, offset + at)
                line += data.count(self.line_end, at, stop)
                at = stop
                continue
            if whole or len(data) - at > _LONGEST_ROW:
                raise QuoteError("a quote is opened and never closed", f"line {line}")
            offset += at
            data, at, whole = _more(data[at:], feed)

    def _quoted(
        self, data: bytes, at: int, whole: bool, place: str
    ) -> tuple[list[bytes] | None, int, int]:
        """The fields of a row with quotes, where they end and where the row does; None: unknown."""
        fields: list[bytes] = []
        unknown = None, 0, 0
        while True:
            quoted = data.startswith(QUOTE, at)
            if quoted:
                closing = _CLOSING.match(data, at + 1)
                if not closing or (closing.end() == len(data) and not whole):
                    return unknown
                to = closing.end()
            stop = data.find(self.line_end, to if quoted else at) + 1
            if not stop and not whole:
                return unknown
            stop = stop or len(data)
            if not quoted:
                to = data.find(self.delimiter, at, stop)
                to = to if to >= 0 else at + len(data[at:stop].rstrip(b"\r\n"))
            fields.append(data[at:to])
            if not data.startswith(self.delimiter, to):
                if data[to:stop].strip(b"\r\n"):
                    raise QuoteError("there is text after a closing quote", place)
                return fields, to, stop
            at = to + 1

    def value(self, field: bytes) -> bytes:
        """The value of a field, without its quotes."""
        if field.startswith(QUOTE):
            return field[1:-1].replace(b'""', b'"')
        return field

    def spell(self, value: bytes, quoted: bool = False) -> bytes:
        """The field for a value, quoted where it must be."""
        if quoted or not value or self.delimiter in value or _NEEDS_QUOTES.search(value):
            return QUOTE + value.replace(b'"', b'""') + QUOTE
        return value


def _more(data: bytes, feed: Iterator[bytes]) -> tuple[bytes, int, bool]:
    """At least twice the bytes, and whether they are the last."""
    parts, size = [data], 0
    for chunk in feed:
        parts.append(chunk)
        size += len(chunk)
        if size > len(data):
            return b"".join(parts), 0, False
    return b"".join(parts), 0, True


def guess(head: bytes, whole: bool, columns: Iterable[str], extension: str) -> Dialect:
    """The dialect of a table that begins with `head`, which may be the whole of it."""
    end = b"\r" if _FIRST_IS_CR.match(head) else b"\n"
    if not whole:
        head = head[: head.rfind(end) + 1] or head
    order = (
        (b"\t", b",", b";", b"|") if extension in (".tsv", ".tab") else (b",", b"\t", b";", b"|")
    )
    names = set(columns)
    dialects = [Dialect(delimiter, end) for delimiter in order]
    return max(dialects, key=lambda dialect: _fitness(dialect, head, whole, names))


def _fitness(
    dialect: Dialect, head: bytes, whole: bool, names: set[str]
) -> tuple[bool, bool, bool, float, int]:
    """How well a dialect explains the beginning of a table; the greatest is the best."""
    rows: list[Row] = []
    sound = True
    try:
        for row in dialect.rows([head]):
            rows.append(row)
    except QuoteError as error:
        sound = not whole and "never closed" in error.reason
    if not rows:
        return (False, False, False, 0.0, 0)
    header = {decode_name(dialect, field) for field in rows[0].fields}
    width = len(rows[0].fields)
    body = [row for row in rows[1:] if row.fields != [b""]]
    even = sum(len(row.fields) == width for row in body) / len(body) if body else 1.0
    return (names <= header, width > 1, sound, even, width)


def decode_name(dialect: Dialect, field: bytes) -> str:
    """The name of a column."""
    return UTF8.decode(dialect.value(field)).strip()


@dataclass(frozen=True, slots=True)
class _Cells:
    """A row, the columns of its documents, and those that are left out."""

    row: Row
    columns: tuple[int, ...]
    dialect: Dialect
    encoding: Encoding
    dropped: frozenset[int] = frozenset()


class _DelimitedSource:
    def __init__(self, path: Path, fields: Fields) -> None:
        self._stream, self._encoding = open_text(path, fields)
        try:
            self._begin(path, fields)
        except BaseException:
            self._stream.close()
            raise

    def _begin(self, path: Path, fields: Fields) -> None:
        with reading():
            head = self._stream.read(HEAD)
        whole = len(head) < HEAD
        if not head.strip():
            raise FormatError("the table is empty: it has no header")
        named = {*fields.text, *fields.column} or {"text"}
        self._dialect = guess(head, whole, named, extension(path))
        self._rows = self._dialect.rows(chain([head], chunks(self._stream)))
        self._header = next(self._rows)
        names = [decode_name(self._dialect, field) for field in self._header.fields]
        self._columns = Columns.of(names, fields)

    def records(self, skip: int = 0) -> Iterator[Record | BadRecord]:
        dialect, encoding, width = self._dialect, self._encoding, len(self._header.fields)
        if not skip:
            header = encoding.of_utf8(
                _join(self._header.fields, self._header.end, dialect, self._columns.dropped)
            )
            yield Record((), "line 1", encoding.mark + header, frame=True)
        for count, row in enumerate(self._rows, 1):
            if count < skip:
                continue
            place = f"line {row.line}"
            if row.fields == [b""]:
                yield Record((), place, encoding.of_utf8(row.end))
            elif len(row.fields) != width:
                reason = f"{len(row.fields)} fields where the header has {width}"
                yield BadRecord(FormatError(reason, place))
            else:
                try:
                    yield self._record(row, count, place)
                except FormatError as error:
                    yield BadRecord(error.within(place))

    def close(self) -> None:
        self._stream.close()

    def other_columns(self, values: int, rows: int | None = None) -> CopiedColumns:
        """The first values of the columns that are copied; read to the end if one has few."""
        width = len(self._header.fields)
        names = self._columns.names
        first_values = Values(values)
        short = self._columns.others
        count = 0
        for row in islice(self._rows, rows):
            if len(row.fields) == width:
                count += 1
                short = [
                    at for at in short if not first_values.add(names[at], self._other(row, at))
                ]
            if not short:
                break
        numbers = {name: at for at, name in enumerate(names, 1)}
        others = [names[at] for at in self._columns.others]
        return CopiedColumns(first_values.columns(numbers, others), count, frozenset(names))

    def _other(self, row: Row, column: int) -> str:
        """A value that is looked at only: bytes that are no text do not matter."""
        return self._dialect.value(row.fields[column]).decode("utf-8", "replace")

    def _record(self, row: Row, count: int, place: str) -> Record:
        columns = self._columns
        documents, numbers = columns.documents(
            count, [(column, self._value(row, column)) for column in columns.text], self._value, row
        )
        cells = _Cells(row, numbers, self._dialect, self._encoding, columns.dropped)
        return Record(documents, place, cells, columns.id is not None)

    def _value(self, row: Row, column: int) -> str:
        value = self._dialect.value(row.fields[column])
        try:
            text = value.decode()
        except UnicodeDecodeError:
            return UTF8.decode(value, len(self._encoding.mark) + row.offset_of(column))
        if "\0" in text:
            raise FormatError(str(not_text(text)))
        return text


def _join(fields: list[bytes], end: bytes, dialect: Dialect, dropped: frozenset[int]) -> bytes:
    """The bytes of a row. A single field that is empty is quoted, or it would be a blank line."""
    if dropped:
        fields = [field for at, field in enumerate(fields) if at not in dropped]
        fields = [QUOTE + QUOTE] if fields == [b""] else fields
    return dialect.delimiter.join(fields) + end


class Delimited(StreamFormat):
    name = "csv"
    extensions = (".csv", ".tsv", ".tab")
    table = True
    holds_spans = False

    def render(self, record: Record, documents: tuple[Document, ...]) -> bytes:
        if isinstance(record.raw, bytes):
            return record.raw
        cells: _Cells = record.raw
        row, dialect = cells.row, cells.dialect
        fields = list(row.fields)
        for column, old, new in zip(cells.columns, record.documents, documents, strict=True):
            if old.text == new.text:
                continue
            cells.encoding.encode(new.text)
            fields[column] = dialect.spell(
                UTF8.encode(new.text), row.fields[column].startswith(b'"')
            )
        return cells.encoding.of_utf8(_join(fields, row.end, dialect, cells.dropped))

    def written(self, record: Record, documents: tuple[Document, ...]) -> tuple[Document, ...]:
        return documents

    def problem(self, document: Document) -> str | None:
        return not_text(document.text) or not_text(document.id)

    def open(self, path: Path, fields: Fields) -> _DelimitedSource:
        return _DelimitedSource(path, fields)

    def other_columns(
        self, path: Path, fields: Fields, values: int, rows: int | None = None
    ) -> CopiedColumns:
        with closing(self.open(path, fields)) as source:
            return source.other_columns(values, rows)

    def write(self, documents: Iterable[Document], path: Path) -> None:
        tabs = extension(path) in (".tsv", ".tab")
        dialect = Dialect(b"\t" if tabs else b",")
        with new_file(path) as file:
            file.write(dialect.delimiter.join((b"id", b"text")) + b"\n")
            for document in documents:
                if problem := self.problem(document):
                    raise FormatError(problem, document.id)
                fields = (
                    dialect.spell(UTF8.encode(value)) for value in (document.id, document.text)
                )
                file.write(dialect.delimiter.join(fields) + b"\n")
