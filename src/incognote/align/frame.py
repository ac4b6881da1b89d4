"""The special tokens that stand around a window."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from tokenizers import Tokenizer

from incognote.align.tokens import Integers
from incognote.base.errors import AlignError

Id = int | tuple[int, ...]
"""What a token is to a model: a number, or a row of them where a word is read by its letters."""


@dataclass(frozen=True)
class Frame:
    """The special tokens before and after a window, and their segments ([CLS] … [SEP])."""

    before: tuple[Id, ...]
    after: tuple[Id, ...]
    before_segments: tuple[int, ...]
    after_segments: tuple[int, ...]

    @classmethod
    def of(cls, tokenizer: Tokenizer) -> Frame:
        """As the tokenizer's own template has them; none if it has no template."""
        if tokenizer.truncation or tokenizer.padding:  # a copy takes its time
            tokenizer = Tokenizer.from_str(tokenizer.to_str())
            tokenizer.no_truncation()
            tokenizer.no_padding()
        encoding = tokenizer.encode("a")
        special = np.array(encoding.special_tokens_mask, bool)
        own = np.flatnonzero(~special)
        if not own.size:
            raise AlignError("the tokenizer reads a letter as no token of its own")
        first, last = int(own[0]), int(own[-1]) + 1
        ids, segments = encoding.ids, encoding.type_ids
        return cls(
            tuple(ids[:first]),
            tuple(ids[last:]),
            tuple(segments[:first]),
            tuple(segments[last:]),
        )

    @classmethod
    def around(cls, before: Sequence[Id] = (), after: Sequence[Id] = ()) -> Frame:
        """These tokens, all of segment 0."""
        return cls(tuple(before), tuple(after), (0,) * len(before), (0,) * len(after))

    def __len__(self) -> int:
        return len(self.before) + len(self.after)

    @property
    def segmented(self) -> bool:
        """Whether a special token has a segment of its own (XLNet's <cls>)."""
        return any((*self.before_segments, *self.after_segments))

    def put_around(self, ids: Integers) -> Integers:
        """Tokens [tokens, …] with the special ones around them."""
        before, after = (
            np.array(side, np.int64).reshape(len(side), *ids.shape[1:])
            for side in (self.before, self.after)
        )
        return np.concatenate((before, ids, after), dtype=np.int64)
