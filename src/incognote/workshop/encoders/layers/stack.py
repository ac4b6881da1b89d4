"""Layers in order, where one module may serve several layers."""

from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor, nn

from incognote.workshop.encoders.config import EncoderConfig
from incognote.workshop.encoders.layers.attention import SelfAttention
from incognote.workshop.encoders.layers.feed_forward import FeedForward
from incognote.workshop.encoders.layers.layout import Layout


class Stack(nn.Module):
    """`order` names, for each layer, which attention and which feed-forward it uses.

    BERT's order is (0, 0), (1, 1), …; a fully shared ALBERT's is (0, 0) for every layer.
    """

    def __init__(self, config: EncoderConfig, order: Sequence[tuple[int, int]]) -> None:
        super().__init__()
        self.order = tuple(order)
        attentions = 1 + max(attention for attention, _ in self.order)
        feed_forwards = 1 + max(feed_forward for _, feed_forward in self.order)
        self.attentions = nn.ModuleList(SelfAttention(config) for _ in range(attentions))
        self.feed_forwards = nn.ModuleList(FeedForward(config) for _ in range(feed_forwards))

    def forward(
        self,
        hidden: Tensor,
        layout: Layout,
        states: list[Tensor] | None = None,
        *,
        layers: int | None = None,
    ) -> Tensor:
        """[*, hidden size] to the same; the output of every layer is added to `states`.

        Only the first `layers` are run, if they are given.
        """
        for attention, feed_forward in self.order[:layers]:
            hidden = self.attentions[attention](hidden, layout)
            hidden = self.feed_forwards[feed_forward](hidden)
            if states is not None:
                states.append(hidden)
        return hidden
