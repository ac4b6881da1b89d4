"""Read what `prepare` made: documents, sentences, pieces, each a view of a file on the disk."""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from incognote.align.units import Flags, Integers
from incognote.base.errors import TextError
from incognote.workshop.pretrain.corpus.manifest import read_manifest
from incognote.workshop.pretrain.corpus.ranges import edges, ranges
from incognote.workshop.pretrain.corpus.shard_file import (
    PieceIds,
    ShardFile,
    read_shard,
    shard_path,
)
from incognote.workshop.tokenization.tokenizer import Tokenizer


class Sentence(NamedTuple):
    """The pieces of a sentence, and at which of them a word begins; both [pieces]."""

    ids: PieceIds
    word_starts: Flags


class Shards:
    """A folder of tokenised text: documents in the order they were read, numbered from 0.

    documents: how many there are. None is empty; one may have a single sentence.
    train, held_out: the numbers of the documents to train on, and of those to evaluate on; each
        document is in one of them.
    lengths, sentence_counts: pieces and sentences of each document, [documents].
    vocabulary_size: of the tokenizer that was used; every id is below it.

        shards = Shards("shards/", tokenizer)
        short = shards.train[shards.lengths[shards.train] < 128]
        for ids, word_starts in shards.sentences(short[0]): ...

    Ids are without special tokens, uint16 or uint32, and never to be written to: they are the
    file. No sentence is empty. `word_starts` is true where a word (`align.words`) begins, and
    always at the first piece of a sentence; the pieces from one to before the next are one whole
    word to mask. With a tokenizer given, one that others made the shards with is refused. Opening
    is cheap, and so is sending to another process, which opens the folder anew.
    """

    def __init__(self, folder: str | Path, tokenizer: Tokenizer | None = None) -> None:
        self.folder = Path(folder)
        self.manifest = read_manifest(self.folder)
        if not self.manifest["complete"]:
            raise TextError(f"{folder}: not finished; prepare it again with the same settings")
        if tokenizer is not None and tokenizer.fingerprint != self.manifest["tokenizer"]:
            raise TextError(f"{folder}: these shards were made with another tokenizer")
        self.vocabulary_size: int = self.manifest["vocabulary_size"]
        self._files = [
            read_shard(shard_path(self.folder, number)) for number in range(self.manifest["shards"])
        ]
        self._firsts = edges([len(file.held_out) for file in self._files])
        self.documents = int(self._firsts[-1])

    def __reduce__(self) -> tuple[Any, ...]:
        return Shards, (self.folder,)

    @cached_property
    def lengths(self) -> Integers:
        """Pieces of each document, [documents]."""
        return _joined([np.diff(file.sentences[file.documents]) for file in self._files])

    @cached_property
    def sentence_counts(self) -> Integers:
        """Sentences of each document, [documents]."""
        return _joined([np.diff(file.documents) for file in self._files])

    @cached_property
    def train(self) -> Integers:
        """The documents to train on."""
        return np.flatnonzero(~self._held_out)

    @cached_property
    def held_out(self) -> Integers:
        """The documents kept from training."""
        return np.flatnonzero(self._held_out)

    @property
    def _held_out(self) -> Flags:
        none = np.zeros(0, np.bool_)
        return np.concatenate([none, *(file.held_out for file in self._files)])

    def ids(self, document: int) -> PieceIds:
        """All pieces of a document, [pieces]."""
        file, pieces = self._place(document)
        return file.ids[pieces]

    def word_starts(self, document: int) -> Flags:
        """Where in them a word begins, [pieces]."""
        file, pieces = self._place(document)
        return file.word_starts[pieces]

    def sentence_offsets(self, document: int) -> Integers:
        """Where in them each sentence begins, and the end, [sentences + 1]."""
        file, row = self._file(document)
        offsets = file.sentences[file.documents[row] : file.documents[row + 1] + 1]
        moved: Integers = offsets - offsets[0]
        return moved

    def sentences(self, document: int) -> list[Sentence]:
        """The sentences of a document, in order."""
        ids, word_starts = self.ids(document), self.word_starts(document)
        places = self.sentence_offsets(document).tolist()
        return [
            Sentence(ids[first:last], word_starts[first:last]) for first, last in pairwise(places)
        ]

    def sentence_lengths(self, chosen: Integers) -> Integers:
        """Pieces of each sentence of these documents, one after the other, flat.

        `sentence_counts` of the same documents says how many belong to each.
        """
        lengths = np.empty(int(self.sentence_counts[chosen].sum()), np.int64)
        ends = np.cumsum(self.sentence_counts[chosen])
        shards = np.searchsorted(self._firsts, chosen, "right") - 1
        for number, file in enumerate(self._files):
            here = np.flatnonzero(shards == number)
            rows = chosen[here] - self._firsts[number]
            counts = file.documents[rows + 1] - file.documents[rows]
            sentences = ranges(file.documents[rows], counts)
            places = ranges(ends[here] - counts, counts)
            lengths[places] = file.sentences[sentences + 1] - file.sentences[sentences]
        return lengths

    def _file(self, document: int) -> tuple[ShardFile, int]:
        """The shard of a document, and its row there."""
        if not 0 <= document < self.documents:
            raise IndexError(f"there is no document {document}: there are {self.documents:,}")
        number = int(np.searchsorted(self._firsts, document, "right")) - 1
        return self._files[number], int(document - self._firsts[number])

    def _place(self, document: int) -> tuple[ShardFile, slice]:
        file, row = self._file(document)
        first, last = file.sentences[file.documents[row : row + 2]].tolist()
        return file, slice(first, last)


def _joined(parts: list[Integers]) -> Integers:
    return np.concatenate([np.zeros(0, np.int64), *parts])
