"""Small tokenizers of every family, read once."""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path

from workshop.tokenization.vocabulary_files import write_vocabulary

from incognote.workshop.tokenization import Tokenizer, load


@cache
def reader(family: str) -> Tokenizer:
    """The tokenizer of a family's small vocabulary."""
    with tempfile.TemporaryDirectory() as folder:
        return load(write_vocabulary(Path(folder), family), family=family)
