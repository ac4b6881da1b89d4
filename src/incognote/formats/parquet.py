"""Parquet: one note or more a row, in columns of strings. Needs pyarrow (`incognote[tables]`).

The text columns are rewritten, the others and the schema kept; a null has no document and stays
null. Rows are read and written in batches.

It holds any text without lone surrogates, and no spans. Values come out as they were; the bytes
around them do not, since pages are compressed anew.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from incognote.document import Document
from incognote.formats.characters import lone_surrogate
from incognote.formats.columns import Columns
from incognote.formats.container import BadRecord, Fields, FormatError, Record, Source
from incognote.formats.parquet_parts import ParquetSink, batches, open_parquet, pyarrow
from incognote.formats.stream import extension

Values = Mapping[int, list[Any]]


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

    def _record(self, values: Values, row: int, count: int) -> Record | BadRecord:
        place = f"row {count}"
        if any(isinstance(column[row], UnicodeDecodeError) for column in values.values()):
            return BadRecord(FormatError("not valid UTF-8", place))
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
    for at in columns.text:
        kind = schema.field(at).type
        if not (arrow.types.is_string(kind) or arrow.types.is_large_string(kind)):
            raise FormatError(f"the column '{schema.names[at]}' holds {kind}, not strings")
    return columns


def _values(column: Any) -> list[Any]:
    """The values of a column; in place of a string that is not UTF-8, the error."""
    try:
        return list(column.to_pylist())
    except UnicodeDecodeError:
        return [_value(item) for item in column]


def _value(item: Any) -> Any:
    try:
        return item.as_py()
    except UnicodeDecodeError as error:
        return error


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
        return lone_surrogate(document.text) or lone_surrogate(document.id)

    def open(self, path: Path, fields: Fields) -> _ParquetSource:
        return _ParquetSource(path, fields)

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
