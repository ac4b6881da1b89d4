"""Files that may be compressed by gzip, bzip2, xz or zstd, which their first bytes tell."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Any, cast

from incognote.base.errors import TextError

ENDINGS = (".gz", ".bz2", ".xz", ".zst")
BLOCK = 2**16

WINDOW = 28
"""The largest window of zstd that is kept in memory (`--long=28`), as a power of 2."""

_GZIP, _XZ, _ZSTD = b"\x1f\x8b", b"\xfd7zXZ\x00", b"\x28\xb5\x2f\xfd"
_BZIP2 = tuple(b"BZh%d" % level for level in range(1, 10))

_SKIPPED = tuple(bytes([first]) + b"\x2a\x4d\x18" for first in range(0x50, 0x60))
"""How a frame of zstd begins that holds no text; `pzstd` puts one before each other."""


@contextmanager
def opened(path: Path) -> Iterator[tuple[IO[bytes], IO[bytes]]]:
    """What the file holds, decompressed, and the file itself, whose `tell` says how far it was read."""
    with path.open("rb") as file, decompressed(file, str(path)) as stream:
        yield stream, file


@contextmanager
def decompressed(file: io.BufferedReader, name: str) -> Iterator[IO[bytes]]:
    """What a file holds that is open, perhaps in an archive, and is never sought in."""
    begin = _reader(file.peek(6))
    if begin is None:
        yield file
        return
    try:
        with begin(file, name) as stream:
            yield stream
    except (EOFError, zlib.error, lzma.LZMAError, gzip.BadGzipFile):
        raise _damaged(name) from None
    except OSError as error:
        if error.errno is not None:
            raise
        raise _damaged(name) from None  # bzip2 has no error of its own
    except Exception as error:
        if "zst" not in type(error).__name__.lower():
            raise
        if "too much memory" in str(error):
            raise TextError(
                f"{name}: compressed by zstd with a window above {2 ** (WINDOW - 20)} MB; "
                f"compress it again with --long={WINDOW} at most"
            ) from None
        raise _damaged(name) from None


def _damaged(name: str) -> TextError:
    return TextError(f"{name}: compressed, but damaged or cut short")


def _reader(first: bytes) -> Callable[[IO[bytes], str], IO[bytes]] | None:
    if first.startswith(_GZIP):
        return lambda file, name: cast(IO[bytes], gzip.open(file, "rb"))
    if first.startswith(_BZIP2):
        return lambda file, name: cast(IO[bytes], bz2.open(file, "rb"))
    if first.startswith(_XZ):
        return lambda file, name: cast(IO[bytes], lzma.open(file, "rb"))
    return _zstd if first.startswith((_ZSTD, *_SKIPPED)) else None


def _zstd(file: IO[bytes], name: str) -> Any:
    """Python's own reader, from 3.14 on, else the one of the package zstandard."""
    if find_spec("compression") is not None:
        zstd = import_module("compression.zstd")
        options = {zstd.DecompressionParameter.window_log_max: WINDOW}
        return zstd.open(file, "rb", options=options)
    if find_spec("zstandard") is not None:
        frames = import_module("zstandard").ZstdDecompressor(max_window_size=2**WINDOW)
        return io.BufferedReader(_ZstdFrames(file, frames.decompressobj))
    raise TextError(f"{name}: zstd needs Python 3.14, or: pip install zstandard")


class _ZstdFrames(io.RawIOBase):
    """Frame after frame; the package's own stream takes a file that was cut short for whole."""

    def __init__(self, file: IO[bytes], begin: Callable[[], Any]) -> None:
        self._file, self._begin = file, begin
        self._frame: Any = None
        self._ahead = b""
        self._text = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._text:
            data = self._ahead or self._file.read(BLOCK)
            if not data:
                if self._frame is not None:
                    raise EOFError
                return 0
            self._frame = self._frame or self._begin()
            self._text, self._ahead = self._frame.decompress(data), b""
            if self._frame.eof:
                self._ahead, self._frame = self._frame.unused_data, None
        size = min(len(buffer), len(self._text))
        buffer[:size], self._text = self._text[:size], self._text[size:]
        return size
