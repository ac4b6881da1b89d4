"""Delimited tables (CSV, TSV, and with `;` or `|`): one note or more a row, with a header.

All fields are strings. Only the fields of the text columns are ever rewritten; every other field,
and every line end, keeps its bytes. The file is read in flat memory, whatever its size. Quotes
that do not fit end the reading of the file, because the rows after them cannot be told from the
text of a note; a row with another number of fields than the header is a bad record.

It holds any text without lone surrogates, and no spans.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from incognote.document import Document
from incognote.formats.characters import decode, encode, not_text
from incognote.formats.columns import Columns, Values
from incognote.formats.container import BadRecord, Column, Fields, FormatError, Record
from incognote.formats.dialect import Dialect, Row, decode_name, guess
from incognote.formats.encoding import Encoding
from incognote.formats.stream import StreamFormat, chunks, extension, new_file, open_text, reading

_HEAD = 1 << 18


@dataclass(frozen=True, slots=True)
class _Cells:
    """A row, and the columns of its documents."""

    row: Row
    columns: tuple[int, ...]
    dialect: Dialect
    encoding: Encoding


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
            head = self._stream.read(_HEAD)
        whole = len(head) < _HEAD
        if not head.strip():
            raise FormatError("the table is empty: it has no header")
        wanted = fields.text or ("text",)
        self._dialect = guess(head, whole, wanted, extension(path))
        self._rows = self._dialect.rows(chain([head], chunks(self._stream)))
        self._header = next(self._rows)
        names = [decode_name(self._dialect, field) for field in self._header.fields]
        self._columns = Columns.of(names, fields)

    def records(self, skip: int = 0) -> Iterator[Record | BadRecord]:
        dialect, encoding, width = self._dialect, self._encoding, len(self._header.fields)
        if not skip:
            header = encoding.of_utf8(_join(self._header, dialect))
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

    def other_columns(self, values: int) -> list[Column]:
        """The first values of the columns that hold no note; read to the end if one has few."""
        width = len(self._header.fields)
        names = self._columns.names
        seen = Values(values)
        few = [at for at in range(len(names)) if at not in self._columns.text]
        for row in self._rows:
            if len(row.fields) == width:
                few = [at for at in few if not seen.add(names[at], self._other(row, at))]
            if not few:
                break
        return seen.columns({name: at for at, name in enumerate(names, 1)})

    def _other(self, row: Row, column: int) -> str:
        """A value that is looked at only: bytes that are no text do not matter."""
        return self._dialect.value(row.fields[column]).decode("utf-8", "replace")

    def _record(self, row: Row, count: int, place: str) -> Record:
        columns = self._columns
        documents = columns.documents(
            count, [(column, self._value(row, column)) for column in columns.text], self._value, row
        )
        cells = _Cells(row, columns.text, self._dialect, self._encoding)
        return Record(documents, place, cells, columns.id is not None)

    def _value(self, row: Row, column: int) -> str:
        value = self._dialect.value(row.fields[column])
        try:
            text = value.decode()
        except UnicodeDecodeError:
            return decode(value, len(self._encoding.mark) + row.offset_of(column))
        if "\0" in text:
            raise FormatError(str(not_text(text)))
        return text


def _join(row: Row, dialect: Dialect) -> bytes:
    return dialect.delimiter.join(row.fields) + row.end


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
            fields[column] = dialect.spell(encode(new.text), row.fields[column].startswith(b'"'))
        return cells.encoding.of_utf8(dialect.delimiter.join(fields) + row.end)

    def problem(self, document: Document) -> str | None:
        return not_text(document.text) or not_text(document.id)

    def open(self, path: Path, fields: Fields) -> _DelimitedSource:
        return _DelimitedSource(path, fields)

    def other_columns(self, path: Path, fields: Fields, values: int) -> list[Column]:
        with closing(self.open(path, fields)) as source:
            return source.other_columns(values)

    def write(self, documents: Iterable[Document], path: Path) -> None:
        tabs = extension(path) in (".tsv", ".tab")
        dialect = Dialect(b"\t" if tabs else b",")
        with new_file(path) as file:
            file.write(dialect.delimiter.join((b"id", b"text")) + b"\n")
            for document in documents:
                if problem := self.problem(document):
                    raise FormatError(problem, document.id)
                fields = (dialect.spell(encode(value)) for value in (document.id, document.text))
                file.write(dialect.delimiter.join(fields) + b"\n")
