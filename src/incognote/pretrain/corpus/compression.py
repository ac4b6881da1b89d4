"""Files as they are or compressed: gzip, xz and zstd, told by their first bytes."""

from __future__ import annotations

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

from incognote.pretrain.corpus.errors import TextError

BLOCK = 2**16
ENDINGS = (".gz", ".xz", ".zst")
_GZIP, _XZ, _ZSTD = b"\x1f\x8b", b"\xfd7zXZ\x00", b"\x28\xb5\x2f\xfd"


@contextmanager
def opened(path: Path) -> Iterator[tuple[IO[bytes], IO[bytes]]]:
    """What the file holds, and the file itself, whose `tell` says how far it was read."""
    with path.open("rb") as file:
        first = file.read(6)
        file.seek(0)
        try:
            with _decompressed(first, file, path) as stream:
                yield stream, file
        except (EOFError, zlib.error, lzma.LZMAError, gzip.BadGzipFile):
            raise TextError(f"{path}: compressed, but damaged or cut short") from None
        except Exception as error:
            if "zst" in type(error).__name__.lower():
                raise TextError(f"{path}: compressed, but damaged or cut short") from None
            raise


def _decompressed(first: bytes, file: IO[bytes], path: Path) -> IO[bytes]:
    if first.startswith(_GZIP):
        return cast(IO[bytes], gzip.open(file, "rb"))
    if first.startswith(_XZ):
        return cast(IO[bytes], lzma.open(file, "rb"))
    if first.startswith(_ZSTD):
        return cast(IO[bytes], _zstd(file, path))
    return file


def _zstd(file: IO[bytes], path: Path) -> Any:
    """Python's own reader, from 3.14 on, else the one of the package zstandard."""
    if find_spec("compression") is not None:
        return import_module("compression.zstd").open(file, "rb")
    if find_spec("zstandard") is not None:
        frames = import_module("zstandard").ZstdDecompressor
        return io.BufferedReader(_ZstdFrames(file, lambda: frames().decompressobj()))
    raise TextError(f"{path}: zstd needs Python 3.14, or: pip install zstandard")


class _ZstdFrames(io.RawIOBase):
    """Frame after frame; the package's own stream takes a file that was cut short for whole."""

    def __init__(self, file: IO[bytes], begin: Callable[[], Any]) -> None:
        self._file, self._begin = file, begin
        self._frame: Any = None
        self._ahead = b""
        self._made = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._made:
            data = self._ahead or self._file.read(BLOCK)
            if not data:
                if self._frame is not None:
                    raise EOFError
                return 0
            self._frame = self._frame or self._begin()
            self._made, self._ahead = self._frame.decompress(data), b""
            if self._frame.eof:
                self._ahead, self._frame = self._frame.unused_data, None
        size = min(len(buffer), len(self._made))
        buffer[:size], self._made = self._made[:size], self._made[size:]
        return size
