"""`tokenizer.json`, the one file that holds a whole tokenizer."""

from __future__ import annotations

from pathlib import Path

import tokenizers

from incognote.base.whole_file import writing

WHOLE = "tokenizer.json"


def write_tokenizer_json(tokenizer: tokenizers.Tokenizer, folder: Path) -> None:
    """Write it, or say what the system refused: the library's `save` raises a plain Exception."""
    with writing(folder / WHOLE) as path:
        path.write_bytes(tokenizer.to_str(pretty=True).encode())
