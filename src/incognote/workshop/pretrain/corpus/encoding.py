"""Parts of documents as a shard has them: pieces, sentences, words."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from incognote.align.units import Flags, Integers
from incognote.workshop.pretrain.corpus.chunks import ChunkReader, ReadText
from incognote.workshop.pretrain.corpus.joining import joined
from incognote.workshop.pretrain.corpus.parts import Part
from incognote.workshop.pretrain.corpus.sentences import sentences
from incognote.workshop.pretrain.corpus.shard_file import PieceIds

BLOCK, GROUP = 50_000, 500_000
"""Characters of what is read at once of a part, and of what is read together, at least."""


@dataclass(frozen=True, eq=False)
class EncodedParts:
    """Parts of documents one after the other.

    sentence_lengths: pieces of each sentence; sentence_counts: sentences of each part, perhaps 0.
    begins, held_out: of each part, as `Part` has them. unknown: pieces the tokenizer lacks.
    """

    ids: PieceIds
    word_starts: Flags
    sentence_lengths: Integers
    sentence_counts: Integers
    begins: Flags
    held_out: Flags
    unknown: int


def encode_parts(parts: Sequence[Part], reader: ChunkReader) -> EncodedParts:
    """Tokenise each document as it stands, so that its ids are those a note will have later.

    A sentence gets the pieces that begin in it.
    """
    text = reader.reader
    dtype: Any = np.uint16 if text.vocabulary_size <= 2**16 else np.uint32
    ids: deque[PieceIds] = deque()
    starts: deque[Flags] = deque()
    lengths: deque[Integers] = deque()
    counts = np.zeros(len(parts), np.int64)
    unknown = 0
    for group in _groups(parts):
        read = reader.read_all([block.text for block in group])
        for block, pieces in zip(group, read, strict=True):
            word_starts, sizes = _placed(block, pieces)
            ids.append(pieces.ids.astype(dtype))
            starts.append(word_starts)
            lengths.append(sizes[sizes > 0])
            counts[block.part] += np.count_nonzero(sizes)
            unknown += int(np.count_nonzero(pieces.ids == text.unknown_id))
    return EncodedParts(
        joined(ids, dtype),
        joined(starts, np.bool_),
        joined(lengths, np.int64),
        counts,
        np.array([part.begins for part in parts], np.bool_),
        np.array([part.held_out for part in parts], np.bool_),
        unknown,
    )


class _Block(NamedTuple):
    """Some of a part, by its number, and where sentences begin in it."""

    part: int
    text: str
    firsts: Integers


def _groups(parts: Iterable[Part]) -> Iterator[list[_Block]]:
    """Blocks to be read together: more than one for speed, and not all for memory."""
    group: list[_Block] = []
    size = 0
    for number, part in enumerate(parts):
        for block in _blocks(number, part):
            group.append(block)
            size += len(block.text)
            if size >= GROUP:
                yield group
                group, size = [], 0
    if group:
        yield group


def _blocks(number: int, part: Part) -> Iterator[_Block]:
    """Blocks that together are the part, but for white space around the document.

    One ends where a sentence does and white space follows, which the next begins with: a
    tokenizer gives the same pieces then as for the whole.
    """
    text = part.text
    begin = -1 if part.begins else 0
    firsts: list[int] = []
    for first, end in sentences(text):
        begin = first if begin < 0 else begin
        firsts.append(first - begin)
        if end - begin >= BLOCK and text[end : end + 1].isspace():
            yield _Block(number, text[begin:end], np.array(firsts))
            begin, firsts = end, []
    if firsts:
        yield _Block(number, text[begin:end], np.array(firsts))


def _placed(block: _Block, pieces: ReadText) -> tuple[Flags, Integers]:
    """Where words begin, and the pieces of each sentence; a sentence may have none.

    White space goes with the sentence after it.
    """
    last = len(block.firsts) - 1
    sentence = np.searchsorted(block.firsts, pieces.starts, "right") - 1
    sentence[pieces.starts < 0] = last
    sentence = np.minimum.accumulate(sentence[::-1])[::-1]
    flags = pieces.word_starts.copy()
    flags[1:] |= sentence[1:] != sentence[:-1]
    flags[:1] = True
    return flags, np.bincount(sentence, minlength=len(block.firsts))
