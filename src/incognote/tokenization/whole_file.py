"""`tokenizer.json`, the one file that holds a whole tokenizer."""

from __future__ import annotations

from pathlib import Path

import tokenizers

WHOLE = "tokenizer.json"


def write_whole(tokenizer: tokenizers.Tokenizer, folder: Path) -> None:
    """Write it, or say what the system refused: the library's `save` raises a plain Exception."""
    path = folder / WHOLE
    try:
        path.write_bytes(tokenizer.to_str(pretty=True).encode())
    except OSError as error:
        # A full disk does not say for which file it had no room.
        raise OSError(error.errno, error.strerror, str(path)) from None
