"""Pieces of long texts, quickly: what stands between spaces is tokenised once and remembered.

Most of a text is words that were there before. No tokenizer here looks across a space, except that
byte BPE takes it into the word that follows; so a chunk is a word with the white space before it,
and the pieces of the chunks are the pieces of the text. Kinds of white space that tokenizers do
not agree on are not used to part chunks: a text that has one is read whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from incognote.align.pieces import Pieces
from incognote.align.units import Flags, Integers
from incognote.align.words import words
from incognote.pretrain.corpus.ranges import ranges
from incognote.tokenization.tokenizer import Tokenizer

REMEMBERED = 200_000
"""Chunks; they take some 50 MB."""

_CHUNK = re.compile(r"[ \t\n\r]*[^ \t\n\r]+")
_OTHER_SPACE = re.compile(r"[^\S \t\n\r]")


class ReadText(NamedTuple):
    """The pieces of a text, each [pieces].

    starts: the first character of the piece, −1 of one that stands for white space only.
    word_starts: whether it begins in another word than the piece before; white space is alone.
    """

    ids: Integers
    starts: Integers
    word_starts: Flags


class ChunkReader:
    """Reads as its tokenizer does, but faster the more it has read."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self.tokenizer = tokenizer
        self._rows: dict[str, int] = {}
        self._ends: Integers
        self._ids: Integers
        self._starts: Integers
        self._word_starts: Flags
        self._forget()

    def read_all(self, texts: Sequence[str]) -> list[ReadText]:
        """The pieces of texts that do not end in white space."""
        plain = [not _OTHER_SPACE.search(text) for text in texts]
        chunks = [
            _CHUNK.findall(text) if each else [] for text, each in zip(texts, plain, strict=True)
        ]
        self._learn(chunks)
        return [
            self._known(own) if each else _read(text, self.tokenizer.read(text))
            for text, each, own in zip(texts, plain, chunks, strict=True)
        ]

    def _known(self, chunks: list[str]) -> ReadText:
        rows = np.fromiter(map(self._rows.__getitem__, chunks), np.int64, len(chunks))
        counts = self._ends[rows + 1] - self._ends[rows]
        begins = np.cumsum([0, *map(len, chunks)])[:-1]
        places = ranges(self._ends[rows], counts)
        starts = self._starts[places]
        return ReadText(
            self._ids[places],
            np.where(starts < 0, starts, starts + np.repeat(begins, counts)),
            self._word_starts[places],
        )

    def _learn(self, chunks: Iterable[Iterable[str]]) -> None:
        if len(self._rows) > REMEMBERED:
            self._forget()
        seen = dict.fromkeys(chunk for own in chunks for chunk in own)
        new = [chunk for chunk in seen if chunk not in self._rows]
        if not new:
            return
        pieces, whose = self.tokenizer.read_each(new)
        read = _read("\n".join(new), pieces)
        begins = np.cumsum([0, *(len(chunk) + 1 for chunk in new)])
        starts = np.where(read.starts < 0, -1, read.starts - begins[whose])
        counts = np.bincount(whose, minlength=len(new))
        self._rows.update(zip(new, range(len(self._rows), len(self._rows) + len(new)), strict=True))
        self._ends = np.concatenate([self._ends, self._ends[-1] + np.cumsum(counts)])
        self._ids = np.concatenate([self._ids, read.ids])
        self._starts = np.concatenate([self._starts, starts])
        self._word_starts = np.concatenate([self._word_starts, read.word_starts])

    def _forget(self) -> None:
        self._rows.clear()
        self._ends = np.zeros(1, np.int64)
        self._ids = self._starts = np.zeros(0, np.int64)
        self._word_starts = np.zeros(0, np.bool_)


def _read(text: str, pieces: Pieces) -> ReadText:
    solid = pieces.units.ends > pieces.units.starts
    firsts = np.array([first for first, _ in words(text)], np.int64)
    word = np.searchsorted(firsts, pieces.units.starts[solid], "right")
    word_starts = np.ones(len(pieces.ids), np.bool_)
    word_starts[solid] = np.diff(word, prepend=-1) != 0
    return ReadText(pieces.ids, np.where(solid, pieces.units.starts, -1), word_starts)
