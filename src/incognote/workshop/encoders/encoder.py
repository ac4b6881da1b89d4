"""From ids to hidden states."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from incognote.base.errors import InputError
from incognote.workshop.encoders.config import EncoderConfig
from incognote.workshop.encoders.layers import Embeddings, Stack
from incognote.workshop.encoders.layout import ActiveTokens, Layout, layout_of, looks_at_values


@dataclass(frozen=True)
class Encoded:
    """What an encoder made of a batch.

    hidden: [batch, length, hidden size], or [tokens, hidden size] of a packed batch; of the
        active tokens, if only these were computed. layout: of what is in `hidden`.
    pooled: [batch, hidden size], if the encoder has a pooler.
    states: the embeddings and the output of every layer, if they were asked for.
    """

    hidden: Tensor
    layout: Layout
    pooled: Tensor | None = None
    states: tuple[Tensor, ...] = ()

    @property
    def first(self) -> Tensor:
        """The hidden state of each sequence's first token, [batch, hidden size]."""
        return self.layout.first(self.hidden)

    @property
    def mean(self) -> Tensor:
        """The mean of each sequence's hidden states, [batch, hidden size]."""
        return self.layout.mean(self.hidden)


class Encoder(nn.Module):
    """Embeddings, a stack of layers and, where wanted, a pooler: all BERT-like families."""

    def __init__(
        self, config: EncoderConfig, embeddings: Embeddings, stack: Stack, *, pooler: bool
    ) -> None:
        super().__init__()
        self.config = config
        self.embeddings = embeddings
        self.stack = stack
        self.pooler = nn.Linear(config.hidden_size, config.hidden_size) if pooler else None

    def forward(
        self,
        ids: Tensor,
        *,
        segments: Tensor | None = None,
        mask: Tensor | None = None,
        lengths: Sequence[int] | None = None,
        states: bool = False,
        added: Tensor | None = None,
        active: ActiveTokens | None = None,
    ) -> Encoded:
        """Encode a padded batch (ids [batch, length], mask true or 1 at real tokens) or a packed one.

        A packed batch has ids [tokens], the sequences end to end, and their lengths. Segments have
        the shape of the ids and are 0 if not given. `added` [*, embedding size] joins the words'
        embeddings: what else is known of each token. Of a packed batch the last layer can be computed
        only for the `active` tokens, the first of each sequence among them.
        """
        layout = layout_of(ids, mask, lengths)
        hidden = self.embedded(ids, layout, segments, added)
        layer_states = [hidden] if states else None
        if active is None:
            hidden = self.stack(hidden, layout, layer_states)
        else:
            if lengths is None or tuple(lengths) != active.lengths or states:
                raise InputError(
                    "active tokens are those of the packed batch they are given with, and have last states only"
                )
            last = len(self.stack.order) - 1
            hidden = self.stack(hidden, layout, layers=last)
            hidden = self.stack.forward_active(hidden, active, begin=last)
            layout = active.layout
        pooled = None
        if self.pooler is not None:
            pooled = torch.tanh(self.pooler(layout.first(hidden)))
        return Encoded(hidden, layout, pooled, tuple(layer_states or ()))

    def embedded(
        self,
        ids: Tensor,
        layout: Layout,
        segments: Tensor | None = None,
        added: Tensor | None = None,
    ) -> Tensor:
        """What the first layer is given, [*, hidden size]."""
        self._check(ids, segments, layout)
        rows: Tensor = self.embeddings(ids, self.positions(ids, layout), segments, added)
        return rows

    @property
    def words(self) -> Tensor:
        """The word embeddings, to which a masked-language head is tied."""
        return self.embeddings.words.weight

    def positions(self, ids: Tensor, layout: Layout) -> Tensor:
        """The row of the position table for each token; a family may count otherwise."""
        return layout.positions()

    def _check(self, ids: Tensor, segments: Tensor | None, layout: Layout) -> None:
        if layout.longest > self.config.longest:
            raise InputError(
                f"a sequence has {layout.longest} tokens but the encoder has positions for "
                f"{self.config.longest}: split it into windows"
            )
        if segments is not None and segments.shape != ids.shape:
            raise InputError(
                f"the segments are {list(segments.shape)} but the ids are {list(ids.shape)}"
            )
        check_rows("id", ids, self.config.vocabulary_size)
        if segments is not None:
            check_rows("segment", segments, self.config.segments)


def check_rows(what: str, values: Tensor, rows: int) -> None:
    """Refuse numbers that are no rows of a table, before an index error does without a name."""
    if not looks_at_values(values):
        return
    if values.is_floating_point() or values.is_complex():
        raise InputError(f"{what}s must be whole numbers, not {values.dtype}")
    least, most = (int(edge) for edge in values.aminmax())
    if least < 0 or most >= rows:
        wrong = least if least < 0 else most
        raise InputError(f"{what} {wrong} is outside the {rows} rows of the encoder's table")
