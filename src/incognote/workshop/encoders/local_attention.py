"""Attention to the near tokens of a sequence only, at a cost that grows with the length and not its square.

Tokens are taken in blocks as long as the reach, so that all that a token may see lies in its own block
and the two beside it. Sequences follow each other across blocks; none sees another.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn.functional import pad

from incognote.workshop.encoders.dropout import attend
from incognote.workshop.encoders.layout import NO_SEQUENCE

SHORT = 3
"""Sequences of so many times the reach are not worth blocks, which are as wide."""


@dataclass(frozen=True, eq=False)
class Band:
    """A `layout.Bias` that hides, in one short sequence, what is farther than `reach`."""

    reach: int

    def __call__(self, query: Tensor, key: Tensor, places: Tensor | None) -> Tensor:
        """Queries and keys [batch, heads, *, head size] to [batch or 1, 1, queries, keys]."""
        own = torch.arange(key.shape[2], device=key.device)
        apart = (own if places is None else places)[..., :, None] - own
        hidden = apart.abs() > self.reach
        scores = torch.zeros(hidden.shape, dtype=query.dtype, device=key.device)
        scores = scores.masked_fill(hidden, -torch.inf)
        return scores[None, None] if places is None else scores[:, None]


@dataclass(frozen=True, eq=False)
class Neighbours:
    """Which tokens of a batch are near each other, for all layers that look no further than `reach`.

    mask: [blocks, 1, reach, 3 · reach], true where a token of a block may look.
    """

    reach: int
    tokens: int
    mask: Tensor

    @classmethod
    def of(cls, sequences: Tensor, reach: int) -> Neighbours:
        """`sequences` [*] has the number of each token's sequence; padding sees only padding."""
        tokens = sequences.numel()
        spare = -tokens % reach
        whose = pad(sequences.flatten(), (reach, reach + spare), value=NO_SEQUENCE)
        keys = whose.unfold(0, 3 * reach, reach)  # [blocks, 3 · reach]
        queries = keys[:, reach : 2 * reach]
        places = torch.arange(3 * reach, device=sequences.device)
        near = (places - places[reach : 2 * reach, None]).abs() <= reach
        same = queries[:, :, None] == keys[:, None, :]
        return cls(reach, tokens, (near & same)[:, None])

    def attend(self, query: Tensor, key: Tensor, value: Tensor, dropout: float) -> Tensor:
        """All of shape [*, heads, head size], where * are the batch's tokens."""
        reach, spare = self.reach, -self.tokens % self.reach
        q = pad(query.flatten(0, -3), (0, 0, 0, 0, 0, spare)).view(-1, reach, *query.shape[-2:])
        # [blocks, heads, 3 · reach, head size], whose blocks overlap in memory
        k, v = (
            pad(part.flatten(0, -3), (0, 0, 0, 0, reach, reach + spare))
            .unfold(0, 3 * reach, reach)
            .transpose(-1, -2)
            for part in (key, value)
        )
        mixed = attend(q.transpose(1, 2), k, v, mask=self.mask, dropout=dropout)
        return mixed.transpose(1, 2).flatten(0, 1)[: self.tokens].view_as(query)


def near(length: int, reach: int, device: torch.device) -> Tensor:
    """Which tokens of one sequence lie within reach of each other, [length, length]."""
    places = torch.arange(length, device=device)
    return (places[:, None] - places).abs() <= reach
