"""Parquet: one note or more a row, in columns of strings. Needs pyarrow (`incognote[tables]`).

The text columns are rewritten, the others and the schema kept; a null has no document and stays
null. Rows are read and written in batches.

It holds any text without lone surrogates, and no spans. Values come out as they were; the bytes
around them do not, since pages are compressed anew.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import Any

from incognote.document import Document
from incognote.formats.characters import not_text
from incognote.formats.columns import Columns, Values, shown_name
from incognote.formats.container import BadRecord, Column, Fields, FormatError, Record, Source
from incognote.formats.parquet_parts import (
    ParquetSink,
    batches,
    check_name,
    open_parquet,
    pyarrow,
)
from incognote.formats.stream import extension

_AFTER_SECONDS = re.compile(r"(?<=:\d\d)\.0+(?=$|[Z+-])")
RowValues = Mapping[int, list[Any]]


class _ParquetSource:
    def __init__(self, path: Path, fields: Fields) -> None:
        self.path = path
        self._file = open_parquet(path)
        try:
            self._columns = _columns(self._file.schema_arrow, fields)
        except FormatError:
            self._file.close()
            raise

    def records(self, skip: int = 0) -> Iterator[Record | BadRecord]:
        columns = self._columns
        needed = {*columns.text, *(column for column, _ in columns.known)}
        needed |= {column for column in (columns.id, columns.patient) if column is not None}
        names = [columns.names[column] for column in sorted(needed)]
        for first, batch in batches(self._file, skip, names):
            values = {column: _values(batch.column(columns.names[column])) for column in needed}
            for row in range(max(0, skip - first), batch.num_rows):
                yield self._record(values, row, first + row + 1)

    def close(self) -> None:
        self._file.close()

    def other_columns(self, values: int) -> list[Column]:
        """The columns that hold no note: dates by their type, of others their first values."""
        schema, columns = self._file.schema_arrow, self._columns
        numbers = {name: at for at, name in enumerate(columns.names, 1)}
        names = [name for at, name in enumerate(columns.names) if at not in columns.text]
        dates = [name for name in names if _holds_dates(schema.field(name).type)]
        few = [name for name in names if name not in dates]
        seen = Values(values)
        for _, batch in batches(self._file, 0, few):
            for name in tuple(few):
                for value in _values(batch.column(name)):
                    if not isinstance(value, FormatError) and seen.add(name, value):
                        few.remove(name)
                        break
            if not few:
                break
        return [
            *(Column(name, shown_name(name, numbers[name]), (), is_date=True) for name in dates),
            *seen.columns(numbers),
        ]

    def _record(self, values: RowValues, row: int, count: int) -> Record | BadRecord:
        place = f"row {count}"
        for at, column in values.items():
            if isinstance(column[row], FormatError):
                where = f"{place}, column '{self._columns.names[at]}'"
                return BadRecord(column[row].within(where))
        columns = self._columns
        texts = [(at, values[at][row]) for at in columns.text if values[at][row] is not None]

        def value(row: int, column: int) -> str | None:
            found = values[column][row]
            return None if found is None else str(found)

        documents = columns.documents(count, texts, value, row)
        raw = (count - 1, tuple(columns.names[at] for at, _ in texts))
        return Record(documents, place, raw, columns.id is not None)


def _columns(schema: Any, fields: Fields) -> Columns:
    arrow, _ = pyarrow()
    columns = Columns.of(schema.names, fields)
    types = arrow.types
    for at in columns.text:
        kind = schema.field(at).type
        if not (types.is_string(kind) or types.is_large_string(kind)):
            raise FormatError(f"the column '{schema.names[at]}' holds {_word(kind)}, not strings")
    others = (columns.id, columns.patient, *(at for at, _ in columns.known))
    for at in (at for at in others if at is not None):
        kind = schema.field(at).type
        if types.is_nested(kind) or types.is_binary(kind) or types.is_large_binary(kind):
            reason = f"the column '{schema.names[at]}' holds {_word(kind)}, not single values"
            raise FormatError(reason)
    return columns


def _word(kind: Any) -> str:
    """What a column holds, in a word: the names of a struct's fields may be PHI."""
    return re.split(r"[<\[(]", str(kind))[0]


def _holds_dates(kind: Any) -> bool:
    """Whether a type is one of dates, or a list or struct that has them."""
    arrow, _ = pyarrow()
    if arrow.types.is_date(kind) or arrow.types.is_timestamp(kind):
        return True
    return any(_holds_dates(kind.field(at).type) for at in range(kind.num_fields))


def _values(column: Any) -> list[Any]:
    """The values of a column; in place of one that is no text and no value, the error."""
    try:
        values = list(column.to_pylist())
    except Exception:  # what it would say may quote a value
        return [_value(item) for item in column]
    return [_sound(value) for value in values]


def _value(item: Any) -> Any:
    """A value by itself. Times that Python does not have are spelled by Arrow."""
    arrow, _ = pyarrow()
    try:
        return _sound(item.as_py())
    except UnicodeDecodeError:
        return FormatError("not valid UTF-8")
    except Exception:
        try:
            return _AFTER_SECONDS.sub("", item.cast(arrow.string()).as_py())
        except Exception:
            return FormatError("a value that cannot be read")


def _sound(value: Any) -> Any:
    if isinstance(value, str) and (reason := not_text(value)):
        return FormatError(reason)
    return value


class Parquet:
    name = "parquet"
    extensions = (".parquet",)
    table = True
    holds_spans = False

    def sniff(self, path: Path, head: bytes) -> bool:
        return extension(path) in self.extensions or head.startswith(b"PAR1")

    def companions(self, path: Path) -> tuple[Path, ...]:
        return ()

    def problem(self, document: Document) -> str | None:
        return not_text(document.text) or not_text(document.id)

    def open(self, path: Path, fields: Fields) -> _ParquetSource:
        return _ParquetSource(path, fields)

    def other_columns(self, path: Path, fields: Fields, values: int) -> list[Column]:
        with closing(self.open(path, fields)) as source:
            return source.other_columns(values)

    def sink(
        self, path: Path, source: Source, resume: Mapping[str, int] | None = None
    ) -> ParquetSink:
        if not isinstance(source, _ParquetSource):
            raise TypeError("the sink of a Parquet file needs its source")
        return ParquetSink(path, source.path, resume)

    def rendered(self, record: Record, documents: tuple[Document, ...]) -> tuple[bytes, ...]:
        return ()

    def write(self, documents: Iterable[Document], path: Path) -> None:
        arrow, parquet = pyarrow()
        schema = arrow.schema([("id", arrow.string()), ("text", arrow.string())])
        check_name(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        rest = iter(documents)
        try:
            with parquet.ParquetWriter(path, schema) as writer:
                while some := list(islice(rest, 1000)):
                    for document in some:
                        if problem := self.problem(document):
                            raise FormatError(problem, document.id)
                    rows = [{"id": each.id, "text": each.text} for each in some]
                    writer.write_table(arrow.Table.from_pylist(rows, schema))
        except BaseException:
            path.unlink(missing_ok=True)
            raise
