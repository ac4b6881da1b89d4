"""A family's special pieces around texts that were read long before."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from incognote.align.pieces import Pieces
from incognote.align.units import Flags, Integers, Units
from incognote.workshop.pretrain.stream import Text
from incognote.workshop.tokenization.tokenizer import A, B, Tokenizer

NO_LABEL = -1


class Framed(NamedTuple):
    """A sequence as a model reads it, [pieces] each.

    label: of the pair, 1 where it is swapped or the second is random; −1 if there is none.
    """

    ids: Integers
    segments: Integers
    word_starts: Flags
    label: int


@dataclass(frozen=True)
class Frame:
    """Where the special pieces stand; each part is an id with its segment, or a text's."""

    single: tuple[tuple[str | int, int], ...]
    pair: tuple[tuple[str | int, int], ...]
    separator: int

    @classmethod
    def of(cls, tokenizer: Tokenizer) -> Frame:
        """As the tokenizer frames texts."""
        nothing = np.zeros(0, np.int64)
        empty = Pieces(nothing, Units(nothing, nothing), 0)
        parts = []
        for template, joined in (
            (tokenizer.template.single, tokenizer.join(empty)),
            (tokenizer.template.pair, tokenizer.join(empty, empty)),
        ):
            ids = iter(joined.ids.tolist())
            parts.append(
                tuple(
                    (role if role in (A, B) else next(ids), segment) for role, segment in template
                )
            )
        roles = [role for role, _ in tokenizer.template.single if role != A]
        separator = tokenizer.join(empty).ids[roles.index("sep")]
        return cls(parts[0], parts[1], int(separator))

    @classmethod
    def bare(cls) -> Frame:
        """For a model without special pieces."""
        return cls(((A, 0),), ((A, 0), (B, 0)), 0)

    def added(self, *, pair: bool) -> int:
        """How many special pieces a text or a pair gets."""
        return len(self.pair) - 2 if pair else len(self.single) - 1

    def around(self, first: Text, second: Text | None = None, label: int = NO_LABEL) -> Framed:
        """One text, or two."""
        template = self.single if second is None else self.pair
        ids, starts, segments = [], [], []
        for role, segment in template:
            text = first if role == A else second if role == B else None
            if text is None:
                text = Text(np.array([role], np.int64), np.ones(1, np.bool_))
            ids.append(text.ids)
            starts.append(text.word_starts)
            segments.append(np.full(len(text.ids), segment, np.int64))
        return Framed(np.concatenate(ids), np.concatenate(segments), np.concatenate(starts), label)
