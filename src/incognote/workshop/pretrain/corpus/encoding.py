"""Parts of documents as a shard has them: tokens, sentences, words; in this process or in several.

What stands between spaces is tokenised once and remembered (`ChunkReader`), for most of a text is words
that were there before. No tokenizer here looks across a space, except that byte BPE takes it into the
word that follows; so a chunk is a word with the white space before it, and the tokens of the chunks are
the tokens of the text. Kinds of white space that tokenizers do not agree on do not divide chunks: a text
that has one is read whole.

Several processes are handed a bounded length of text at a time, and their results come back in order.
"""

from __future__ import annotations

import os
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import count
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from incognote.align.tokens import Flags, Integers, Tokens
from incognote.align.words import words
from incognote.base.errors import TextError
from incognote.base.workers import BrokenProcessPool, WorkerPool, in_order
from incognote.workshop.pretrain.corpus.arrays import join, ranges
from incognote.workshop.pretrain.corpus.sentences import Part, sentences
from incognote.workshop.pretrain.corpus.shards import TokenIds
from incognote.workshop.tokenization.tokenizer import TextReader

BLOCK, GROUP = 50_000, 500_000
"""Characters of what is read at once of a part, and of what is read together, at least."""

Small = npt.NDArray[np.int32]

REMEMBERED = 200_000
"""Chunks; they take some 40 MB."""

TOGETHER = 4_000
"""Chunks that the tokenizer gets at a time; what it says of a token takes some 200 bytes."""

_CHUNK = re.compile(r"[ \t\n\r]*[^ \t\n\r]+")
_OTHER_SPACE = re.compile(r"[^\S \t\n\r]")

IN_FLIGHT = 2**21
"""Characters for each process that are read and not yet encoded, at most: two batches. One batch
that is longer than all processes may have goes by itself."""

Label = TypeVar("Label")
Batch = tuple[Label, Sequence[Part]]


@dataclass(frozen=True, eq=False)
class EncodedParts:
    """Parts of documents one after the other.

    sentence_lengths: tokens of each sentence; sentence_counts: sentences of each part, perhaps 0.
    begins, held_out: of each part, as `Part` has them. unknown: tokens the tokenizer lacks.
    """

    ids: TokenIds
    word_starts: Flags
    sentence_lengths: Integers
    sentence_counts: Integers
    begins: Flags
    held_out: Flags
    unknown: int


def encode_batches(
    batches: Iterable[Batch[Label]], reader: TextReader, workers: int
) -> Iterator[tuple[Label, EncodedParts]]:
    """Each batch encoded, under its label, in order."""
    if workers == 1:
        chunks = ChunkReader(reader)
        for label, parts in batches:
            yield label, encode_parts(parts, chunks)
        return
    try:
        with WorkerPool(partial(_encoder, reader), workers) as pool:
            submit = partial(_submit, pool)
            yield from in_order(batches, submit, workers * IN_FLIGHT, size_of=_characters)
    except BrokenProcessPool:
        raise TextError(
            "a worker process died, perhaps for want of memory; finished shards are kept: "
            "run the same again, perhaps with fewer workers"
        ) from None


def _submit(
    pool: WorkerPool[Sequence[Part], EncodedParts], batch: Batch[Label]
) -> Callable[[], tuple[Label, EncodedParts]]:
    label, parts = batch
    future = pool.submit(parts)
    return lambda: (label, future.result())


def _characters(batch: Batch[Label]) -> int:
    return sum(len(part.text) for part in batch[1])


def _encoder(reader: TextReader) -> Callable[[Sequence[Part]], EncodedParts]:
    """The work of a process, which has no threads of its own."""
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    chunks = ChunkReader(reader)
    return lambda parts: encode_parts(parts, chunks)


def encode_parts(parts: Sequence[Part], reader: ChunkReader) -> EncodedParts:
    """Tokenise each document as it stands, so that its ids are those a note will have later.

    A sentence gets the tokens that begin in it.
    """
    text = reader.reader
    dtype: Any = np.uint16 if text.vocabulary_size <= 2**16 else np.uint32
    ids: deque[TokenIds] = deque()
    starts: deque[Flags] = deque()
    lengths: deque[Integers] = deque()
    counts = np.zeros(len(parts), np.int64)
    unknown = 0
    for group in _groups(parts):
        read = reader.read_all([block.text for block in group])
        for block, tokens in zip(group, read, strict=True):
            word_starts, sizes = _sentence_sizes(block, tokens)
            ids.append(tokens.ids.astype(dtype))
            starts.append(word_starts)
            lengths.append(sizes[sizes > 0])
            counts[block.part] += np.count_nonzero(sizes)
            unknown += int(np.count_nonzero(tokens.ids == text.unknown_id))
    return EncodedParts(
        join(ids, dtype),
        join(starts, np.bool_),
        join(lengths, np.int64),
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
    tokenizer gives the same tokens then as for the whole.
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


def _sentence_sizes(block: _Block, tokens: ReadText) -> tuple[Flags, Integers]:
    """Where words begin, and the tokens of each sentence; a sentence may have none.

    White space goes with the sentence after it.
    """
    last = len(block.firsts) - 1
    sentence = np.searchsorted(block.firsts, tokens.starts, "right") - 1
    sentence[tokens.starts < 0] = last
    sentence = np.minimum.accumulate(sentence[::-1])[::-1]
    flags = tokens.word_starts.copy()
    flags[1:] |= sentence[1:] != sentence[:-1]
    flags[:1] = True
    return flags, np.bincount(sentence, minlength=len(block.firsts))


class ReadText(NamedTuple):
    """The tokens of a text, each [tokens].

    starts: the first character of the token, −1 of one that stands for white space only.
    word_starts: whether it begins in another word than the token before; white space is alone.
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
        """The tokens of texts that do not end in white space."""
        plain = [not _OTHER_SPACE.search(text) for text in texts]
        chunks = [
            _CHUNK.findall(text) if each else [] for text, each in zip(texts, plain, strict=True)
        ]
        self._learn(chunks)
        return [
            self._remembered(own) if each else _read(text, self.reader.read(text))
            for text, each, own in zip(texts, plain, chunks, strict=True)
        ]

    def _remembered(self, chunks: list[str]) -> ReadText:
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
        unique = dict.fromkeys(chunk for own in chunks for chunk in own)
        new = [chunk for chunk in unique if chunk not in self._rows]
        columns = [(self._ends, self._ids, self._starts, self._word_starts)]
        for place in range(0, len(new), TOGETHER):
            columns.append(self._read_each(new[place : place + TOGETHER], columns[-1][0][-1]))
        if new:
            self._rows.update(zip(new, count(len(self._rows)), strict=False))
            self._ends, self._ids, self._starts, self._word_starts = map(
                np.concatenate, zip(*columns, strict=True)
            )

    def _read_each(self, chunks: list[str], before: int) -> tuple[Small, Small, Small, Flags]:
        """What there is to remember of chunks, after so many tokens of others."""
        tokens, whose = self.reader.read_each(chunks)
        read = _read("\n".join(chunks), tokens)
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


def _read(text: str, tokens: Tokens) -> ReadText:
    offsets = tokens.offsets
    solid = offsets.ends > offsets.starts
    firsts = np.array([first for first, _ in words(text)], np.int64)
    word = np.searchsorted(firsts, offsets.starts[solid], "right")
    word_starts = np.ones(len(tokens.ids), np.bool_)
    word_starts[solid] = np.diff(word, prepend=-1) != 0
    return ReadText(tokens.ids, np.where(solid, offsets.starts, -1), word_starts)
