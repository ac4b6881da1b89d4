"""Writing the originals of one file, to a place from where they can still be taken back."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

from incognote.formats.container import Format, Record, Sink, Source
from incognote.formats.streams import ByteFile
from incognote.runs.reidentify.restoring import Original

WITHOUT_BYTES = frozenset({"parquet"})
"""Formats whose records have no bytes of their own: their values come back, not their pages."""


class Writer(Protocol):
    """Takes the records of a file in order."""

    def write(self, record: Record, original: Original) -> bool:
        """Whether the record is now, byte for byte, what was read."""
        ...

    def close(self) -> None: ...

    def abort(self) -> None: ...


class _ByteWriter:
    """The bytes of a file, and of those beside it."""

    def __init__(self, format: Format, path: Path) -> None:
        self._format = format
        self._files = [ByteFile(each) for each in (path, *format.companions(path))]

    def write(self, record: Record, original: Original) -> bool:
        parts = original.bytes or self._format.render_files(record, original.documents)
        for file, part in zip(self._files, parts, strict=True):
            file.write(part)
        return bool(original.bytes)

    def close(self) -> None:
        for file in self._files:
            file.close()

    def abort(self) -> None:
        for file in self._files:
            file.abort()


class _ValueWriter:
    """The values of a table; the rest is as its format writes it."""

    def __init__(self, sink: Sink) -> None:
        self._sink = sink

    def write(self, record: Record, original: Original) -> bool:
        self._sink.write(record, original.documents)
        return False

    def close(self) -> None:
        self._sink.close()

    def abort(self) -> None:
        self._sink.abort()


@contextmanager
def writing(format: Format, source: Source, path: Path) -> Iterator[Writer]:
    """A writer; what it wrote is there if all went well."""
    writer: Writer
    if format.name in WITHOUT_BYTES:
        writer = _ValueWriter(format.sink(path, source))
    else:
        writer = _ByteWriter(format, path)
    try:
        yield writer
        writer.close()
    except BaseException:
        writer.abort()
        raise
