"""`tokenizer.json`, the one file that holds a whole tokenizer."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import tokenizers

WHOLE = "tokenizer.json"


@contextmanager
def writing(path: Path) -> Iterator[Path]:
    """A full disk does not say for which file it had no room: this one."""
    try:
        yield path
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None


def write_whole(tokenizer: tokenizers.Tokenizer, folder: Path) -> None:
    """Write it, or say what the system refused: the library's `save` raises a plain Exception."""
    with writing(folder / WHOLE) as path:
        path.write_bytes(tokenizer.to_str(pretty=True).encode())
