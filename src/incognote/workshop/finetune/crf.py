"""A linear-chain CRF over packed sequences, in log space."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor, nn

from incognote.align.decode import Transitions, allowed, may_start
from incognote.align.tags import Labels


class Crf(nn.Module):
    """Scores of label pairs, and of a note's first and last label; what BIO forbids is impossible.

    All begin at 0, where decoding is that without a CRF. A sequence may be a stretch of a note: it
    then neither opens nor closes it, may begin with any label and scores nothing for its edges.
    """

    forbidden: Tensor
    forbidden_start: Tensor

    def __init__(self, labels: Labels) -> None:
        super().__init__()
        count = len(labels.names)
        self.between = nn.Parameter(torch.zeros(count, count))
        self.start = nn.Parameter(torch.zeros(count))
        self.end = nn.Parameter(torch.zeros(count))
        self.register_buffer("forbidden", torch.from_numpy(~allowed(labels)), persistent=False)
        self.register_buffer(
            "forbidden_start", torch.from_numpy(~may_start(labels)), persistent=False
        )

    def forward(
        self,
        scores: Tensor,
        tags: Tensor,
        lengths: Sequence[int],
        opens: Tensor,
        closes: Tensor,
    ) -> Tensor:
        """The negative log-likelihood of each sequence, [sequences].

        scores [pieces, labels] and tags [pieces] are packed; opens and closes are [sequences].
        """
        between = self.between.masked_fill(self.forbidden, -torch.inf)
        start = self.start.masked_fill(self.forbidden_start, -torch.inf)
        sizes = torch.tensor(lengths, device=scores.device)
        padded = _padded(scores, lengths)  # [sequences, longest, labels]
        first = torch.where(opens[:, None], start, 0.0)  # [sequences, labels]
        final = torch.where(closes[:, None], self.end, 0.0)
        gold = self._gold(padded, _padded(tags, lengths), sizes, between, first, final)
        return _log_partition(padded, sizes, between, first, final) - gold

    def transitions(self) -> Transitions:
        """For decoding in numpy."""
        between = self.between.masked_fill(self.forbidden, -torch.inf)
        start = self.start.masked_fill(self.forbidden_start, -torch.inf)
        return Transitions(
            *(part.detach().cpu().numpy().astype(np.float64) for part in (between, start, self.end))
        )

    def _gold(
        self,
        scores: Tensor,
        tags: Tensor,
        sizes: Tensor,
        between: Tensor,
        first: Tensor,
        final: Tensor,
    ) -> Tensor:
        real = torch.arange(scores.shape[1], device=scores.device) < sizes[:, None]
        emitted = scores.gather(2, tags[..., None]).squeeze(2)
        moved = between[tags[:, :-1], tags[:, 1:]]
        last = tags.gather(1, sizes[:, None] - 1)
        return (
            torch.where(real, emitted, 0.0).sum(1)
            + torch.where(real[:, 1:], moved, 0.0).sum(1)
            + first.gather(1, tags[:, :1]).squeeze(1)
            + final.gather(1, last).squeeze(1)
        )


def _padded(packed: Tensor, lengths: Sequence[int]) -> Tensor:
    """[pieces, …] to [sequences, longest, …], 0 where there is nothing."""
    return nn.utils.rnn.pad_sequence(list(torch.split(packed, list(lengths))), batch_first=True)


def _log_partition(
    scores: Tensor, sizes: Tensor, between: Tensor, first: Tensor, final: Tensor
) -> Tensor:
    """The log of the sum over all paths, [sequences]."""
    reached = first + scores[:, 0]
    for place in range(1, scores.shape[1]):
        paths = reached[:, :, None] + between  # [sequences, from, to]
        moved = paths.logsumexp(1) + scores[:, place]
        reached = torch.where((place < sizes)[:, None], moved, reached)
    return (reached + final).logsumexp(1)
