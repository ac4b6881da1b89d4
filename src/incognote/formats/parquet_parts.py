"""Batches of a Parquet file, and a sink that can be continued.

A Parquet file is whole only with its footer, which comes last. The sink therefore writes parts in
a folder beside the file, each a whole file, and joins them on `close`.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from incognote.document import Document
from incognote.formats.characters import lone_surrogate, not_text
from incognote.formats.container import FormatError, Record
from incognote.formats.stream import open_plain, reading

BATCH_ROWS = 4096
BATCH_BYTES = 32 << 20
GROUP_BYTES = 128 << 20
_CODECS = {"SNAPPY", "GZIP", "BROTLI", "ZSTD", "LZ4"}


def pyarrow() -> tuple[Any, Any]:
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
def _sound() -> Iterator[None]:
    arrow, _ = pyarrow()
    try:
        with reading():
            yield
    except (arrow.ArrowException, UnicodeDecodeError):
        raise FormatError("not a Parquet file, or a damaged one") from None


def check_name(path: Path) -> None:
    """Refuse a name that Arrow cannot take."""
    if lone_surrogate(str(path)):
        raise FormatError("the name of the file is not UTF-8, which Parquet needs: rename it")


def open_parquet(path: Path) -> Any:
    """The file, read as it is needed."""
    _, parquet = pyarrow()
    open_plain(path).close()
    check_name(path)
    with _sound():
        return parquet.ParquetFile(path, memory_map=False, pre_buffer=False)


def batches(
    file: Any, skip: int = 0, columns: list[str] | None = None
) -> Iterator[tuple[int, Any]]:
    """Batches with the number of their first row; those before row `skip` are left out."""
    first = 0
    for group in range(file.num_row_groups):
        meta = file.metadata.row_group(group)
        if first + meta.num_rows > skip:
            per_row = meta.total_byte_size // max(1, meta.num_rows) + 1
            size = max(1, min(BATCH_ROWS, BATCH_BYTES // per_row))
            start = first
            with _sound():
                for batch in file.iter_batches(size, row_groups=[group], columns=columns):
                    if start + batch.num_rows > skip:
                        yield start, batch
                    start += batch.num_rows
        first += meta.num_rows


class ParquetSink:
    """Takes the rows of a source in order; the other columns it reads from the file again."""

    def __init__(self, path: Path, source: Path, resume: Mapping[str, int] | None) -> None:
        check_name(path)
        self._path = path
        self._folder = path.with_name(f"{path.name}.parts")
        self._records = resume["records"] if resume else 0
        self._parts = resume["parts"] if resume else 0
        self._source: Any = open_parquet(source)
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
        changed: dict[str, str] = {}
        for column, old, new in zip(columns, record.documents, documents, strict=True):
            if problem := not_text(new.text):
                raise FormatError(problem, record.place)
            if old.text != new.text:
                changed[column] = new.text
        self._move_to(row)
        self._rows.append((row - self._first, changed))
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
            self._batches = batches(self._source, row)
        while self._batch is None or row >= self._first + self._batch.num_rows:
            self._flush()
            self._first, self._batch = next(self._batches)

    def _flush(self) -> None:
        if not self._rows:
            return
        arrow, parquet = pyarrow()
        batch = self._batch.take(arrow.array([row for row, _ in self._rows]))
        for at, field in enumerate(batch.schema):
            if any(field.name in changed for _, changed in self._rows):
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
        arrow, parquet = pyarrow()
        meta = self._source.metadata
        longest = max((meta.row_group(at).num_rows for at in range(meta.num_row_groups)), default=0)
        schema = self._source.schema_arrow
        held: list[Any] = []
        with _sound():
            layout = _layout(meta)
        with parquet.ParquetWriter(self._path, schema, **layout) as writer:
            for part in range(self._parts):
                with parquet.ParquetFile(self._part(part)) as file:
                    for _, batch in batches(file):
                        held.append(batch)
                        rows = sum(each.num_rows for each in held)
                        if rows >= longest or sum(each.nbytes for each in held) >= GROUP_BYTES:
                            writer.write_table(arrow.Table.from_batches(held, schema), rows)
                            held.clear()
            if held:
                writer.write_table(arrow.Table.from_batches(held, schema))


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
