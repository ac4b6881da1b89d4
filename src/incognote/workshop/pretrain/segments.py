"""How text is cut into sequences: a plan for an epoch, and each sequence by its number in it.

A sequence is one segment of whole sentences, as many as fit (`Runs`), or two: neighbours, neighbours
swapped, or strangers (`SentenceOrder`, `NextSentence`). Segments of a pair are never trimmed: one that
began or ended within a sentence would tell whether the pair is swapped or random. So two sentences that
are too long together make no pair: the first is left out, or becomes a sequence without a question.
Either way it is counted.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter, deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from incognote.align.tokens import Flags, Integers
from incognote.workshop.pretrain.corpus.arrays import edges, join, ranges
from incognote.workshop.pretrain.stream import Block, Frame, Framed, Stream, Text

Small = npt.NDArray[np.uint16]
_PACKED = 1000

LONGEST = 2**16 - 1
"""Tokens of a sequence, which a plan counts in two bytes."""

PAIRS = {"segment-pair": "nsp", "sentence-pair": "nsp", "sentence-order": "sop"}
"""Inputs with two segments, and the question that their labels answer."""

STRANGERS = 16
"""How often another document is looked at for a second segment that has room."""


@dataclass(frozen=True, eq=False)
class Plan:
    """All sequences of an epoch, [sequences] each; 15 bytes for every one.

    begins: places in the stream. borders: tokens of the first segment, without separators; where
    there is no second, of all.
    sizes: tokens of all, with them. rooms: how many tokens there might be. random: the second segment is to
    come from another document. left_out: what no pair has, by its reason.
    """

    begins: Integers
    borders: Small
    sizes: Small
    rooms: Small
    random: Flags
    left_out: Mapping[str, int]

    @classmethod
    def of(cls, rows: Rows, left_out: Mapping[str, int]) -> Plan:
        """From columns as above, put in the order of the text."""
        columns = dict(zip(_KINDS, rows.columns(), strict=True))
        order = np.argsort(columns["begins"], kind="stable")
        ordered: dict[str, Any] = {name: column[order] for name, column in columns.items()}
        return cls(**ordered, left_out=left_out)

    @classmethod
    def joined(cls, plans: Iterable[Plan]) -> Plan:
        """One plan of several blocks', each of which is let go of on the way."""
        columns: dict[str, deque[Any]] = {name: deque() for name in _KINDS}
        left_out: Counter[str] = Counter()
        for plan in plans:
            for name, column in columns.items():
                column.append(getattr(plan, name))
            left_out.update(plan.left_out)
        whole: dict[str, Any] = {name: join(columns[name], _KINDS[name]) for name in _KINDS}
        return cls(**whole, left_out=dict(sorted(left_out.items())))

    def only(self, indices: Integers) -> Plan:
        """The same of some sequences."""
        columns: dict[str, Any] = {name: getattr(self, name)[indices] for name in _KINDS}
        return replace(self, **columns)


_KINDS: dict[str, Any] = {
    "begins": np.int64,
    "borders": np.uint16,
    "sizes": np.uint16,
    "rooms": np.uint16,
    "random": np.bool_,
}


class Rows:
    """The columns of a plan, from some sequences at a time: a long document gives one at a time."""

    def __init__(self) -> None:
        self._packed: list[tuple[Any, ...]] = []
        self._new: list[tuple[Integers | Flags, ...]] = []

    def add(self, *row: Integers | Flags) -> None:
        """Some sequences, each column [sequences]."""
        self._new.append(row)
        if len(self._new) >= _PACKED:
            self._pack()

    def columns(self) -> tuple[Any, ...]:
        """All of them."""
        if self._new:
            self._pack()
        return tuple(map(np.concatenate, zip(*self._packed, strict=True)))

    def _pack(self) -> None:
        """An array takes a hundred bytes even for one sequence; so many become one."""
        columns = map(np.concatenate, zip(*self._new, strict=True))
        kinds = _KINDS.values()
        self._packed.append(tuple(c.astype(k) for c, k in zip(columns, kinds, strict=True)))
        self._new = []


@dataclass(frozen=True, eq=False)
class Planner(ABC):
    """One kind of input; `needs` is what text must have for it, for an error."""

    stream: Stream
    frame: Frame
    length: int
    short: float
    needs: ClassVar[str]

    @abstractmethod
    def added(self, plan: Plan) -> Integers:
        """Special tokens around each sequence."""

    def plan(self, draws: np.random.Generator) -> Plan:
        """Cut all text anew."""
        return Plan.joined(self._block(block, draws) for block in self.stream.blocks())

    @abstractmethod
    def _block(self, block: Block, draws: np.random.Generator) -> Plan:
        """The sequences of some documents."""

    @abstractmethod
    def framed(self, plan: Plan, index: int, draws: np.random.Generator) -> Framed:
        """A sequence of the plan."""


def targets(
    room: int, short: float, least: int, count: int, draws: np.random.Generator
) -> Integers:
    """How many tokens each of `count` sequences aims at: all the room, or at random fewer."""
    fewer = draws.integers(least, room + 1, count)
    return np.where(draws.random(count) < short, fewer, room)


@dataclass(frozen=True, eq=False)
class Runs(Planner):
    """RoBERTa's inputs; a separator stands between documents where `across` lets them meet.

    A sentence longer than the room is cut into parts that have room, so no text is lost.
    """

    across: bool
    needs = "it has no tokens"

    def added(self, plan: Plan) -> Integers:
        return np.full(len(plan.begins), self.frame.added(pair=False))

    def framed(self, plan: Plan, index: int, draws: np.random.Generator) -> Framed:
        begin, size = int(plan.begins[index]), int(plan.sizes[index])
        if not self.across:
            return self.frame.around(self.stream.text(begin, begin + size))
        # The plan's sizes count separators; borders have the tokens of text.
        texts = self.stream.texts(begin, begin + int(plan.borders[index]))
        parts = [texts[0]]
        for text in texts[1:]:
            parts += [Text(np.array([self.frame.separator]), np.ones(1, np.bool_)), text]
        ids, starts = (np.concatenate(column) for column in zip(*parts, strict=True))
        return self.frame.around(Text(ids, starts))

    def _block(self, block: Block, draws: np.random.Generator) -> Plan:
        """Lanes of neighbouring documents side by side, one sequence of each at a step."""
        room = self.length - self.frame.added(pair=False)
        sentences, documents = _with_room(block, room)
        lanes = documents
        if self.across:
            lanes = documents[self._lanes(sentences[documents] - sentences[0], room)]
        # Separators that stand before a sentence; only the ones within a sequence count in it.
        before = np.zeros(len(sentences), np.int64)
        if self.across:
            before = np.searchsorted(documents, np.arange(len(sentences)), "right") - 1
        starts = sentences + before
        ends = np.append(sentences[:1], sentences[1:] + before[:-1])
        place, end = lanes[:-1], lanes[1:]
        sequences = Rows()
        while len(place):
            aims = targets(room, self.short, 2, len(place), draws)
            last = np.searchsorted(ends, starts[place] + aims, "right") - 1
            last = np.minimum(np.maximum(last, place + 1), end)
            text = sentences[last] - sentences[place]
            same = np.zeros(len(place), np.bool_)
            sequences.add(sentences[place], text, ends[last] - starts[place], aims, same)
            more = last < end
            place, end = last[more], end[more]
        return Plan.of(sequences, {})

    def _lanes(self, starts: Integers, room: int) -> Integers:
        """The documents at which lanes begin, and the end.

        Cutting is one step after another, so some hundred lanes make it fast, and each is long
        enough that its last sequence, which may be short, is of no account.
        """
        count = max(1, int(np.sqrt(starts[-1] / room)))
        places = np.linspace(0, int(starts[-1]), count + 1)[1:-1]
        inner = np.searchsorted(starts, places)
        return np.unique(np.concatenate([[0], inner, [len(starts) - 1]]))


def _with_room(block: Block, room: int) -> tuple[Integers, Integers]:
    """The edges of sentences, those of long ones' parts among them, and of documents in these."""
    lengths = np.diff(block.sentences)
    parts = -(-lengths // room)
    begins = edges(parts)
    numbers = np.arange(int(begins[-1])) - np.repeat(begins[:-1], parts)
    starts = np.repeat(block.sentences[:-1], parts) + room * numbers
    return np.append(starts, block.sentences[-1]), begins[block.documents]


@dataclass(frozen=True, eq=False)
class _Pairs(Planner):
    """Chunks of at least two sentences of one document, parted at a sentence's end."""

    unpaired: bool = False
    single: bool = False
    needs = "it needs documents of two sentences that fit the length together"

    def added(self, plan: Plan) -> Integers:
        one, two = (self.frame.added(pair=pair) for pair in (False, True))
        return np.where(plan.borders == plan.sizes, one, two)

    @property
    def room(self) -> int:
        """Tokens of both segments."""
        return self.length - self.frame.added(pair=True)

    @abstractmethod
    def _strangers(self, count: int, draws: np.random.Generator) -> Flags:
        """Which pairs get their second segment elsewhere."""

    def _block(self, block: Block, draws: np.random.Generator) -> Plan:
        """All documents of a block side by side, one chunk of each at a step."""
        edges = block.sentences
        place, end = block.documents[:-1].copy(), block.documents[1:]
        sequences = Rows()
        alone: list[Integers] = []
        long: list[Integers] = []
        while len(place):
            more = place + 1 < end
            alone.append(place[place + 1 == end])
            place, end = place[more], end[more]
            aims = targets(self.room, self.short, 2, len(place), draws)
            last = np.searchsorted(edges, edges[place] + aims, "right") - 1
            last = np.minimum(np.maximum(last, place + 2), place + 2 if self.single else end)
            fits = edges[last] - edges[place] <= self.room
            long.append(place[~fits])
            border = draws.integers(place + 1, last)
            strangers = self._strangers(len(place), draws)
            rows = (edges[place], edges[border] - edges[place], edges[last] - edges[place], aims)
            sequences.add(*(row[fits] for row in (*rows, strangers)))
            # What a stranger takes the place of is not lost: it begins the next chunk.
            place = np.where(fits, np.where(strangers, border, last), place + 1)
        lone = np.concatenate([*alone, *long])
        if self.unpaired:
            sequences.add(*self._sequences(edges[lone], edges[lone + 1]))
        alone_or_long = {
            "sentences_alone": sum(map(len, alone)),
            "sentences_too_long": sum(map(len, long)),
        }
        return Plan.of(sequences, alone_or_long)

    def _sequences(self, first: Integers, last: Integers) -> tuple[Integers | Flags, ...]:
        """Sentences by themselves, cut where there is no room, in the rows of a plan."""
        parts = -(-(last - first) // self.room)
        number = ranges(np.zeros_like(parts), parts)
        begins = np.repeat(first, parts) + self.room * number
        sizes = np.minimum(np.repeat(last, parts) - begins, self.room)
        return begins, sizes, sizes, sizes, np.zeros(len(begins), np.bool_)

    def framed(self, plan: Plan, index: int, draws: np.random.Generator) -> Framed:
        first, second = self._halves(plan, index)
        if not len(second.ids):
            return self.frame.around(first)
        return self._paired(plan, index, first, second, draws)

    @abstractmethod
    def _paired(
        self, plan: Plan, index: int, first: Text, second: Text, draws: np.random.Generator
    ) -> Framed:
        """The two segments as they are shown."""

    def _halves(self, plan: Plan, index: int) -> tuple[Text, Text]:
        """The two segments as they stand in the document."""
        begin, border = int(plan.begins[index]), int(plan.borders[index])
        text = self.stream.text(begin, begin + int(plan.sizes[index]))
        return (
            Text(text.ids[:border], text.word_starts[:border]),
            Text(text.ids[border:], text.word_starts[border:]),
        )


class SentenceOrder(_Pairs):
    """ALBERT's: two neighbours, swapped or not (label 1 or 0); never of two documents."""

    def _strangers(self, count: int, draws: np.random.Generator) -> Flags:
        return np.zeros(count, np.bool_)

    def _paired(
        self, plan: Plan, index: int, first: Text, second: Text, draws: np.random.Generator
    ) -> Framed:
        if draws.random() < 0.5:
            return self.frame.around(second, first, label=1)
        return self.frame.around(first, second, label=0)


class NextSentence(_Pairs):
    """BERT's: two neighbours (label 0), or the second from another document (label 1)."""

    def _strangers(self, count: int, draws: np.random.Generator) -> Flags:
        return draws.random(count) < 0.5

    def _paired(
        self, plan: Plan, index: int, first: Text, second: Text, draws: np.random.Generator
    ) -> Framed:
        if not plan.random[index]:
            return self.frame.around(first, second, label=0)
        own = self.stream.document(int(plan.begins[index]))
        room = max(int(plan.rooms[index]), int(plan.sizes[index])) - len(first.ids)
        return self.frame.around(first, self._stranger(own, room, draws), label=1)

    def _stranger(self, own: int, room: int, draws: np.random.Generator) -> Text:
        """Sentences from a random place in another document, as many as there is room for."""
        documents = self.stream.documents
        for tries in range(STRANGERS, 0, -1):
            row = int(draws.integers(0, len(documents) - 1))
            row += row >= own
            edges = self.stream.shards.sentence_offsets(int(documents[row]))
            place = int(draws.integers(0, len(edges) - 1))
            begin = int(edges[place])
            last = int(np.searchsorted(edges, begin + room, "right")) - 1
            if self.single:
                last = min(last, place + 1)
            if last > place or tries == 1:
                end = int(edges[last]) if last > place else begin + room
                start = int(self.stream.starts[row])
                return self.stream.text(start + begin, start + end)
        raise AssertionError("unreachable")
