"""One segment of whole sentences, as many as fit: within a document, or across documents."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from incognote.align.units import Integers
from incognote.workshop.pretrain.corpus.ranges import edges
from incognote.workshop.pretrain.frame import Framed
from incognote.workshop.pretrain.segments import Plan, Planner, Rows, targets
from incognote.workshop.pretrain.stream import Block, Text


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
        # The plan's sizes count separators; borders have the pieces of text.
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
        found = Rows()
        while len(place):
            aims = targets(room, self.short, 2, len(place), draws)
            last = np.searchsorted(ends, starts[place] + aims, "right") - 1
            last = np.minimum(np.maximum(last, place + 1), end)
            text = sentences[last] - sentences[place]
            same = np.zeros(len(place), np.bool_)
            found.add(sentences[place], text, ends[last] - starts[place], aims, same)
            more = last < end
            place, end = last[more], end[more]
        return Plan.of(found, {})

    def _lanes(self, starts: Integers, room: int) -> Integers:
        """The documents at which lanes begin, and the end.

        Cutting is one step after another, so some hundred lanes make it fast, and each is long
        enough that its last sequence, which may be short, is of no account.
        """
        count = max(1, int(np.sqrt(starts[-1] / room)))
        wanted = np.linspace(0, int(starts[-1]), count + 1)[1:-1]
        inner = np.searchsorted(starts, wanted)
        return np.unique(np.concatenate([[0], inner, [len(starts) - 1]]))


def _with_room(block: Block, room: int) -> tuple[Integers, Integers]:
    """The edges of sentences, those of long ones' parts among them, and of documents in these."""
    lengths = np.diff(block.sentences)
    parts = -(-lengths // room)
    begins = edges(parts)
    numbers = np.arange(int(begins[-1])) - np.repeat(begins[:-1], parts)
    cut = np.repeat(block.sentences[:-1], parts) + room * numbers
    return np.append(cut, block.sentences[-1]), begins[block.documents]
