"""Text to a model's ids and back, with the exact place of every piece; nothing is ever cut.

- `wordpiece`, `byte_bpe`, `unigram`: build each kind from the vocabulary files it was published
  with; `sentencepiece_file` reads one of them. `tokenizer_json` writes all of it
  into one. `folder` finds out what a folder holds.
- `templates`: where each family puts its special tokens and which segments it numbers.
- `text_reader`: text to pieces and no more, for processes that do only that.
- `tokenizer`: `Tokenizer`, which joins these. Offsets are `align.pieces`'s: the one copy.
- `digit_commas`: how ALBERT and XLNet part "2019," again.
- `characters`: ELMo's input, which has no pieces.
- `training`: a new vocabulary, learned from text.

    tokenizer = incognote.workshop.tokenization.load("albert-base-v2/")
    encoding = tokenizer.encode("Seen today.", "Discharged home.")
    batch = tokenizer.pad([encoding])  # ids, mask, segments
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from incognote.workshop.tokenization.errors import TokenizerError

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
