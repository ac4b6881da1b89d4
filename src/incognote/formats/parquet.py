"""Parquet: one note or more a row, in columns of strings. Needs pyarrow (`incognote[tables]`).

The text columns are rewritten, the others and the schema kept; a null has no document and stays
null. Rows are read and written in batches. A Parquet file is whole only with its footer, which
comes last: the sink therefore writes parts in a folder beside the file, each a whole file, and
joins them on `close`.

It holds any text without lone surrogates, and no spans. Values come out as they were; the bytes
around them do not, since pages are compressed anew.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from itertools import islice
from pathlib import Path
from typing import Any

from incognote.document import Document
from incognote.formats.columns import Columns, Values, shown_name
from incognote.formats.container import BadRecord, Column, Fields, FormatError, Record, Source
from incognote.formats.encoding import lone_surrogate, not_text
from incognote.formats.streams import extension, open_plain, reading

_BATCH_ROWS = 4096
_BATCH_BYTES = 32 << 20
_GROUP_BYTES = 128 << 20
_CODECS = {"SNAPPY", "GZIP", "BROTLI", "ZSTD", "LZ4"}
_AFTER_SECONDS = re.compile(r"(?<=:\d\d)\.0+(?=$|[Z+-])")
_RowValues = Mapping[int, list[Any]]


def _pyarrow() -> tuple[Any, Any]:
    """The library and its Parquet module, or a sentence on how to get them."""
    try:
        import pyarrow as arrow
        import pyarrow.parquet as parquet
    except ImportError:
        raise FormatError(
            "Parquet needs pyarrow, which is not installed: pip install 'incognote[tables]'"
        ) from None
    return arrow, parquet


@contextmanager
def _arrow_errors() -> Iterator[None]:
    """Turn what Arrow raises into one sentence."""
    arrow, _ = _pyarrow()
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
    _, parquet = _pyarrow()
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
                        yield start, batch
                    start += batch.num_rows
        first += meta.num_rows


class _ParquetSource:
    def __init__(self, path: Path, fields: Fields) -> None:
        self.path = path
        self._file = _open_parquet(path)
        try:
            self._columns = _columns(self._file.schema_arrow, fields)
        except FormatError:
            self._file.close()
            raise

    def records(self, skip: int = 0) -> Iterator[Record | BadRecord]:
        columns = self._columns
        own = {*columns.text, *(column for column, _ in columns.known)}
        others = (columns.id, columns.patient, columns.shift)
        own |= {column for column in others if column is not None}
        names = [columns.names[column] for column in sorted(own)]
        for first, batch in _batches(self._file, skip, names):
            values = {column: _values(batch.column(columns.names[column])) for column in own}
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
        short = [name for name in names if name not in dates]
        first_values = Values(values)
        for _, batch in _batches(self._file, 0, short):
            for name in tuple(short):
                for value in _values(batch.column(name)):
                    if not isinstance(value, FormatError) and first_values.add(name, value):
                        short.remove(name)
                        break
            if not short:
                break
        return [
            *(Column(name, shown_name(name, numbers[name]), (), is_date=True) for name in dates),
            *first_values.columns(numbers),
        ]

    def _record(self, values: _RowValues, row: int, count: int) -> Record | BadRecord:
        place = f"row {count}"
        for at, column in values.items():
            if isinstance(column[row], FormatError):
                where = f"{place}, column '{self._columns.names[at]}'"
                return BadRecord(column[row].within(where))
        columns = self._columns
        texts = [(at, values[at][row]) for at in columns.text if values[at][row] is not None]

        def value(row: int, column: int) -> str | None:
            content = values[column][row]
            return None if content is None else str(content)

        try:
            documents = columns.documents(count, texts, value, row)
        except FormatError as error:
            return BadRecord(error.within(place))
        raw = (count - 1, tuple(columns.names[at] for at, _ in texts))
        return Record(documents, place, raw, columns.id is not None)


def _columns(schema: Any, fields: Fields) -> Columns:
    arrow, _ = _pyarrow()
    columns = Columns.of(schema.names, fields)
    types = arrow.types
    for at in columns.text:
        kind = schema.field(at).type
        if not (types.is_string(kind) or types.is_large_string(kind)):
            raise FormatError(f"the column '{schema.names[at]}' holds {_word(kind)}, not strings")
    others = (columns.id, columns.patient, columns.shift, *(at for at, _ in columns.known))
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
    arrow, _ = _pyarrow()
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
    arrow, _ = _pyarrow()
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


class _ParquetSink:
    """Takes the rows of a source in order; the other columns it reads from the file again."""

    def __init__(self, path: Path, source: Path, resume: Mapping[str, int] | None) -> None:
        _check_name(path)
        self._path = path
        self._folder = path.with_name(f"{path.name}.parts")
        self._records = resume["records"] if resume else 0
        self._parts = resume["parts"] if resume else 0
        self._source: Any = _open_parquet(source)
        self._batches: Iterator[tuple[int, Any]] | None = None
        self._first = 0
        self._batch: Any = None
        self._rows: list[tuple[int, Mapping[str, str]]] = []
        self._writer: Any = None
        self._folder.mkdir(parents=True, exist_ok=True)
        for stale in set(self._folder.iterdir()) - {self._part(at) for at in range(self._parts)}:
            stale.unlink()

    def write(self, record: Record, documents: tuple[Document, ...]) -> None:
        row, columns = record.raw
        new_values: dict[str, str] = {}
        for column, old, new in zip(columns, record.documents, documents, strict=True):
            if problem := not_text(new.text):
                raise FormatError(problem, record.place)
            if old.text != new.text:
                new_values[column] = new.text
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
        arrow, parquet = _pyarrow()
        batch = self._batch.take(arrow.array([row for row, _ in self._rows]))
        for at, field in enumerate(batch.schema):
            if any(field.name in values for _, values in self._rows):
                old = batch.column(at).to_pylist()
                new = [c.get(field.name, o) for (_, c), o in zip(self._rows, old, strict=True)]
                batch = batch.set_column(at, field, arrow.array(new, field.type))
        if self._writer is None:
            self._writer = parquet.ParquetWriter(self._part(self._parts), self._source.schema_arrow)
        self._writer.write_batch(batch)
        self._rows.clear()

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
        arrow, parquet = _pyarrow()
        meta = self._source.metadata
        longest = max((meta.row_group(at).num_rows for at in range(meta.num_row_groups)), default=0)
        schema = self._source.schema_arrow
        group: list[Any] = []
        with _arrow_errors():
            layout = _layout(meta)
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


def _layout(meta: Any) -> dict[str, Any]:
    """The codec of each column and the names of list items, as in the source."""
    if not meta.num_row_groups:
        return {}
    group = meta.row_group(0)
    columns = {
        (at := group.column(n)).path_in_schema: at.compression for n in range(group.num_columns)
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

    def other_columns(self, path: Path, fields: Fields, values: int) -> list[Column]:
        with closing(self.open(path, fields)) as source:
            return source.other_columns(values)

    def sink(
        self, path: Path, source: Source, resume: Mapping[str, int] | None = None
    ) -> _ParquetSink:
        if not isinstance(source, _ParquetSource):
            raise TypeError("the sink of a Parquet file needs its source")
        return _ParquetSink(path, source.path, resume)

    def render_files(self, record: Record, documents: tuple[Document, ...]) -> tuple[bytes, ...]:
        return ()

    def write(self, documents: Iterable[Document], path: Path) -> None:
        arrow, parquet = _pyarrow()
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
