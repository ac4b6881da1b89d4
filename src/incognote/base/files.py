"""Files that are there whole or not at all, and that only their owner may read."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

OWNER_ONLY_FILE = 0o600
OWNER_ONLY_FOLDER = 0o700


@contextmanager
def private_file(path: Path) -> Iterator[BinaryIO]:
    """A file to write, which appears in one step and whole when all went well.

    Only its owner may read it, from its first byte on; what was there before is replaced.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(prefix=".incognote-", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def write_private(path: Path, content: bytes) -> None:
    """Write such a file at once."""
    with private_file(path) as stream:
        stream.write(content)


def make_private(path: Path) -> None:
    """Take a file, or a folder and all that is in it, from everybody but its owner."""
    if path.is_symlink():
        return
    if not path.is_dir():
        path.chmod(OWNER_ONLY_FILE)
        return
    path.chmod(OWNER_ONLY_FOLDER)
    for entry in path.iterdir():
        make_private(entry)


def real_path(path: Path) -> Path:
    """Where a path leads. `Path.resolve` raises at a loop of links, with the name in its message."""
    return Path(os.path.realpath(path))


def is_inside(path: Path, folder: Path) -> bool:
    """Whether a path, with all links followed, lies below a folder."""
    return real_path(folder) in real_path(path).parents
