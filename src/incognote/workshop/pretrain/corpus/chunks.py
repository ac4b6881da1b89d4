"""Pieces of long texts, quickly: what stands between spaces is tokenised once and remembered.

Most of a text is words that were there before. No tokenizer here looks across a space, except that
byte BPE takes it into the word that follows; so a chunk is a word with the white space before it,
and the pieces of the chunks are the pieces of the text. Kinds of white space that tokenizers do
not agree on are not used to part chunks: a text that has one is read whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import count
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from incognote.align.pieces import Pieces
from incognote.align.units import Flags, Integers
from incognote.align.words import words
from incognote.workshop.pretrain.corpus.ranges import ranges
from incognote.workshop.tokenization.tokenizer import TextReader

Small = npt.NDArray[np.int32]

REMEMBERED = 200_000
"""Chunks; they take some 40 MB."""

TOGETHER = 4_000
"""Chunks that the tokenizer gets at a time; what it says of a piece takes some 200 bytes."""

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
    """Reads as a tokenizer does, but faster the more it has read."""

    def __init__(self, reader: TextReader) -> None:
        self.reader = reader
        self._rows: dict[str, int] = {}
        self._ends: Small
        self._ids: Small
        self._starts: Small
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
            self._known(own) if each else _read(text, self.reader.read(text))
            for text, each, own in zip(texts, plain, chunks, strict=True)
        ]

    def _known(self, chunks: list[str]) -> ReadText:
        rows = np.fromiter(map(self._rows.__getitem__, chunks), np.int64, len(chunks))
        firsts = self._ends[rows].astype(np.int64)
        counts = self._ends[rows + 1] - firsts
        begins = np.cumsum([0, *map(len, chunks)])[:-1]
        places = ranges(firsts, counts)
        starts = self._starts[places]
        return ReadText(
            self._ids[places].astype(np.int64),
            np.where(starts < 0, starts, starts + np.repeat(begins, counts)),
            self._word_starts[places],
        )

    def _learn(self, chunks: Iterable[Iterable[str]]) -> None:
        if len(self._rows) > REMEMBERED:
            self._forget()
        seen = dict.fromkeys(chunk for own in chunks for chunk in own)
        new = [chunk for chunk in seen if chunk not in self._rows]
        columns = [(self._ends, self._ids, self._starts, self._word_starts)]
        for place in range(0, len(new), TOGETHER):
            columns.append(self._read_each(new[place : place + TOGETHER], columns[-1][0][-1]))
        if new:
            self._rows.update(zip(new, count(len(self._rows)), strict=False))
            self._ends, self._ids, self._starts, self._word_starts = map(
                np.concatenate, zip(*columns, strict=True)
            )

    def _read_each(self, chunks: list[str], before: int) -> tuple[Small, Small, Small, Flags]:
        """What there is to remember of chunks, after so many pieces of others."""
        pieces, whose = self.reader.read_each(chunks)
        read = _read("\n".join(chunks), pieces)
        begins = np.cumsum([0, *(len(chunk) + 1 for chunk in chunks)])
        starts = np.where(read.starts < 0, -1, read.starts - begins[whose])
        ends = before + np.cumsum(np.bincount(whose, minlength=len(chunks)))
        return (
            ends.astype(np.int32),
            read.ids.astype(np.int32),
            starts.astype(np.int32),
            read.word_starts,
        )

    def _forget(self) -> None:
        self._rows.clear()
        self._ends = np.zeros(1, np.int32)
        self._ids = self._starts = np.zeros(0, np.int32)
        self._word_starts = np.zeros(0, np.bool_)


def _read(text: str, pieces: Pieces) -> ReadText:
    solid = pieces.units.ends > pieces.units.starts
    firsts = np.array([first for first, _ in words(text)], np.int64)
    word = np.searchsorted(firsts, pieces.units.starts[solid], "right")
    word_starts = np.ones(len(pieces.ids), np.bool_)
    word_starts[solid] = np.diff(word, prepend=-1) != 0
    return ReadText(pieces.ids, np.where(solid, pieces.units.starts, -1), word_starts)
