"""What every head is."""

from __future__ import annotations

from torch import Tensor, nn

from incognote.workshop.encoders.encoder import Encoded


class Head(nn.Module):
    """A module from `Encoded` to logits; `needs_pooler` if it reads the pooled vector."""

    needs_pooler: bool = False

    def forward(self, encoded: Encoded) -> Tensor:
        raise NotImplementedError
