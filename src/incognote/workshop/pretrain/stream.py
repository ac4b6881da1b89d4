"""Chosen documents of a folder of shards as one line of tokens, for examples to be cut from; and the
special tokens that a family puts around what was cut.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from incognote.align.tokens import Flags, Integers, TokenOffsets, Tokens
from incognote.workshop.pretrain.corpus.arrays import edges
from incognote.workshop.pretrain.corpus.shards import Shards
from incognote.workshop.tokenization.tokenizer import A, B, Tokenizer

BLOCK = 2_000_000
"""How many sentences are looked at together, so that planning needs little memory."""

NO_LABEL = -1


class Text(NamedTuple):
    """Tokens in reading order, and where words begin; both [tokens]."""

    ids: Integers
    word_starts: Flags


class Block(NamedTuple):
    """Some neighbouring documents: where each sentence and each document begins, and the end.

    sentences: [sentences + 1], along the whole line; documents: [documents + 1], in `sentences`.
    """

    sentences: Integers
    documents: Integers


class Stream:
    """Documents end to end. A place counts tokens from the first document's first."""

    def __init__(self, shards: Shards, documents: Integers) -> None:
        self.shards = shards
        self.documents = np.asarray(documents, np.int64)

    @cached_property
    def starts(self) -> Integers:
        """Where each document begins, and the end, [documents + 1]."""
        return edges(self.shards.lengths[self.documents])

    def blocks(self) -> Iterator[Block]:
        """All sentences, some documents at a time."""
        counts = edges(self.shards.sentence_counts[self.documents])
        first = 0
        while first < len(self.documents):
            last = max(first + 1, int(np.searchsorted(counts, counts[first] + BLOCK, "right")) - 1)
            lengths = self.shards.sentence_lengths(self.documents[first:last])
            yield Block(
                self.starts[first] + edges(lengths), counts[first : last + 1] - counts[first]
            )
            first = last

    def document(self, place: int) -> int:
        """Which document a place is in."""
        return int(np.searchsorted(self.starts, place, "right")) - 1

    def text(self, first: int, last: int) -> Text:
        """The tokens [first, last) of one document."""
        row = self.document(first)
        begin = int(self.starts[row])
        part = slice(first - begin, last - begin)
        document = int(self.documents[row])
        ids = self.shards.ids(document)[part].astype(np.int64)
        return Text(ids, self.shards.word_starts(document)[part])

    def sentences(self, first: int, last: int) -> tuple[Integers, bool, bool]:
        """Where sentences begin within [first, last) of one document, counted from `first`; the end.

        And whether the first is there from its beginning, and the last to its end.
        """
        row = self.document(first)
        places = self.shards.sentence_offsets(int(self.documents[row])) + self.starts[row]
        inner = places[(places > first) & (places < last)]
        within = np.concatenate([[0], inner - first, [last - first]])
        return within, first in places, last in places

    def texts(self, first: int, last: int) -> list[Text]:
        """The tokens [first, last), parted where documents are."""
        rows = slice(self.document(first) + 1, self.document(last - 1) + 1)
        borders = [first, *self.starts[rows].tolist(), last]
        return [self.text(a, b) for a, b in pairwise(borders)]


class Origin(NamedTuple):
    """Where in the stream a sequence is from, and what lies about it."""

    stream: Stream
    first: int
    last: int

    def before(self, count: int) -> Integers | None:
        """The tokens before it, if its document has so many there."""
        start = int(self.stream.starts[self.stream.document(self.first)])
        if self.first - count < start:
            return None
        return self.stream.text(self.first - count, self.first).ids

    def after(self, count: int) -> Integers | None:
        """The tokens after it, if its document has so many there."""
        stop = int(self.stream.starts[self.stream.document(self.last - 1) + 1])
        if self.last + count > stop:
            return None
        return self.stream.text(self.last, self.last + count).ids

    def sentences(self) -> tuple[Integers, bool, bool]:
        """Where its sentences begin, and its end; whether the first and the last are uncut there."""
        return self.stream.sentences(self.first, self.last)


class Framed(NamedTuple):
    """A sequence as a model reads it, [tokens] each.

    label: of the pair, 1 where it is swapped or the second is random; −1 if there is none.
    """

    ids: Integers
    segments: Integers
    word_starts: Flags
    label: int


@dataclass(frozen=True)
class Frame:
    """Where the special tokens stand; each part is an id with its segment, or a text's."""

    single: tuple[tuple[str | int, int], ...]
    pair: tuple[tuple[str | int, int], ...]
    separator: int

    @classmethod
    def of(cls, tokenizer: Tokenizer) -> Frame:
        """As the tokenizer frames texts."""
        nothing = np.zeros(0, np.int64)
        empty = Tokens(nothing, TokenOffsets(nothing, nothing), 0)
        parts = []
        for template, encoding in (
            (tokenizer.template.single, tokenizer.join(empty)),
            (tokenizer.template.pair, tokenizer.join(empty, empty)),
        ):
            ids = iter(encoding.ids.tolist())
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
        """For a model without special tokens."""
        return cls(((A, 0),), ((A, 0), (B, 0)), 0)

    def added(self, *, pair: bool) -> int:
        """How many special tokens a text or a pair gets."""
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
