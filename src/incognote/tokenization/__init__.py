"""Text to a model's ids and back, with the exact place of every piece; nothing is ever cut.

- `wordpiece`, `byte_bpe`, `unigram`: build each kind from the vocabulary files it was published
  with; `sentencepiece_file` reads one of them. `load` finds out what a folder holds.
- `templates`: where each family puts its special tokens and which segments it numbers.
- `tokenizer`: `Tokenizer`, which joins these. Offsets are `align.pieces`'s: the one copy.
- `digit_commas`: how ALBERT and XLNet part "2019," again.
- `characters`: ELMo's input, which has no pieces.

    tokenizer = incognote.tokenization.load("albert-base-v2/")
    encoding = tokenizer.encode("Seen today.", "Discharged home.")
    batch = tokenizer.pad([encoding])  # ids, mask, segments
"""

from __future__ import annotations

from incognote.tokenization.errors import TokenizerError
from incognote.tokenization.load import load
from incognote.tokenization.tokenizer import Batch, Encoding, Tokenizer

__all__ = ["Batch", "Encoding", "Tokenizer", "TokenizerError", "load"]
