"""Less work for the same answer: pieces that are surely no identifiers are read no further.

After some layers a small network tells how doubtful each piece is. Doubtful ones go on through all
layers; the others are settled. They stay as they are, for the doubtful to look at, and are given to
the CRF as what they surely are. Most pieces of a note are, so most of the later layers' work is saved.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn.functional import binary_cross_entropy_with_logits

WIDTH = 64
CERTAIN = 16.0
"""The score of O, above that of all others, where a piece is just settled; more where it is surer."""

MISSED = 50.0
"""How much worse it is to settle a piece of an identifier than to read on in vain."""

SHARE = 0.1
"""Of the loss of settling in that of a run."""


class Settling(nn.Module):
    """Doubt of every piece after `after` layers: above 0, it is read on."""

    def __init__(self, size: int, after: int) -> None:
        super().__init__()
        self.after = after
        self.inner = nn.Linear(size, WIDTH)
        self.outer = nn.Linear(WIDTH, 1)
        nn.init.ones_(self.outer.bias)  # at first, nearly all is read on

    def forward(self, hidden: Tensor) -> Tensor:
        """[pieces, size] to [pieces]."""
        doubts: Tensor = self.outer(torch.relu(self.inner(hidden)))[:, 0]
        return doubts

    def loss(self, doubts: Tensor, identifying: Tensor) -> Tensor:
        """Of doubts where the truth [pieces] is known, summed."""
        wanted = identifying.to(doubts.dtype)
        missed = doubts.new_tensor(MISSED)
        lost = binary_cross_entropy_with_logits(doubts, wanted, pos_weight=missed, reduction="sum")
        return SHARE * lost
