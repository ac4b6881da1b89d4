"""A document as a shard has it: pieces, sentences, words, and on which side it stands."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from incognote.align.units import Flags, Integers
from incognote.pretrain.corpus.chunks import ChunkReader, ReadText
from incognote.pretrain.corpus.sentences import sentences
from incognote.pretrain.corpus.shard_file import PieceIds

BLOCK, GROUP = 50_000, 500_000
"""Characters of a part of a document, and of the parts read together, at least."""


@dataclass(frozen=True, eq=False)
class EncodedDocuments:
    """Documents one after the other.

    sentence_lengths: pieces of each sentence; sentence_counts: sentences of each document.
    empty: documents without a piece, which are left out. unknown: pieces the tokenizer lacks.
    """

    ids: PieceIds
    word_starts: Flags
    sentence_lengths: Integers
    sentence_counts: Integers
    held_out: Flags
    empty: int
    unknown: int


@dataclass(frozen=True)
class HeldOut:
    """The share of documents kept from training, told by seed and text: the same text, the same side."""

    share: float
    seed: int

    def has(self, text: str) -> bool:
        """Whether a document is kept."""
        key = self.seed.to_bytes(8, "little", signed=True)
        digest = hashlib.blake2b(text.encode(), digest_size=8, key=key).digest()
        return int.from_bytes(digest, "little") < self.share * 2**64


def encode_documents(
    texts: Sequence[str], reader: ChunkReader, held_out: HeldOut
) -> EncodedDocuments:
    """Tokenise each document as it stands, so that its ids are those a note will have later.

    A sentence gets the pieces that begin in it.
    """
    tokenizer = reader.tokenizer
    dtype: Any = np.uint16 if tokenizer.vocabulary_size <= 2**16 else np.uint32
    ids: list[PieceIds] = [np.zeros(0, dtype)]
    starts: list[Flags] = [np.zeros(0, np.bool_)]
    lengths: list[Integers] = [np.zeros(0, np.int64)]
    counts = np.zeros(len(texts), np.int64)
    unknown = 0
    for group in _groups(texts):
        read = reader.read_all([block.text for block in group])
        for block, pieces in zip(group, read, strict=True):
            word_starts, sizes = _placed(block, pieces)
            ids.append(pieces.ids.astype(dtype))
            starts.append(word_starts)
            lengths.append(sizes[sizes > 0])
            counts[block.document] += np.count_nonzero(sizes)
            unknown += int(np.count_nonzero(pieces.ids == tokenizer.unknown_id))
    pieces_of_all: Any = np.concatenate(ids)
    solid = counts > 0
    kept = np.array([held_out.has(text) for text in texts], np.bool_)
    return EncodedDocuments(
        pieces_of_all,
        np.concatenate(starts),
        np.concatenate(lengths),
        counts[solid],
        kept[solid],
        int(np.count_nonzero(~solid)),
        unknown,
    )


class _Block(NamedTuple):
    """A part of a document, and where sentences begin in it."""

    document: int
    text: str
    firsts: Integers


def _groups(texts: Iterable[str]) -> Iterator[list[_Block]]:
    """Blocks to be read together: more than one for speed, and not all for memory."""
    group: list[_Block] = []
    size = 0
    for number, text in enumerate(texts):
        for block in _blocks(number, text):
            group.append(block)
            size += len(block.text)
            if size >= GROUP:
                yield group
                group, size = [], 0
    if group:
        yield group


def _blocks(document: int, text: str) -> Iterator[_Block]:
    """Parts that together are the document, but for white space around it.

    A part ends where a sentence does and white space follows, which the next part begins with: a
    tokenizer gives the same pieces then as for the whole.
    """
    begin = -1
    firsts: list[int] = []
    for first, end in sentences(text):
        begin = first if begin < 0 else begin
        firsts.append(first - begin)
        if end - begin >= BLOCK and text[end : end + 1].isspace():
            yield _Block(document, text[begin:end], np.array(firsts))
            begin, firsts = end, []
    if firsts:
        yield _Block(document, text[begin:end], np.array(firsts))


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
