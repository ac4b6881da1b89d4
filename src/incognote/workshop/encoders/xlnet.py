"""XLNet: Yang et al., 2019. From ids to hidden states, in one stream or two."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from incognote.base.errors import ConfigError, InputError
from incognote.workshop.encoders.config import EncoderConfig, is_whole
from incognote.workshop.encoders.dropout import Dropout
from incognote.workshop.encoders.encoder import Encoded, check_rows
from incognote.workshop.encoders.family import (
    TOKEN_HEAD_NAMES,
    TOKEN_HEADS,
    Family,
    Row,
    each_layer,
)
from incognote.workshop.encoders.heads import Head, PermutationLanguage
from incognote.workshop.encoders.layers import FeedForward
from incognote.workshop.encoders.layout import Packed, Padded, layout_of
from incognote.workshop.encoders.xlnet_answers import BeamSpan
from incognote.workshop.encoders.xlnet_attention import (
    RelativeAttention,
    Surroundings,
    remembered_tokens,
    surroundings,
)


@dataclass(frozen=True, kw_only=True)
class XlnetConfig(EncoderConfig):
    """The sizes of an XLNet. Positions are relative and have no table, so no text is too long.

    memory: how many earlier tokens are remembered; all, if None. reuse: how many of the tokens at
    the start of a batch may be remembered; all, if None. clamp: greater distances count as this
    one; none is too great if it is not above 0. start_top, end_top: how many starts of an answer are
    followed up, and ends of each (the head `beams`).

    >>> XlnetConfig(layers=24, hidden_size=1024, heads=16, feed_forward_size=4096).head_dropout
    0.0
    """

    vocabulary_size: int = 32_000
    hidden_size: int = 768
    layers: int = 12
    heads: int = 12
    feed_forward_size: int = 3072
    positions: int = 512
    segments: int = 4
    activation: str = "gelu"
    dropout: float = 0.1
    attention_dropout: float = 0.1
    classifier_dropout: float | None = 0.0
    norm_epsilon: float = 1e-12
    initializer_range: float = 0.02
    pad_id: int = 5
    summary_dropout: float = 0.1
    memory: int | None = None
    reuse: int | None = None
    clamp: int | None = -1
    start_top: int = 5
    end_top: int = 5

    KEYS: ClassVar[Mapping[str, str]] = {
        "vocabulary_size": "vocab_size",
        "hidden_size": "d_model",
        "layers": "n_layer",
        "heads": "n_head",
        "feed_forward_size": "d_inner",
        "activation": "ff_activation",
        "dropout": "dropout",
        "norm_epsilon": "layer_norm_eps",
        "initializer_range": "initializer_range",
        "pad_id": "pad_token_id",
        "summary_dropout": "summary_last_dropout",
        "memory": "mem_len",
        "reuse": "reuse_len",
        "clamp": "clamp_len",
        "start_top": "start_n_top",
        "end_top": "end_n_top",
    }
    FIXED: ClassVar[Mapping[str, Any]] = {
        "attn_type": "bi",
        "bi_data": False,
        "same_length": False,
        "untie_r": True,
        "summary_type": "last",
        "summary_use_proj": True,
        "summary_activation": "tanh",
        "tie_word_embeddings": True,
    }

    def __post_init__(self) -> None:
        """Refuse sizes that the sinusoids and the checkpoint's layout cannot have."""
        super().__post_init__()
        if self.hidden_size % 2:
            raise ConfigError(f"hidden_size must be even, not {self.hidden_size}")
        for name in ("start_top", "end_top"):
            if not is_whole(getattr(self, name), least=1):
                raise ConfigError(f"{name} must be a whole number above 0")
        for name in ("memory", "reuse"):
            value = getattr(self, name)
            if value is not None and not is_whole(value, least=0):
                raise ConfigError(f"{name} must be a whole number from 0 on, not {value!r}")
        if self.clamp is not None and not is_whole(self.clamp, least=-1):
            raise ConfigError(f"clamp must be a whole number, -1 for none, not {self.clamp!r}")

    @property
    def longest(self) -> int:
        """Relative positions know no end; `positions` is only the length it was trained on."""
        return sys.maxsize


@dataclass(frozen=True)
class XlnetEncoded(Encoded):
    """`hidden` is of the query stream [batch, targets, hidden size] if there were targets.

    memory: for each layer what it may be given to read next, [batch, tokens, hidden size].
    """

    memory: tuple[Tensor, ...] = ()

    @property
    def last(self) -> Tensor:
        """The hidden state of each sequence's last token, its <cls>; padding may be on any side."""
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
        target_mapping [batch, targets, length] is 1 at the token that a target is to predict,
        unseen. Memory is what an earlier batch gave with `remember`. States are of the content.
        A text given `backward`, last token first, has its distances so and remembers what follows.
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
            states_by_layer = self._packed(ids, segments, layout, added)
            return XlnetEncoded(
                states_by_layer[-1], layout, states=tuple(states_by_layer) if states else ()
            )
        around = surroundings(
            (ids.shape[0], ids.shape[1]),
            self.words,
            segments=segments,
            mask=layout.mask if isinstance(layout, Padded) else None,
            perm_mask=perm_mask,
            target_mapping=target_mapping,
            remembered=remembered_tokens(memory, self.config, ids.shape[0]),
            clamp=self.config.clamp,
            backward=backward,
        )
        hidden, states_by_layer = self._run(ids, around, memory, added)
        return XlnetEncoded(
            hidden,
            layout,
            states=tuple(states_by_layer) if states else (),
            memory=self._remembered(states_by_layer[:-1], memory) if remember else (),
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
        states_by_layer = [content]
        layers = zip(self.attentions, self.feed_forwards, strict=True)
        for number, (attention, feed_forward) in enumerate(layers):
            past = memory[number] if memory else None
            content, query = attention(content, query, past, around)
            content = feed_forward(content)
            query = None if query is None else feed_forward(query)
            states_by_layer.append(content)
        return self.dropout(content if query is None else query), states_by_layer

    def _packed(
        self, ids: Tensor, segments: Tensor | None, layout: Packed, added: Tensor | None
    ) -> list[Tensor]:
        """Neighbours of one length together; the content around every layer, [tokens, size].

        The last is the output.
        """
        runs = []
        start = 0
        for length, run in groupby(layout.lengths):
            shape = (len(list(run)), length)
            part = slice(start, start + shape[0] * length)
            start = part.stop
            around = surroundings(
                shape,
                self.words,
                segments=None if segments is None else segments[part].view(shape),
                clamp=self.config.clamp,
            )
            more = None if added is None else added[part].view(*shape, -1)
            hidden, states_by_layer = self._run(ids[part].view(shape), around, None, more)
            runs.append([states.flatten(0, 1) for states in (*states_by_layer[:-1], hidden)])
        return [torch.cat(states) for states in zip(*runs, strict=True)]

    def _remembered(
        self, states_by_layer: Sequence[Tensor], memory: Sequence[Tensor] | None
    ) -> tuple[Tensor, ...]:
        """What each layer read, after what it remembered, without gradients."""
        most, reuse = self.config.memory or 0, self.config.reuse or None
        parts = [states[:, :reuse] for states in states_by_layer]
        if memory:
            parts = [torch.cat(pair, dim=1) for pair in zip(memory, parts, strict=True)]
        return tuple(states[:, -most:].detach() for states in parts)


class LastClassification(Head):
    """Logits of the last token, <cls>, through a layer of the head's own: [batch, labels]."""

    def __init__(self, config: XlnetConfig, labels: int) -> None:
        super().__init__()
        self.dense = nn.Linear(config.hidden_size, config.hidden_size)
        self.dropout = Dropout(config.summary_dropout)
        self.classifier = nn.Linear(config.hidden_size, labels)

    def forward(self, encoded: Encoded) -> Tensor:
        if not isinstance(encoded, XlnetEncoded):
            raise TypeError("this head reads what an XLNet encoded")
        inner = torch.tanh(self.dense(encoded.last))
        logits: Tensor = self.classifier(self.dropout(inner))
        return logits


_OURS, _THEIRS = "encoder.attentions.{layer}.", "transformer.layer.{layer}.rel_attn."

_BODY: tuple[Row, ...] = (
    ("encoder.embeddings.words", "transformer.word_embedding"),
    ("encoder.embeddings.target", "transformer.mask_emb"),
    (_OURS + "query", _THEIRS + "q"),
    (_OURS + "key", _THEIRS + "k"),
    (_OURS + "value", _THEIRS + "v"),
    (_OURS + "output", _THEIRS + "o"),
    (_OURS + "distance", _THEIRS + "r"),
    (_OURS + "content_bias", _THEIRS + "r_w_bias"),
    (_OURS + "distance_bias", _THEIRS + "r_r_bias"),
    (_OURS + "segment_bias", _THEIRS + "r_s_bias"),
    (_OURS + "segments", _THEIRS + "seg_embed"),
    (_OURS + "norm", _THEIRS + "layer_norm"),
    ("encoder.feed_forwards.{layer}.up", "transformer.layer.{layer}.ff.layer_1"),
    ("encoder.feed_forwards.{layer}.down", "transformer.layer.{layer}.ff.layer_2"),
    ("encoder.feed_forwards.{layer}.norm", "transformer.layer.{layer}.ff.layer_norm"),
)


def _summary(head: str) -> tuple[Row, ...]:
    return (
        (f"heads.{head}.dense", "sequence_summary.summary"),
        (f"heads.{head}.classifier", "logits_proj"),
    )


_HEADS: dict[str, tuple[Row, ...]] = {
    "tokens": TOKEN_HEAD_NAMES["tokens"],
    "span": TOKEN_HEAD_NAMES["span"],
    "beams": (
        ("heads.beams.start", "start_logits.dense"),
        ("heads.beams.end.inner", "end_logits.dense_0"),
        ("heads.beams.end.norm", "end_logits.LayerNorm"),
        ("heads.beams.end.outer", "end_logits.dense_1"),
        ("heads.beams.answer.inner", "answer_class.dense_0"),
        ("heads.beams.answer.outer", "answer_class.dense_1"),
    ),
    "answerable": (
        ("heads.answerable.dense", "answerable.dense"),
        ("heads.answerable.classifier", "answerable.out_proj"),
    ),
    "sequence": _summary("sequence"),
    "choice": _summary("choice"),
    "permutation": (("heads.permutation.bias", "lm_loss.bias"),),
}

_ALIASES: dict[str, tuple[Row, ...]] = {
    "permutation": (("encoder.embeddings.words.weight", "lm_loss.weight"),),
}


XLNET = Family(
    name="xlnet",
    prefix="transformer.",
    config=XlnetConfig,
    encoder=Xlnet,
    heads={
        "tokens": TOKEN_HEADS["tokens"],
        "span": TOKEN_HEADS["span"],
        "beams": lambda c, _: BeamSpan(c, starts=c.start_top, ends=c.end_top),
        "answerable": lambda c, _: LastClassification(c, 2),
        "sequence": LastClassification,
        "choice": lambda c, _: LastClassification(c, 1),
        "permutation": lambda c, _: PermutationLanguage(c),
    },
    architectures={
        "XLNetModel": (),
        "XLNetForTokenClassification": ("tokens",),
        "XLNetForSequenceClassification": ("sequence",),
        "XLNetForMultipleChoice": ("choice",),
        "XLNetForQuestionAnsweringSimple": ("span",),
        "XLNetForQuestionAnswering": ("beams",),
        "XLNetLMHeadModel": ("permutation",),
    },
    body=_BODY,
    head_names=_HEADS,
    aliases=_ALIASES,
    counts=each_layer,
)
