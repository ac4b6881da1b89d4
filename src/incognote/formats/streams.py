"""Bytes in and out, through gzip where the name says so.

Files are read and written as bytes, so that nothing between the marks can change. Output through
gzip carries neither a time nor a file name; a member ends at each checkpoint, so that a file cut
there is whole.
"""

from __future__ import annotations

import codecs
import gzip
import io
import os
import stat
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, cast

from incognote.formats.encoding import Encoding, Survey, encoding_of
from incognote.formats.fields import Fields
from incognote.formats.format_error import FormatError
from incognote.formats.unsupported import refuse_binary

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer as Buffer

CHUNK = 1 << 20
FREELY_UNPACKED = 64 << 20
"""What a gzip file may unpack to whatever its size."""
LARGEST_NOTE = 1 << 30
PLAIN = Fields()


def plain_name(path: Path) -> str:
    """The name of a file without `.gz`."""
    return path.name[:-3] if path.name.lower().endswith(".gz") else path.name


def extension(path: Path) -> str:
    """The extension that tells the format, in lower case: `.csv` of `notes.CSV.gz`."""
    return Path(plain_name(path)).suffix.lower()


def readable(name: str) -> str:
    r"""The name of a file as text: bytes of it that are not UTF-8 are spelled out, as `\xe9`."""
    return os.fsencode(name).decode("utf-8", "backslashreplace")


@contextmanager
def reading() -> Iterator[None]:
    """Turn errors of reading and of gzip into one sentence."""
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


def open_bytes(path: Path, max_unpack: int = Fields.max_unpack) -> BinaryIO:
    """The bytes of a file, gunzipped if its name ends in `.gz`, to so many times its size."""
    raw = open_plain(path)
    if path.suffix.lower() != ".gz":
        return raw
    with reading():
        magic = raw.read(2)
        raw.seek(0)
    if magic != b"\x1f\x8b":
        raw.close()
        raise FormatError("the name ends in .gz but the content is not gzip")
    return cast(BinaryIO, io.BufferedReader(_Gunzip(raw, max_unpack), CHUNK))


class _Gunzip(io.RawIOBase):
    """The content of a gzip file, up to a bound: a small file can unpack to fill any memory."""

    def __init__(self, below: BinaryIO, times: int) -> None:
        self._below = below
        self._gzip = gzip.GzipFile(fileobj=below, mode="rb")
        self._times = times
        self._most = max(FREELY_UNPACKED, times * os.fstat(below.fileno()).st_size)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Buffer) -> int:
        view = memoryview(buffer)
        data = self._gzip.read(min(len(view), CHUNK))
        view[: len(data)] = data
        self._most -= len(data)
        if self._most < 0:
            raise FormatError(
                f"the gzip file unpacks to more than {self._times} times its size; if it should, "
                "gunzip it first, or raise --max-unpack of deid and find"
            )
        return len(data)

    def close(self) -> None:
        super().close()
        self._gzip.close()
        self._below.close()


def read_bytes(path: Path, fields: Fields = PLAIN) -> bytes:
    """All bytes of a file that is one note."""
    with open_bytes(path, fields.max_unpack) as stream, reading():
        data = stream.read(LARGEST_NOTE + 1)
    if len(data) > LARGEST_NOTE:
        raise FormatError(f"a note of more than {LARGEST_NOTE >> 20:,} MiB: split the file")
    return data


def open_text(path: Path, fields: Fields) -> tuple[BinaryIO, Encoding]:
    """A file of text as UTF-8 without its mark, and the encoding that it has."""
    with open_bytes(path, fields.max_unpack) as stream:
        survey = Survey.of(chunks(stream))
    refuse_binary(survey.head)
    encoding = encoding_of(survey, fields.encoding)
    stream = open_bytes(path, fields.max_unpack)
    with reading():
        stream.read(len(encoding.mark))
    if encoding.codec == "utf-8":
        return stream, encoding
    return cast(BinaryIO, io.BufferedReader(_AsUtf8(stream, encoding), CHUNK)), encoding


class _AsUtf8(io.RawIOBase):
    """A file of another encoding, read as UTF-8."""

    def __init__(self, below: BinaryIO, encoding: Encoding) -> None:
        self._below = below
        self._encoding = encoding
        self._decoder = codecs.getincrementaldecoder(encoding.codec)()
        self._rest = b""
        self._at = len(encoding.mark)
        self._at_end = False

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Buffer) -> int:
        while not self._rest and not self._at_end:
            self._rest = self._next()
        view = memoryview(buffer)
        size = min(len(view), len(self._rest))
        view[:size] = self._rest[:size]
        self._rest = self._rest[size:]
        return size

    def _next(self) -> bytes:
        pending = bytes(self._decoder.getstate()[0])
        data = self._below.read(CHUNK)
        self._at_end = not data
        try:
            text = self._decoder.decode(data, self._at_end)
        except UnicodeDecodeError as error:
            raise self._encoding.not_valid(self._at + error.start) from None
        data = pending + data
        data = data[: len(data) - len(self._decoder.getstate()[0])]
        self._encoding.check_exact(text, data)
        self._at += len(data)
        return text.encode()

    def close(self) -> None:
        super().close()
        self._below.close()


def lines(stream: BinaryIO) -> Iterator[bytes]:
    """The lines, of any length, with their ends; only LF ends one."""
    with reading():
        yield from stream


def chunks(stream: BinaryIO) -> Iterator[bytes]:
    """The bytes of a stream in chunks."""
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
        """Make all that was written durable; returns the length in bytes."""
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
        if not self._file.closed:
            self.release()
            self._path.unlink(missing_ok=True)

    def release(self) -> None:
        self._member = None
        with suppress(OSError):  # a full disk; the file is closed all the same
            self._file.close()

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
