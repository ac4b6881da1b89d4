"""Less work for the same answer: some pieces are read on, and look at all the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from incognote.encoders.layers.dropout import attend
from incognote.encoders.layers.layout import Packed
from incognote.encoders.layers.stack import Stack


@dataclass(frozen=True)
class Asking:
    """A packed batch in which some pieces of each sequence look at all of it.

    lengths: of the sequences. places: [asking], the pieces that look, in their order. counts: how
    many of them each sequence has, one or more.
    """

    lengths: Sequence[int]
    places: Tensor
    counts: Sequence[int]

    @property
    def layout(self) -> Packed:
        """Of what was asked for alone; a first piece that asks is the first there too."""
        return Packed(tuple(self.counts), self.places.device)

    def attend(self, query: Tensor, key: Tensor, value: Tensor, dropout: float) -> Tensor:
        """[asking, heads, head size] from keys and values of all, [pieces, heads, head size]."""
        queries = torch.split(query, list(self.counts))
        keys, values = (torch.split(rows, list(self.lengths)) for rows in (key, value))
        mixed = []
        for sequence in zip(queries, keys, values, strict=True):
            q, k, v = (rows.transpose(0, 1)[None] for rows in sequence)  # [1, heads, rows, size]
            mixed.append(attend(q, k, v, dropout=dropout)[0].transpose(0, 1))
        return torch.cat(mixed)


def read_on(stack: Stack, after: int, hidden: Tensor, asking: Asking) -> Tensor:
    """The last states of the pieces that ask, [asking, hidden size]; the first layers have been run."""
    rows = hidden[asking.places]
    for number, (attention, feed_forward) in enumerate(stack.order[after:]):
        if number:
            hidden = hidden.index_copy(0, asking.places, rows)
        rows = stack.attentions[attention](hidden, asking, rows)
        rows = stack.feed_forwards[feed_forward](rows)
    return rows
