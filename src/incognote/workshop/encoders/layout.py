"""How a batch of sequences lies in memory: padded to one length, or packed end to end.

Only what mixes tokens of a sequence must know: attention, positions, and the choice of the first
token. Everything else works on the last dimension. Shapes here: `*` is [batch, length] in a padded
batch and [tokens] in a packed one, where no computation is spent on padding.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate, groupby
from typing import Protocol

import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from incognote.base.errors import InputError
from incognote.workshop.encoders.dropout import attend

Bias = Callable[[Tensor, Tensor, Tensor | None], Tensor]
"""What is added to the scores of queries [batch, heads, queries, head size] at keys [batch, heads,
tokens, head size]. The queries' places in their sequences, [batch, queries], are given where they are
not those of the keys.
"""

NO_SEQUENCE = -1
"""What padding belongs to."""


class Attending(Protocol):
    """Who looks at whom."""

    def attend(
        self, query: Tensor, key: Tensor, value: Tensor, dropout: float, bias: Bias | None = None
    ) -> Tensor:
        """Attention within each sequence; all of shape [*, heads, head size]."""
        ...


class Layout(Attending, Protocol):
    """Where the sequences of a batch are."""

    @property
    def longest(self) -> int:
        """The tokens of the longest sequence."""
        ...

    @property
    def has_padding(self) -> bool:
        """Whether there are places without a token."""
        ...

    def positions(self) -> Tensor:
        """Each token's place in its sequence, from 0; broadcasts to [*]."""
        ...

    def running_count(self, flags: Tensor) -> Tensor:
        """How many of `flags` [*] (0 or 1) there are up to and with each token, by sequence."""
        ...

    def first(self, hidden: Tensor) -> Tensor:
        """The first token of each sequence: [*, size] to [batch, size]."""
        ...

    def mean(self, hidden: Tensor) -> Tensor:
        """The mean of each sequence's tokens: [*, size] to [batch, size]."""
        ...

    def sequences(self) -> Tensor:
        """The number of the sequence that each token is of, [*]; of padding, `NO_SEQUENCE`."""
        ...


@dataclass(frozen=True)
class Padded:
    """Sequences side by side; `mask` [batch, length] is true at real tokens, None if all are."""

    batch: int
    length: int
    device: torch.device
    mask: Tensor | None

    @property
    def longest(self) -> int:
        return self.length

    @property
    def has_padding(self) -> bool:
        return self.mask is not None

    def positions(self) -> Tensor:
        return torch.arange(self.length, device=self.device)

    def running_count(self, flags: Tensor) -> Tensor:
        return flags.cumsum(1)

    def first(self, hidden: Tensor) -> Tensor:
        return hidden[:, 0]

    def mean(self, hidden: Tensor) -> Tensor:
        if self.mask is None:
            return hidden.mean(1)
        return (hidden * self.mask[..., None]).sum(1) / self.mask.sum(1, keepdim=True)

    def sequences(self) -> Tensor:
        rows = torch.arange(self.batch, device=self.device)[:, None].expand(-1, self.length)
        return rows if self.mask is None else torch.where(self.mask, rows, NO_SEQUENCE)

    def sees(self) -> Tensor:
        """Where a query may look, what broadcasts to [batch, heads, length, length]."""
        if self.mask is None:
            return torch.ones(1, 1, 1, self.length, dtype=torch.bool, device=self.device)
        return self.mask[:, None, None, :]

    def attend(
        self, query: Tensor, key: Tensor, value: Tensor, dropout: float, bias: Bias | None = None
    ) -> Tensor:
        mask = None if self.mask is None else self.mask[:, None, None, :]  # [batch, 1, 1, length]
        # [batch, heads, length, head size]
        q, k, v = (part.transpose(1, 2) for part in (query, key, value))
        if bias is not None:
            scores = bias(q, k, None)
            mask = scores if mask is None else scores.masked_fill(~mask, -torch.inf)
        return attend(q, k, v, mask=mask, dropout=dropout).transpose(1, 2)


@dataclass(frozen=True)
class Packed:
    """Sequences end to end; neighbours of one length are attended to in one call."""

    lengths: tuple[int, ...]
    device: torch.device

    @property
    def longest(self) -> int:
        return max(self.lengths)

    @property
    def has_padding(self) -> bool:
        return False

    def positions(self) -> Tensor:
        return torch.cat([torch.arange(length, device=self.device) for length in self.lengths])

    def running_count(self, flags: Tensor) -> Tensor:
        return torch.cat([part.cumsum(0) for part in torch.split(flags, list(self.lengths))])

    def first(self, hidden: Tensor) -> Tensor:
        lengths = torch.tensor(self.lengths, device=self.device)
        return hidden[lengths.cumsum(0) - lengths]

    def mean(self, hidden: Tensor) -> Tensor:
        return torch.stack([part.mean(0) for part in torch.split(hidden, list(self.lengths))])

    def sequences(self) -> Tensor:
        lengths = torch.tensor(self.lengths, device=self.device)
        return torch.arange(len(lengths), device=self.device).repeat_interleave(lengths)

    def attend(
        self, query: Tensor, key: Tensor, value: Tensor, dropout: float, bias: Bias | None = None
    ) -> Tensor:
        mixed = []
        start = 0
        for length, run in groupby(self.lengths):
            count = len(list(run))
            # [count · length, heads, head size] to [count, heads, length, head size]
            q, k, v = (
                part[start : start + count * length]
                .view(count, length, *part.shape[1:])
                .transpose(1, 2)
                for part in (query, key, value)
            )
            mask = None if bias is None else bias(q, k, None)
            mixed.append(attend(q, k, v, mask=mask, dropout=dropout).transpose(1, 2).flatten(0, 1))
            start += count * length
        return mixed[0] if len(mixed) == 1 else torch.cat(mixed)


@dataclass(frozen=True)
class ActiveTokens:
    """The tokens of a packed batch whose states are still computed; they attend to all tokens.

    So it is after an early exit, where only uncertain tokens go through the later layers, and in the
    last layer of pretraining, where only masked tokens are predicted.
    lengths: of the sequences. places: [active], the active tokens, in their order. counts: how many
    of them each sequence has. Built by `of`, which counts and checks.
    """

    lengths: tuple[int, ...]
    places: Tensor
    counts: tuple[int, ...]

    @classmethod
    def of(cls, lengths: Sequence[int], places: Tensor) -> ActiveTokens:
        """These tokens of a packed batch, the first of each sequence among them."""
        ordered, ends = places.cpu(), torch.tensor(lengths).cumsum(0)
        if not bool((ordered.diff() > 0).all()):
            raise InputError("active tokens are given in their order, each once")
        begins = torch.tensor([0, *accumulate(lengths[:-1])])
        if not bool(torch.isin(begins, ordered).all()):
            raise InputError("the first token of each sequence must be among the active ones")
        if ordered[0] < 0 or ordered[-1] >= ends[-1]:
            raise InputError(f"only tokens of the batch can be active: 0 to {ends[-1] - 1}")
        sequences = torch.searchsorted(ends, ordered, right=True)  # of each place
        counts = torch.bincount(sequences, minlength=len(lengths))
        return cls(tuple(lengths), places, tuple(counts.tolist()))

    @property
    def layout(self) -> Packed:
        """Of the active tokens alone: the first tokens are the first there too."""
        return Packed(self.counts, self.places.device)

    @property
    def whole(self) -> Packed:
        """Of all tokens, at which the active ones look."""
        return Packed(self.lengths, self.places.device)

    def attend(
        self, query: Tensor, key: Tensor, value: Tensor, dropout: float, bias: Bias | None = None
    ) -> Tensor:
        """[active, heads, head size] from keys and values of all, [tokens, heads, head size].

        Neighbours of one length are done in one call, their queries padded: no query sees another.
        """
        queries = torch.split(query, list(self.counts))
        positions = torch.split(self.whole.positions()[self.places], list(self.counts))
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
            mask = None
            if bias is not None:
                own = list(positions[done : done + count])
                mask = bias(q, k, pad_sequence(own, batch_first=True))
            # [count, most, heads, size]
            outputs = attend(q, k, v, mask=mask, dropout=dropout).transpose(1, 2)
            counts = torch.tensor(self.counts[done : done + count], device=query.device)
            mixed.append(
                outputs[torch.arange(outputs.shape[1], device=query.device) < counts[:, None]]
            )
            start, done = start + count * length, done + count
        return mixed[0] if len(mixed) == 1 else torch.cat(mixed)


def layout_of(ids: Tensor, mask: Tensor | None, lengths: Sequence[int] | None) -> Layout:
    """The layout of `ids`: packed if lengths are given, else padded."""
    if lengths is not None:
        return _packed(ids, mask, tuple(lengths))
    if ids.dim() != 2:
        raise InputError(
            f"ids must be [batch, length], or [tokens] with lengths; these have {ids.dim()} dimensions"
        )
    if mask is not None:
        if mask.shape != ids.shape:
            raise InputError(f"the mask is {list(mask.shape)} but the ids are {list(ids.shape)}")
        mask = mask.bool()
        if looks_at_values(mask):
            if not bool(mask.any(1).all()):
                raise InputError("a sequence of the batch has no tokens: its mask is all padding")
            mask = None if bool(mask.all()) else mask
    if not ids.numel() and not ids.is_meta:
        raise InputError("the batch has no tokens")
    return Padded(len(ids), ids.shape[1], ids.device, mask)


def _packed(ids: Tensor, mask: Tensor | None, lengths: tuple[int, ...]) -> Packed:
    if mask is not None:
        raise InputError("a batch is padded with a mask or packed with lengths, not both")
    if ids.dim() != 1:
        raise InputError(f"packed ids must be [tokens]; these have {ids.dim()} dimensions")
    if not lengths or min(lengths) < 1:
        raise InputError("every packed sequence must have at least one token")
    if sum(lengths) != ids.shape[0]:
        raise InputError(f"the lengths sum to {sum(lengths)} but there are {ids.shape[0]} tokens")
    return Packed(lengths, ids.device)


def looks_at_values(tensor: Tensor) -> bool:
    """Whether Python may branch on values: not while a graph is traced or only shapes are known."""
    return not (
        tensor.is_meta or torch._C._get_tracing_state() is not None or torch.compiler.is_compiling()
    )
