"""XLNet: from ids to hidden states, in one stream or two."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby

import torch
from torch import Tensor, nn

from incognote.workshop.encoders.encoder import Encoded, check_rows
from incognote.workshop.encoders.errors import ConfigError, InputError
from incognote.workshop.encoders.layers import FeedForward, Packed, Padded, layout_of
from incognote.workshop.encoders.layers.dropout import Dropout
from incognote.workshop.encoders.xlnet.attention import RelativeAttention
from incognote.workshop.encoders.xlnet.config import XlnetConfig
from incognote.workshop.encoders.xlnet.surroundings import (
    Surroundings,
    remembered_pieces,
    surroundings,
)


@dataclass(frozen=True)
class XlnetEncoded(Encoded):
    """`hidden` is of the query stream [batch, targets, hidden size] if there were targets.

    memory: for each layer what it may be given to read next, [batch, pieces, hidden size].
    """

    memory: tuple[Tensor, ...] = ()

    @property
    def last(self) -> Tensor:
        """The hidden state of each sequence's last piece, its <cls>; padding may be on any side."""
        layout = self.layout
        if isinstance(layout, Packed):
            return self.hidden[torch.tensor(layout.lengths, device=layout.device).cumsum(0) - 1]
        mask = layout.mask if isinstance(layout, Padded) else None
        if mask is None:
            return self.hidden[:, -1]
        place = mask.shape[1] - 1 - mask.flip(1).long().argmax(1)
        return self.hidden[torch.arange(len(place), device=place.device), place]


class XlnetFeedForward(FeedForward):
    """With dropout after the activation too."""

    def forward(self, hidden: Tensor) -> Tensor:
        """[*, hidden size] to the same."""
        inner = self.down(self.dropout(self.activation(self.up(hidden))))
        normed: Tensor = self.norm(hidden + self.dropout(inner))
        return normed


class XlnetEmbeddings(nn.Module):
    """Words only; `target` is what a target's query stream begins with."""

    def __init__(self, config: XlnetConfig) -> None:
        super().__init__()
        size = config.hidden_size
        self.words = nn.Embedding(config.vocabulary_size, size)
        self.target = nn.Parameter(torch.empty(1, 1, size).normal_(std=config.initializer_range))


class Xlnet(nn.Module):
    """Words, then layers of relative attention; distances stand in for positions."""

    def __init__(self, config: XlnetConfig, pooler: bool) -> None:
        super().__init__()
        if pooler:
            raise ConfigError("XLNet has no pooler")
        self.config = config
        self.embeddings = XlnetEmbeddings(config)
        self.attentions = nn.ModuleList(RelativeAttention(config) for _ in range(config.layers))
        self.feed_forwards = nn.ModuleList(XlnetFeedForward(config) for _ in range(config.layers))
        self.dropout = Dropout(config.dropout)

    @property
    def words(self) -> Tensor:
        """The word embeddings, [vocabulary, hidden size], to which the language head is tied."""
        return self.embeddings.words.weight

    def forward(
        self,
        ids: Tensor,
        *,
        segments: Tensor | None = None,
        mask: Tensor | None = None,
        lengths: Sequence[int] | None = None,
        states: bool = False,
        perm_mask: Tensor | None = None,
        target_mapping: Tensor | None = None,
        memory: Sequence[Tensor] | None = None,
        remember: bool = False,
        backward: bool = False,
        added: Tensor | None = None,
    ) -> XlnetEncoded:
        """Encode a batch, padded on either side or packed, as `Encoder.forward` does.

        perm_mask [batch, length, length] is 1 or true at [b, i, j] where i must not see j.
        target_mapping [batch, targets, length] is 1 at the piece that a target is to predict,
        unseen. Memory is what an earlier batch gave with `remember`. States are of the content.
        A text given `backward`, last piece first, has its distances so and remembers what follows.
        `added` [*, hidden size] joins the words' embeddings.
        """
        layout = layout_of(ids, mask, lengths)
        check_rows("id", ids, self.config.vocabulary_size)
        if segments is not None and segments.shape != ids.shape:
            raise InputError(
                f"the segments are {list(segments.shape)} but the ids are {list(ids.shape)}"
            )
        if isinstance(layout, Packed):
            more = (perm_mask is not None, target_mapping is not None, memory, remember, backward)
            if any(more):
                raise InputError("permutations, targets and memory need a padded batch")
            kept = self._packed(ids, segments, layout, added)
            return XlnetEncoded(kept[-1], layout, states=tuple(kept) if states else ())
        around = surroundings(
            self.config,
            (ids.shape[0], ids.shape[1]),
            self.words,
            segments=segments,
            mask=layout.mask if isinstance(layout, Padded) else None,
            perm_mask=perm_mask,
            target_mapping=target_mapping,
            remembered=remembered_pieces(memory, self.config, ids.shape[0]),
            backward=backward,
        )
        hidden, kept = self._run(ids, around, memory, added)
        return XlnetEncoded(
            hidden,
            layout,
            states=tuple(kept) if states else (),
            memory=self._remembered(kept[:-1], memory) if remember else (),
        )

    def _run(
        self,
        ids: Tensor,
        around: Surroundings,
        memory: Sequence[Tensor] | None,
        added: Tensor | None,
    ) -> tuple[Tensor, list[Tensor]]:
        """The output [batch, length or targets, hidden size]; the content around every layer."""
        words = self.embeddings.words(ids)
        content = self.dropout(words if added is None else words + added)
        query = None
        if around.target_mapping is not None:
            batch, targets, _ = around.target_mapping.shape
            query = self.dropout(self.embeddings.target.expand(batch, targets, -1))
        around = replace(around, distances=self.dropout(around.distances))
        kept = [content]
        layers = zip(self.attentions, self.feed_forwards, strict=True)
        for number, (attention, feed_forward) in enumerate(layers):
            past = memory[number] if memory else None
            content, query = attention(content, query, past, around)
            content = feed_forward(content)
            query = None if query is None else feed_forward(query)
            kept.append(content)
        return self.dropout(content if query is None else query), kept

    def _packed(
        self, ids: Tensor, segments: Tensor | None, layout: Packed, added: Tensor | None
    ) -> list[Tensor]:
        """Neighbours of one length together; the content around every layer, [pieces, size].

        The last is the output.
        """
        found = []
        start = 0
        for length, run in groupby(layout.lengths):
            shape = (len(list(run)), length)
            part = slice(start, start + shape[0] * length)
            start = part.stop
            around = surroundings(
                self.config,
                shape,
                self.words,
                segments=None if segments is None else segments[part].view(shape),
            )
            more = None if added is None else added[part].view(*shape, -1)
            hidden, kept = self._run(ids[part].view(shape), around, None, more)
            found.append([states.flatten(0, 1) for states in (*kept[:-1], hidden)])
        return [torch.cat(states) for states in zip(*found, strict=True)]

    def _remembered(
        self, kept: Sequence[Tensor], memory: Sequence[Tensor] | None
    ) -> tuple[Tensor, ...]:
        """What each layer read, after what it remembered, without gradients."""
        most, reuse = self.config.memory or 0, self.config.reuse or None
        parts = [states[:, :reuse] for states in kept]
        if memory:
            parts = [torch.cat(pair, dim=1) for pair in zip(memory, parts, strict=True)]
        return tuple(states[:, -most:].detach() for states in parts)
