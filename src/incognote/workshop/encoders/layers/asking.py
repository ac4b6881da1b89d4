"""Less work for the same answer: some pieces are read on, and look at all the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, groupby

import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from incognote.workshop.encoders.errors import InputError
from incognote.workshop.encoders.layers.dropout import attend
from incognote.workshop.encoders.layers.layout import Packed
from incognote.workshop.encoders.layers.stack import Stack


@dataclass(frozen=True)
class Asking:
    """A packed batch in which some pieces of each sequence look at all of it.

    lengths: of the sequences. places: [asking], the pieces that look, in their order. counts: how
    many of them each sequence has. Made by `of`, which counts and checks.
    """

    lengths: tuple[int, ...]
    places: Tensor
    counts: tuple[int, ...]

    @classmethod
    def of(cls, lengths: Sequence[int], places: Tensor) -> Asking:
        """These pieces of a packed batch, the first of each sequence among them."""
        known, ends = places.cpu(), torch.tensor(lengths).cumsum(0)
        if not bool((known.diff() > 0).all()):
            raise InputError("tokens are asked for in their order, each once")
        begins = torch.tensor([0, *accumulate(lengths[:-1])])
        if not bool(torch.isin(begins, known).all()):
            raise InputError("the first token of each sequence must be among those asked for")
        if known[0] < 0 or known[-1] >= ends[-1]:
            raise InputError(f"only tokens of the batch can be asked for: 0 to {ends[-1] - 1}")
        of = torch.searchsorted(ends, known, right=True)  # the sequence of each
        counts = torch.bincount(of, minlength=len(lengths))
        return cls(tuple(lengths), places, tuple(counts.tolist()))

    @property
    def layout(self) -> Packed:
        """Of what was asked for alone: the first pieces are the first there too."""
        return Packed(self.counts, self.places.device)

    def attend(self, query: Tensor, key: Tensor, value: Tensor, dropout: float) -> Tensor:
        """[asking, heads, head size] from keys and values of all, [pieces, heads, head size].

        Neighbours of one length are done in one call, their queries padded: no query sees another.
        """
        queries = torch.split(query, list(self.counts))
        mixed = []
        start = done = 0
        for length, run in groupby(self.lengths):
            count = len(list(run))
            padded = pad_sequence(list(queries[done : done + count]), batch_first=True)
            k, v = (
                part[start : start + count * length].view(count, length, *part.shape[1:])
                for part in (key, value)
            )
            q, k, v = (rows.transpose(1, 2) for rows in (padded, k, v))
            found = attend(q, k, v, dropout=dropout).transpose(1, 2)  # [count, most, heads, size]
            counts = torch.tensor(self.counts[done : done + count], device=query.device)
            mixed.append(found[torch.arange(found.shape[1], device=query.device) < counts[:, None]])
            start, done = start + count * length, done + count
        return mixed[0] if len(mixed) == 1 else torch.cat(mixed)


def read_on(stack: Stack, after: int, hidden: Tensor, asking: Asking) -> Tensor:
    """The last states of the pieces that ask, [asking, hidden size]; the first layers have been run."""
    rows = hidden[asking.places]
    for number, (attention, feed_forward) in enumerate(stack.order[after:]):
        if number:
            hidden = hidden.index_copy(0, asking.places, rows)
        rows = stack.attentions[attention](hidden, asking, rows)
        rows = stack.feed_forwards[feed_forward](rows)
    return rows
