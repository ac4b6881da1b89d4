"""Parquet: one note or more a row, in columns of strings. Needs pyarrow (`incognote[tables]`).

The text columns are rewritten, the others and the schema kept; a null has no document and stays
null. A column of values that is replaced keeps its type where all of its values can: numbers where
fakes are numbers, dates and times where days are moved. Else it becomes one of strings, whatever its
values are; in a column that keeps its type, what is no such value becomes null. Rows are read and written in batches. A Parquet file is whole only with its footer, which
comes last: the sink therefore writes parts in a folder beside the file, each a whole file, and
joins them on `close`.

It holds any text without lone surrogates, and no spans. Values come out as they were; the bytes
around them do not, since pages are compressed anew.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from contextlib import closing, contextmanager, suppress
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from incognote.document import Document
from incognote.formats.columns import Columns, Values, shown_name, with_text
from incognote.formats.container import BadRecord, Column, CopiedColumns, Record, Source
from incognote.formats.encoding import lone_surrogate, not_text
from incognote.formats.fields import Fields
from incognote.formats.format_error import FormatError
from incognote.formats.parquet_columns import (
    ColumnKind,
    holds_dates,
    output_schema,
    pyarrow_modules,
    schema_without_views,
    type_word,
    value_text,
    values_of,
    without_views,
)
from incognote.formats.streams import extension, open_plain, reading

_BATCH_ROWS = 4096
_BATCH_BYTES = 32 << 20
_GROUP_BYTES = 128 << 20
_CODECS = {"SNAPPY", "GZIP", "BROTLI", "ZSTD", "LZ4"}
_RowValues = Mapping[int, list[Any]]


@contextmanager
def _arrow_errors() -> Iterator[None]:
    """Turn what Arrow raises into one sentence."""
    arrow, _ = pyarrow_modules()
    try:
        with reading():
            yield
    except (arrow.ArrowException, UnicodeDecodeError):
        raise FormatError("not a Parquet file, or a damaged one") from None


def _check_name(path: Path) -> None:
    """Refuse a name that Arrow cannot take."""
    if lone_surrogate(str(path)):
        raise FormatError("the name of the file is not UTF-8, which Parquet needs: rename it")


def _open_parquet(path: Path) -> Any:
    """The file, read as it is needed."""
    _, parquet = pyarrow_modules()
    open_plain(path).close()
    _check_name(path)
    with _arrow_errors():
        return parquet.ParquetFile(path, memory_map=False, pre_buffer=False)


def _batches(
    file: Any, skip: int = 0, columns: list[str] | None = None
) -> Iterator[tuple[int, Any]]:
    """Batches with the number of their first row; those before row `skip` are left out."""
    first = 0
    for group in range(file.num_row_groups):
        meta = file.metadata.row_group(group)
        if first + meta.num_rows > skip:
            per_row = meta.total_byte_size // max(1, meta.num_rows) + 1
            size = max(1, min(_BATCH_ROWS, _BATCH_BYTES // per_row))
            start = first
            with _arrow_errors():
                for batch in file.iter_batches(size, row_groups=[group], columns=columns):
                    if start + batch.num_rows > skip:
                        yield start, without_views(batch)
                    start += batch.num_rows
        first += meta.num_rows


class _RowPlace(NamedTuple):
    """A row, and the columns of its documents with how they are written."""

    row: int
    columns: tuple[str, ...]
    kinds: tuple[ColumnKind | None, ...]


class _ParquetSource:
    def __init__(self, path: Path, fields: Fields) -> None:
        self.path = path
        self._file = _open_parquet(path)
        try:
            schema = schema_without_views(self._file.schema_arrow)
            self._columns = _columns(schema, fields)
            self.kinds = {
                self._columns.names[at]: ColumnKind.of(
                    schema.field(at).type, rule, rule.type in fields.typed
                )
                for at, rule in self._columns.values
            }
            self.schema = output_schema(schema, self.kinds, fields.dropped)
        except FormatError:
            self._file.close()
            raise

    def records(self, skip: int = 0) -> Iterator[Record | BadRecord]:
        columns = self._columns
        own = {*columns.text, *(column for column, _ in (*columns.known, *columns.values))}
        others = (columns.id, columns.patient, columns.shift)
        own |= {column for column in others if column is not None}
        names = [columns.names[column] for column in sorted(own)]
        for first, batch in _batches(self._file, skip, names):
            values = {column: values_of(batch.column(columns.names[column])) for column in own}
            for row in range(max(0, skip - first), batch.num_rows):
                yield self._record(values, row, first + row + 1)

    def close(self) -> None:
        self._file.close()

    def other_columns(self, values: int, rows: int | None = None) -> CopiedColumns:
        """The columns that are copied: dates by their type, of others their first values."""
        schema, columns = schema_without_views(self._file.schema_arrow), self._columns
        numbers = {name: at for at, name in enumerate(columns.names, 1)}
        names = [columns.names[at] for at in columns.others]
        dates = [name for name in names if holds_dates(schema.field(name).type)]
        short = [name for name in names if name not in dates]
        first_values = Values(values)
        count = 0
        for _, batch in _batches(self._file, 0, short):
            batch = batch if rows is None else batch.slice(0, rows - count)
            count += batch.num_rows
            for name in tuple(short):
                for value in values_of(batch.column(name)):
                    if not isinstance(value, FormatError) and first_values.add(name, value):
                        short.remove(name)
                        break
            if not short or count == rows:
                break
        shown = [(name, shown_name(name, numbers[name]), numbers[name]) for name in dates]
        copied = [
            *(Column(name, safe, (), is_date=True, number=at) for name, safe, at in shown),
            *first_values.columns(numbers, (name for name in names if name not in dates)),
        ]
        return CopiedColumns(copied, count, frozenset(schema.names))

    def _record(self, values: _RowValues, row: int, count: int) -> Record | BadRecord:
        place = f"row {count}"
        for at, column in values.items():
            if isinstance(column[row], FormatError):
                where = f"{place}, column '{self._columns.names[at]}'"
                return BadRecord(column[row].within(where))
        columns = self._columns
        texts = [(at, values[at][row]) for at in columns.text if values[at][row] is not None]

        def value(row: int, column: int) -> str | None:
            return value_text(values[column][row], self.kinds.get(columns.names[column]))

        try:
            documents, numbers = columns.documents(count, texts, value, row)
        except FormatError as error:
            return BadRecord(error.within(place))
        raw = _RowPlace(
            count - 1,
            tuple(columns.names[at] for at in numbers),
            tuple(self.kinds.get(columns.names[at]) for at in numbers),
        )
        return Record(documents, place, raw, columns.id is not None)


def _columns(schema: Any, fields: Fields) -> Columns:
    arrow, _ = pyarrow_modules()
    columns = Columns.of(schema.names, fields)
    types = arrow.types
    for at in columns.text:
        kind = schema.field(at).type
        if not (types.is_string(kind) or types.is_large_string(kind)):
            raise FormatError(
                f"the column '{schema.names[at]}' holds {type_word(kind)}, not strings"
            )
    more = (at for at, _ in (*columns.known, *columns.values))
    others = (columns.id, columns.patient, columns.shift, *more)
    for at in (at for at in others if at is not None):
        kind = schema.field(at).type
        if types.is_nested(kind) or types.is_binary(kind) or types.is_large_binary(kind):
            reason = f"the column '{schema.names[at]}' holds {type_word(kind)}, not single values"
            raise FormatError(reason)
    return columns


class _ParquetSink:
    """Takes the rows of a source in order; the other columns it reads from the file again."""

    def __init__(
        self, path: Path, source: _ParquetSource, resume: Mapping[str, int] | None
    ) -> None:
        _check_name(path)
        self._schema, self._kinds = source.schema, source.kinds
        self._path = path
        self._folder = path.with_name(f"{path.name}.parts")
        self._records = resume["records"] if resume else 0
        self._parts = resume["parts"] if resume else 0
        self._source: Any = _open_parquet(source.path)
        self._batches: Iterator[tuple[int, Any]] | None = None
        self._first = 0
        self._batch: Any = None
        self._rows: list[tuple[int, Mapping[str, tuple[str, str]]]] = []
        self._writer: Any = None
        self._folder.mkdir(parents=True, exist_ok=True)
        for stale in set(self._folder.iterdir()) - {self._part(at) for at in range(self._parts)}:
            stale.unlink()

    def write(self, record: Record, documents: tuple[Document, ...]) -> None:
        row, columns, _ = record.raw
        new_values: dict[str, tuple[str, str]] = {}
        for column, old, new in zip(columns, record.documents, documents, strict=True):
            if problem := not_text(new.text):
                raise FormatError(problem, record.place)
            if old.text != new.text:
                new_values[column] = old.text, new.text
        self._move_to(row)
        self._rows.append((row - self._first, new_values))
        self._records += 1

    def checkpoint(self) -> Mapping[str, int]:
        self._end_part()
        return {"records": self._records, "parts": self._parts}

    def close(self) -> None:
        if self._source is None:
            return
        self._end_part()
        self._join()
        self._source.close()
        self._source = None
        shutil.rmtree(self._folder)

    def abort(self) -> None:
        if self._source is not None:
            self.release()
            shutil.rmtree(self._folder, ignore_errors=True)
            self._path.unlink(missing_ok=True)

    def release(self) -> None:
        for file in (self._writer, self._source):
            if file is not None:
                with suppress(Exception):
                    file.close()
        self._writer = self._source = None

    def _part(self, number: int) -> Path:
        return self._folder / f"{number:06}.parquet"

    def _move_to(self, row: int) -> None:
        """Make the batch that holds a row the current one."""
        if self._batches is None:
            self._batches = _batches(self._source, row)
        while self._batch is None or row >= self._first + self._batch.num_rows:
            self._flush()
            self._first, self._batch = next(self._batches)

    def _flush(self) -> None:
        if not self._rows:
            return
        arrow, parquet = pyarrow_modules()
        taken = self._batch.take(arrow.array([row for row, _ in self._rows]))
        columns = [self._column(taken.column(field.name), field) for field in self._schema]
        batch = arrow.RecordBatch.from_arrays(columns, schema=self._schema)
        if self._writer is None:
            self._writer = parquet.ParquetWriter(self._part(self._parts), self._schema)
        self._writer.write_batch(batch)
        self._rows.clear()

    def _column(self, column: Any, field: Any) -> Any:
        """A column of the rows with its new values, if it has some."""
        arrow, _ = pyarrow_modules()
        rows = enumerate(values.get(field.name) for _, values in self._rows)
        pairs = {at: pair for at, pair in rows if pair is not None}
        kind = self._kinds.get(field.name)
        if kind is not None and (pairs or column.type != field.type):
            return kind.column(values_of(column), column, pairs)
        if not pairs:
            return column
        old = column.to_pylist()
        return arrow.array(
            [pairs[at][1] if at in pairs else o for at, o in enumerate(old)], field.type
        )

    def _end_part(self) -> None:
        self._flush()
        if self._writer is None:
            return
        self._writer.close()
        self._writer = None
        with self._part(self._parts).open("rb") as part:
            os.fsync(part.fileno())
        self._parts += 1

    def _join(self) -> None:
        """One file of all parts, in row groups as long as the source's."""
        arrow, parquet = pyarrow_modules()
        meta = self._source.metadata
        longest = max((meta.row_group(at).num_rows for at in range(meta.num_row_groups)), default=0)
        schema = self._schema
        group: list[Any] = []
        with _arrow_errors():
            layout = _layout(meta, set(schema.names))
        with parquet.ParquetWriter(self._path, schema, **layout) as writer:
            for part in range(self._parts):
                with parquet.ParquetFile(self._part(part)) as file:
                    for _, batch in _batches(file):
                        group.append(batch)
                        rows = sum(each.num_rows for each in group)
                        if rows >= longest or sum(each.nbytes for each in group) >= _GROUP_BYTES:
                            writer.write_table(arrow.Table.from_batches(group, schema), rows)
                            group.clear()
            if group:
                writer.write_table(arrow.Table.from_batches(group, schema))


def _layout(meta: Any, names: AbstractSet[str]) -> dict[str, Any]:
    """The codec of each column and the names of list items, as in the source."""
    if not meta.num_row_groups:
        return {}
    group = meta.row_group(0)
    columns = {
        (at := group.column(n)).path_in_schema: at.compression for n in range(group.num_columns)
    }
    if meta.num_columns and not names >= set(meta.schema.to_arrow_schema().names):
        columns = {
            path: codec
            for path, codec in columns.items()
            if any(path == name or path.startswith(f"{name}.") for name in names)
        }
    return {
        "compression": {
            path: codec if codec in _CODECS else "NONE" for path, codec in columns.items()
        },
        "use_compliant_nested_type": not any(".list.item" in path for path in columns),
    }


class Parquet:
    name = "parquet"
    extensions = (".parquet",)
    table = True
    holds_spans = False
    gzip = False

    def sniff(self, path: Path, head: bytes) -> bool:
        return extension(path) in self.extensions or head.startswith(b"PAR1")

    def companions(self, path: Path) -> tuple[Path, ...]:
        return ()

    def notes_beside(self, name: str) -> tuple[str, ...]:
        return ()

    def holds_patient(self, document: Document) -> bool:
        return False

    def problem(self, document: Document) -> str | None:
        return not_text(document.text) or not_text(document.id)

    def open(self, path: Path, fields: Fields) -> _ParquetSource:
        return _ParquetSource(path, fields)

    def other_columns(
        self, path: Path, fields: Fields, values: int, rows: int | None = None
    ) -> CopiedColumns:
        with closing(self.open(path, fields)) as source:
            return source.other_columns(values, rows)

    def written(self, record: Record, documents: tuple[Document, ...]) -> tuple[Document, ...]:
        place: _RowPlace = record.raw
        return tuple(
            document if kind is None else with_text(document, kind.written(document.text))
            for kind, document in zip(place.kinds, documents, strict=True)
        )

    def sink(
        self, path: Path, source: Source, resume: Mapping[str, int] | None = None
    ) -> _ParquetSink:
        if not isinstance(source, _ParquetSource):
            raise TypeError("the sink of a Parquet file needs its source")
        return _ParquetSink(path, source, resume)

    def render_files(self, record: Record, documents: tuple[Document, ...]) -> tuple[bytes, ...]:
        return ()

    def write(self, documents: Iterable[Document], path: Path) -> None:
        arrow, parquet = pyarrow_modules()
        schema = arrow.schema([("id", arrow.string()), ("text", arrow.string())])
        _check_name(path)
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
