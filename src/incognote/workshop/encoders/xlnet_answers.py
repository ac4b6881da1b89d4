"""The head of XLNetForQuestionAnswering: an end is scored for each likely start, and whether there is an answer.

Unlike the head `span`, which scores starts and ends apart, it needs a search: `beams`.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from incognote.workshop.encoders.config import EncoderConfig
from incognote.workshop.encoders.encoder import Encoded
from incognote.workshop.encoders.heads import Head
from incognote.workshop.encoders.layout import Padded

IMPOSSIBLE = 1e30
"""What is taken from the logit of a token that can be in no answer."""


@dataclass(frozen=True)
class Beams:
    """The likeliest starts [batch, starts] and ends [batch, ends, starts] with their probabilities.

    answer: the logit that there is none, [batch].
    """

    start_shares: Tensor
    starts: Tensor
    end_shares: Tensor
    ends: Tensor
    answer: Tensor


class EndLogits(nn.Module):
    """Scores every token as the end of an answer that begins at a given one."""

    def __init__(self, config: EncoderConfig) -> None:
        super().__init__()
        self.inner = nn.Linear(2 * config.hidden_size, config.hidden_size)
        self.norm = nn.LayerNorm(config.hidden_size, eps=config.norm_epsilon)
        self.outer = nn.Linear(config.hidden_size, 1)

    def forward(self, hidden: Tensor, start: Tensor) -> Tensor:
        """Two of [*, hidden size] to [*]."""
        inner = self.norm(torch.tanh(self.inner(torch.cat([hidden, start], dim=-1))))
        logits: Tensor = self.outer(inner).squeeze(-1)
        return logits


class AnswerClass(nn.Module):
    """Scores that there is no answer, from <cls> and where one would begin."""

    def __init__(self, config: EncoderConfig) -> None:
        super().__init__()
        self.inner = nn.Linear(2 * config.hidden_size, config.hidden_size)
        self.outer = nn.Linear(config.hidden_size, 1, bias=False)

    def forward(self, start: Tensor, last: Tensor) -> Tensor:
        """Two of [batch, hidden size] to [batch]."""
        inner = torch.tanh(self.inner(torch.cat([start, last], dim=-1)))
        logits: Tensor = self.outer(inner).squeeze(-1)
        return logits


class BeamSpan(Head):
    """Logits of every token as a start [*]; ends and answers are those of `beams`."""

    def __init__(self, config: EncoderConfig, *, starts: int, ends: int) -> None:
        super().__init__()
        self.tops = (starts, ends)
        self.start = nn.Linear(config.hidden_size, 1)
        self.end = EndLogits(config)
        self.answer = AnswerClass(config)

    def forward(self, encoded: Encoded) -> Tensor:
        logits: Tensor = self.start(encoded.hidden).squeeze(-1)
        return logits

    def beams(
        self, encoded: Encoded, *, impossible: Tensor | None = None, cls: Tensor | None = None
    ) -> Beams:
        """The search over a padded batch: some starts, and some ends of each.

        impossible: [batch, length], 1 at tokens that are in no answer (question, special, padding).
        cls: the place of <cls> in each sequence, [batch]; the last token by default.
        """
        if not isinstance(encoded.layout, Padded):
            raise TypeError("answers are searched for in a padded batch")
        hidden = encoded.hidden
        start_top, end_top = (min(top, hidden.shape[1]) for top in self.tops)
        shares = _possible(self(encoded), impossible).softmax(-1)
        start_shares, starts = shares.topk(start_top, dim=-1)
        rows = torch.arange(len(hidden), device=hidden.device)
        begun = hidden[rows[:, None], starts]  # [batch, starts, hidden size]
        each = (-1, hidden.shape[1], start_top, -1)
        ends = self.end(hidden.unsqueeze(2).expand(each), begun.unsqueeze(1).expand(each))
        ends = _possible(ends, None if impossible is None else impossible.unsqueeze(-1))
        end_shares, end_places = ends.softmax(1).topk(end_top, dim=1)
        mean = torch.einsum("blh,bl->bh", hidden, shares)
        last = hidden[:, -1] if cls is None else hidden[rows, cls]
        return Beams(start_shares, starts, end_shares, end_places, self.answer(mean, last))


def _possible(logits: Tensor, impossible: Tensor | None) -> Tensor:
    if impossible is None:
        return logits
    flags = impossible.to(logits.dtype)
    return logits * (1 - flags) - IMPOSSIBLE * flags
