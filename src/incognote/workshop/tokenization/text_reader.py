"""The part of a tokenizer that reads text: what a process needs that does nothing else.

It is half of a `Tokenizer` in memory, whose other half knows the special tokens.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from incognote.align.pieces import PieceReader, Pieces
from incognote.align.units import Integers
from incognote.workshop.tokenization.digit_commas import parted


@dataclass(frozen=True, eq=False)
class TextReader:
    """Text to pieces, without special tokens; it can be sent to other processes.

    digit_commas, parts: as `digit_commas.parted` has them. unknown_id: of what the vocabulary has
    no piece for. vocabulary_size: one more than the highest id.
    """

    pieces: PieceReader
    digit_commas: Mapping[int, tuple[int, ...]]
    parts: Mapping[int, str]
    unknown_id: int
    vocabulary_size: int

    def read(self, text: str) -> Pieces:
        """The pieces of a text."""
        return self.read_all([text])[0]

    def read_all(self, texts: Sequence[str]) -> list[Pieces]:
        """The pieces of several texts, the same as one by one, in less time."""
        found = self.pieces.read_all(texts)
        return [parted(pieces, self.digit_commas, self.parts) for pieces in found]

    def read_each(self, texts: Sequence[str]) -> tuple[Pieces, Integers]:
        """The pieces of many short texts in one go, and for each piece the number of its text.

        Their places are those in all texts joined by line feeds.
        """
        pieces, whose = self.pieces.read_each(texts)
        divided = parted(pieces, self.digit_commas, self.parts)
        if divided is not pieces:
            parts = [len(self.digit_commas.get(number, "1")) for number in pieces.ids.tolist()]
            whose = np.repeat(whose, parts)
        return divided, whose
