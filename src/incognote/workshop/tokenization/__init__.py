"""Text to a model's ids and back, with the exact place of every token; nothing is ever cut.

- `tokenizer`: `Tokenizer`, with where each family puts its special tokens. ELMo's characters are `align.word_tokenizer`'s.
- `subwords` (WordPiece, byte-level BPE) and `unigram` (SentencePiece): each kind, built from the
  vocabulary files it was published with, and learned from text.
- `folder`: finds out what a folder holds. `workshop/tokenizer_training.py` learns a vocabulary and
  writes its folder.

    tokenizer = incognote.workshop.tokenization.load("albert-base-v2/")
    encoding = tokenizer.encode("Seen today.", "Discharged home.")
    batch = tokenizer.pad([encoding])  # ids, mask, segments
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from incognote.base.errors import TokenizerError

if TYPE_CHECKING:
    from incognote.workshop.tokenization.folder import load
    from incognote.workshop.tokenization.tokenizer import Batch, Encoding, Tokenizer

_HOMES = {"Batch": "tokenizer", "Encoding": "tokenizer", "Tokenizer": "tokenizer", "load": "folder"}

__all__ = ["Batch", "Encoding", "Tokenizer", "TokenizerError", "load"]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
