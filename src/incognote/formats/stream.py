"""Bytes in and out, through gzip where the name says so.

Files are read and written as bytes, so that nothing between the marks can change. Output through
gzip carries neither a time nor a file name; a member ends at each checkpoint, so that a file cut
there is whole.
"""

from __future__ import annotations

import gzip
import io
import os
import stat
import zlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, ClassVar, cast

from incognote.document import Document
from incognote.formats.container import FormatError, Record, Sink, Source

CHUNK = 1 << 20


def plain_name(path: Path) -> str:
    """The name without `.gz`."""
    return path.name[:-3] if path.name.lower().endswith(".gz") else path.name


def extension(path: Path) -> str:
    """The extension that tells the format, in lower case: `.csv` of `notes.CSV.gz`."""
    return Path(plain_name(path)).suffix.lower()


@contextmanager
def reading() -> Iterator[None]:
    """Turn what can go wrong while reading into one sentence."""
    try:
        yield
    except EOFError:
        raise FormatError("the gzip file is cut short") from None
    except (gzip.BadGzipFile, zlib.error):
        raise FormatError("the gzip file is damaged") from None
    except OSError as error:
        raise FormatError(f"cannot be read ({error.strerror or 'input error'})") from None


def open_plain(path: Path) -> BinaryIO:
    """The bytes of a file as they are. Opening a pipe would wait for ever, so it is refused."""
    with reading():
        mode = path.stat().st_mode
        if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
            raise FormatError("not a regular file")
        return path.open("rb", CHUNK)


def open_bytes(path: Path) -> BinaryIO:
    """The bytes of a file, gunzipped if its name ends in `.gz`."""
    raw = open_plain(path)
    if path.suffix.lower() != ".gz":
        return raw
    with reading():
        magic = raw.read(2)
        raw.seek(0)
    if magic != b"\x1f\x8b":
        raw.close()
        raise FormatError("the name ends in .gz but the content is not gzip")
    return cast(BinaryIO, _Gunzip(raw))


class _Gunzip(io.BufferedReader):
    """Closes the file below as well, which `gzip` leaves open."""

    def __init__(self, raw: BinaryIO) -> None:
        self._below = raw
        super().__init__(cast(io.RawIOBase, gzip.GzipFile(fileobj=raw, mode="rb")), CHUNK)

    def close(self) -> None:
        super().close()
        self._below.close()


def read_bytes(path: Path) -> bytes:
    """All bytes of a file."""
    with open_bytes(path) as stream, reading():
        return stream.read()


def lines(stream: BinaryIO) -> Iterator[bytes]:
    """The lines, of any length, with their ends; only LF ends one."""
    with reading():
        yield from stream


def chunks(stream: BinaryIO) -> Iterator[bytes]:
    """The bytes as they come."""
    with reading():
        while chunk := stream.read(CHUNK):
            yield chunk


class ByteFile:
    """A file being written that can be made durable half way and continued from there."""

    def __init__(self, path: Path, resume: Mapping[str, int] | None = None) -> None:
        self._path = path
        self._gzip = ".gz" in (suffix.lower() for suffix in path.suffixes[-2:])
        self._member: gzip.GzipFile | None = None
        self._file = self._new() if resume is None else path.open("r+b")
        if resume is not None:
            self._file.truncate(resume["bytes"])
            self._file.seek(0, os.SEEK_END)

    def _new(self) -> BinaryIO:
        try:
            return self._path.open("wb")
        except FileNotFoundError:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            return self._path.open("wb")

    def write(self, data: bytes) -> None:
        if not self._gzip:
            self._file.write(data)
            return
        if self._member is None:
            self._member = gzip.GzipFile("", "wb", 6, self._file, mtime=0)
        self._member.write(data)

    def checkpoint(self) -> int:
        """Make it durable; the length in bytes."""
        self._end_member()
        self._file.flush()
        os.fsync(self._file.fileno())
        return self._file.tell()

    def close(self) -> None:
        if self._file.closed:
            return
        if self._gzip and self._member is None and self._file.tell() == 0:
            self.write(b"")
        self._end_member()
        self._file.close()

    def abort(self) -> None:
        if self._file.closed:
            return
        try:
            self._member = None
            self._file.close()
        except OSError:
            pass
        finally:
            self._path.unlink(missing_ok=True)

    def _end_member(self) -> None:
        if self._member is not None:
            self._member.close()
            self._member = None


@contextmanager
def new_file(path: Path) -> Iterator[ByteFile]:
    """A file that stays only if all of it could be written."""
    file = ByteFile(path)
    try:
        yield file
        file.close()
    except BaseException:
        file.abort()
        raise


Render = Callable[[Record, tuple[Document, ...]], bytes]


class StreamSink:
    """The sink of every format whose records are written one after the other."""

    def __init__(self, path: Path, render: Render, resume: Mapping[str, int] | None = None) -> None:
        self._render = render
        self._records = resume["records"] if resume else 0
        self._file = ByteFile(path, resume)

    def write(self, record: Record, documents: tuple[Document, ...]) -> None:
        self._file.write(self._render(record, documents))
        self._records += 1

    def checkpoint(self) -> Mapping[str, int]:
        return {"records": self._records, "bytes": self._file.checkpoint()}

    def close(self) -> None:
        self._file.close()

    def abort(self) -> None:
        self._file.abort()


class StreamFormat(ABC):
    """What formats have in common whose records are written one after the other."""

    extensions: ClassVar[tuple[str, ...]]

    @abstractmethod
    def render(self, record: Record, documents: tuple[Document, ...]) -> bytes:
        """A record with its documents after replacement."""

    def sniff(self, path: Path, head: bytes) -> bool:
        return extension(path) in self.extensions

    def companions(self, path: Path) -> tuple[Path, ...]:
        return ()

    def sink(self, path: Path, source: Source, resume: Mapping[str, int] | None = None) -> Sink:
        return StreamSink(path, self.render, resume)

    def rendered(self, record: Record, documents: tuple[Document, ...]) -> tuple[bytes, ...]:
        return (self.render(record, documents),)
