"""Two segments of whole sentences: neighbours, neighbours swapped, or strangers.

Nothing is ever trimmed: a segment that began or ended within a sentence would tell whether the
pair is swapped or random. So two sentences that are too long together make no pair: the first is
left out, or becomes a sequence without a question. Either way it is counted.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass

import numpy as np

from incognote.align.units import Flags, Integers
from incognote.workshop.pretrain.corpus.ranges import ranges
from incognote.workshop.pretrain.frame import Framed
from incognote.workshop.pretrain.segments import Plan, Planner, Rows, targets
from incognote.workshop.pretrain.stream import Block, Text

STRANGERS = 16
"""How often another document is looked at for a second segment that has room."""


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
        """Pieces of both segments."""
        return self.length - self.frame.added(pair=True)

    @abstractmethod
    def _strangers(self, count: int, draws: np.random.Generator) -> Flags:
        """Which pairs get their second segment elsewhere."""

    def _block(self, block: Block, draws: np.random.Generator) -> Plan:
        """All documents of a block side by side, one chunk of each at a step."""
        edges = block.sentences
        place, end = block.documents[:-1].copy(), block.documents[1:]
        found = Rows()
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
            found.add(*(row[fits] for row in (*rows, strangers)))
            # What a stranger takes the place of is not lost: it begins the next chunk.
            place = np.where(fits, np.where(strangers, border, last), place + 1)
        lone = np.concatenate([*alone, *long])
        if self.unpaired:
            found.add(*self._sequences(edges[lone], edges[lone + 1]))
        alone_or_long = {
            "sentences_alone": sum(map(len, alone)),
            "sentences_too_long": sum(map(len, long)),
        }
        return Plan.of(found, alone_or_long)

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
        for left in range(STRANGERS, 0, -1):
            row = int(draws.integers(0, len(documents) - 1))
            row += row >= own
            edges = self.stream.shards.sentence_offsets(int(documents[row]))
            place = int(draws.integers(0, len(edges) - 1))
            begin = int(edges[place])
            last = int(np.searchsorted(edges, begin + room, "right")) - 1
            if self.single:
                last = min(last, place + 1)
            if last > place or left == 1:
                end = int(edges[last]) if last > place else begin + room
                start = int(self.stream.starts[row])
                return self.stream.text(start + begin, start + end)
        raise AssertionError("unreachable")
