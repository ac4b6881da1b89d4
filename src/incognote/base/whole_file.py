"""Files that are there whole or not at all, and errors that name them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

UNFINISHED = ".part"
"""How the name of a file ends while it is written."""


@contextmanager
def writing(path: Path) -> Iterator[Path]:
    """A full disk does not say for which file it had no room: this one."""
    try:
        yield path
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None


def write_whole(path: Path, data: bytes, *, durable: bool = False) -> None:
    """Write a file; if that fails, nothing of it stays, and an older one does.

    durable: so even if the machine stops, for which the disk is waited for.
    """
    part = path.with_name(path.name + UNFINISHED)
    try:
        with writing(path):
            with part.open("wb") as file:
                file.write(data)
                if durable:
                    file.flush()
                    os.fsync(file.fileno())
            part.replace(path)
    finally:
        part.unlink(missing_ok=True)
