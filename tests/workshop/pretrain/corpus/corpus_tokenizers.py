"""A small tokenizer of each kind, as `incognote.workshop.tokenization` loads it."""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path

from workshop.tokenization.vocabulary_files import write_vocabulary

from incognote.workshop.tokenization import Tokenizer, load

FAMILIES = ("albert", "bert", "roberta", "xlnet")


@cache
def tokenizer(family: str) -> Tokenizer:
    with tempfile.TemporaryDirectory() as folder:
        return load(write_vocabulary(Path(folder), family), family=family)
