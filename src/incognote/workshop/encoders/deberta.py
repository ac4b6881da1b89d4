"""DeBERTa-v3: He et al., 2021. BERT's layers, whose attention weighs content and distance apart.

A token's score for another is the sum of three: its query at the other's key; its query at the key of
their distance; and the other's key at the query of their distance. Keys and queries of distances come
from one table for all layers, through the matrices that tokens go through too. There are no other
positions. Near distances have a row each; far ones share rows, as many as the logarithm of the distance.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import torch
from torch import Tensor, nn

from incognote.base.errors import ConfigError
from incognote.workshop.encoders.config import ACTIVATIONS, EncoderConfig, is_whole
from incognote.workshop.encoders.dropout import Dropout
from incognote.workshop.encoders.encoder import Encoded, Encoder
from incognote.workshop.encoders.family import (
    TOKEN_HEAD_NAMES,
    TOKEN_HEADS,
    Family,
    Row,
    each_layer,
)
from incognote.workshop.encoders.heads import Classification, Head, MaskedLanguage
from incognote.workshop.encoders.layers import Embeddings, SelfAttention, Stack, activation
from incognote.workshop.encoders.layout import Attending, Layout

_REQUIRED: dict[str, tuple[Any, Any]] = {
    "relative_attention": (True, False),
    "position_biased_input": (False, True),
    "share_att_key": (True, False),
    "norm_rel_ebd": ("layer_norm", "none"),
    "conv_kernel_size": (0, 0),
    "type_vocab_size": (0, 0),
}
"""What every DeBERTa-v3 says in config.json, and what it means there where nothing is said."""
TERMS = 3
"""Of which a score is the sum."""


@dataclass(frozen=True, kw_only=True)
class DebertaConfig(EncoderConfig):
    """The sizes of a DeBERTa-v3; the defaults are DeBERTa-v3-base.

    buckets: rows of distances to either side. farthest: the distance from which on all share the last;
    as many as there are `positions`, if below 1. legacy: the names of the masked-language head in files.

    >>> DebertaConfig().distance_rows
    512
    """

    vocabulary_size: int = 128_100
    hidden_size: int = 768
    layers: int = 12
    heads: int = 12
    feed_forward_size: int = 3072
    positions: int = 512
    segments: int = 1
    activation: str = "gelu"
    dropout: float = 0.1
    attention_dropout: float = 0.1
    classifier_dropout: float | None = None
    norm_epsilon: float = 1e-7
    initializer_range: float = 0.02
    pad_id: int = 0
    buckets: int = 256
    farthest: int | None = -1
    pooler_dropout: float = 0.0
    pooler_activation: str = "gelu"
    legacy: bool = True

    KEYS: ClassVar[Mapping[str, str]] = {
        **{field: key for field, key in EncoderConfig.KEYS.items() if field != "segments"},
        "classifier_dropout": "cls_dropout",
        "buckets": "position_buckets",
        "farthest": "max_relative_positions",
        "pooler_dropout": "pooler_dropout",
        "pooler_activation": "pooler_hidden_act",
        "legacy": "legacy",
    }

    def __post_init__(self) -> None:
        """Check what only DeBERTa has."""
        super().__post_init__()
        if self.segments != 1:
            raise ConfigError(f"DeBERTa-v3 has one segment, not {self.segments}")
        if self.pooler_activation not in ACTIVATIONS:
            raise ConfigError(
                f"pooler_activation must be one of {', '.join(ACTIVATIONS)}, "
                f"not {self.pooler_activation!r}"
            )
        if self.farthest is not None and not is_whole(self.farthest, least=-1):
            raise ConfigError(f"farthest must be a whole number, not {self.farthest!r}")
        if not 2 <= self.buckets < 2 * (self.reach - 1):
            raise ConfigError(
                f"buckets must be from 2 to below twice the farthest distance, not {self.buckets}"
            )
        if not isinstance(self.legacy, bool):
            raise ConfigError(f"legacy must be true or false, not {self.legacy!r}")

    @property
    def reach(self) -> int:
        """The distance from which on all share the last row."""
        return self.farthest if self.farthest is not None and self.farthest > 0 else self.positions

    @property
    def distance_rows(self) -> int:
        """The rows of the table of distances."""
        return 2 * self.buckets

    @classmethod
    def from_huggingface(cls, settings: Mapping[str, Any]) -> Self:
        """Read config.json; one of DeBERTa-v2, which has more parts, is refused."""
        for key, (only, absent) in _REQUIRED.items():
            if settings.get(key, absent) != only:
                raise ConfigError(
                    f"config.json: {key} = {settings.get(key, absent)!r} is not supported, only {only!r}, "
                    "as DeBERTa-v3 has it"
                )
        terms = settings.get("pos_att_type") or []
        terms = terms.lower().split("|") if isinstance(terms, str) else terms
        if {term.strip() for term in terms} != {"p2c", "c2p"}:
            raise ConfigError(f"config.json: pos_att_type = {terms!r} is not supported")
        if settings.get("position_buckets") is None:
            raise ConfigError("config.json: has no position_buckets, as DeBERTa-v3 has")
        if settings.get("embedding_size", settings.get("hidden_size")) != settings.get(
            "hidden_size"
        ):
            raise ConfigError("config.json: an embedding_size of its own is not supported")
        return super().from_huggingface(settings)

    def to_huggingface(self) -> dict[str, Any]:
        """The settings of config.json."""
        required = {key: only for key, (only, _) in _REQUIRED.items()}
        return {
            **super().to_huggingface(),
            **required,
            "pos_att_type": ["p2c", "c2p"],
            "pooler_hidden_size": self.hidden_size,
        }


def bucket_rows(distances: Tensor, config: DebertaConfig) -> Tensor:
    """The row of the table for each distance (query's place less key's), as published."""
    middle = config.buckets // 2
    inside = (distances < middle) & (distances > -middle)
    far = torch.where(inside, middle - 1, distances.abs())
    # In single precision, as all checkpoints were trained.
    steps = torch.log(far / middle) / torch.log(
        torch.tensor((config.reach - 1) / middle, device=distances.device)
    )
    logarithmic = (torch.ceil(steps * (middle - 1)) + middle) * distances.sign()
    numbers = torch.where(far <= middle, distances, logarithmic.long())
    return (numbers + config.buckets).clamp(0, config.distance_rows - 1)


@dataclass(frozen=True, eq=False)
class Distances:
    """The distances of a batch, for all layers.

    rows: [rows, hidden size], of the table, those that occur. numbers: [2 · longest + 1], which of
    them is each distance's, from −longest on.
    """

    rows: Tensor
    numbers: Tensor

    def rising(self, length: int) -> Tensor:
        """The numbers of −length to length − 1."""
        middle = len(self.numbers) // 2
        return self.numbers[middle - length : middle + length]

    def falling(self, length: int) -> Tensor:
        """The numbers of length down to 1 − length."""
        middle = len(self.numbers) // 2
        return self.numbers[middle - length + 1 : middle + length + 1].flip(0)


class DisentangledAttention(SelfAttention):
    """`SelfAttention` with the two terms of distances."""

    def __init__(self, config: DebertaConfig, number: int) -> None:
        super().__init__(config)
        self.config = config
        self.distance_dropout = Dropout(config.dropout)

    def forward(  # type: ignore[override]
        self,
        hidden: Tensor,
        layout: Attending,
        rows: Tensor | None = None,
        *,
        distances: Distances,
    ) -> Tensor:
        """[*, hidden size] to the same; or only of these `rows`, which look at all."""
        rows = hidden if rows is None else rows
        query, key, value = (
            project(states).unflatten(-1, (-1, self.head_size))  # [*, heads, head size]
            for project, states in ((self.query, rows), (self.key, hidden), (self.value, hidden))
        )
        bias = self.bias(distances)
        dropout = self.attention_dropout if self.training else 0.0
        mixed = layout.attend(query / math.sqrt(TERMS), key, value, dropout, bias)
        normed: Tensor = self.norm(rows + self.dropout(self.output(mixed.flatten(-2))))
        return normed

    def flops(self, length: int) -> int:
        """Of one sequence: as without distances, and the keys and queries of distances with all."""
        size = self.output.in_features
        each = torch.arange(-length, length + 1, device="cpu")
        rows = len(set(bucket_rows(each, self.config).tolist()))
        return super().flops(length) + 8 * length**2 * size + 4 * rows * size**2

    def bias(self, distances: Distances) -> DistanceBias:
        """What distances add to the scores of queries that are divided by √3 already."""
        dropped = self.distance_dropout(distances.rows)
        key, query = (
            project(dropped).unflatten(-1, (-1, self.head_size)).transpose(0, 1)
            for project in (self.key, self.query)
        )  # [heads, rows, head size]
        root = math.sqrt(self.head_size)
        return DistanceBias(distances, key / root, query / (root * math.sqrt(TERMS)))


@dataclass(frozen=True, eq=False)
class DistanceBias:
    """Keys and queries of the distances' rows, [heads, rows, head size]."""

    distances: Distances
    key: Tensor
    query: Tensor

    def __call__(self, query: Tensor, key: Tensor, places: Tensor | None) -> Tensor:
        """Queries [batch, heads, queries, head size] and keys to [batch, heads, queries, keys]."""
        length = key.shape[2]
        keys, queries = (
            table[:, numbers].transpose(-1, -2)  # [heads, head size, 2 · length]
            for table, numbers in (
                (self.key, self.distances.falling(length)),
                (self.query, self.distances.rising(length)),
            )
        )
        to_distance, from_distance = query @ keys, key @ queries
        if places is None:
            return _by_key(to_distance) + _by_key(from_distance).transpose(-1, -2)
        apart = places[:, :, None] - torch.arange(
            length, device=key.device
        )  # [batch, queries, keys]
        heads = query.shape[1]
        columns = (length - apart)[:, None].expand(-1, heads, -1, -1)
        rows = (length + apart)[:, None].expand(-1, heads, -1, -1).transpose(-1, -2)
        return to_distance.gather(-1, columns) + from_distance.gather(-1, rows).transpose(-1, -2)


def _by_key(scores: Tensor) -> Tensor:
    """[*, n, 2n], whose column n + j − i of row i is for the token j, to [*, n, n]; nothing is copied."""
    length = scores.shape[-2]
    shifted = scores.flatten(-2)[..., length:]
    return shifted.view(*scores.shape[:-2], length, 2 * length - 1)[..., :length]


class DebertaStack(Stack):
    """Its layers, and the table of distances that they share."""

    any_order = False

    def __init__(self, config: DebertaConfig) -> None:
        order = [(layer, layer) for layer in range(config.layers)]
        super().__init__(config, order, attention=DisentangledAttention)
        self.config = config
        self.distances = nn.Embedding(config.distance_rows, config.hidden_size)
        self.distance_norm = nn.LayerNorm(config.hidden_size, eps=config.norm_epsilon)

    def around(self, hidden: Tensor, layout: Layout) -> Mapping[str, Any]:
        """The rows of the distances that occur."""
        longest = layout.longest
        every = torch.arange(-longest, longest + 1, device=hidden.device)
        rows = bucket_rows(every, self.config)
        # Rows rise with the distance.
        occurring, numbers = torch.unique(rows, return_inverse=True)
        normed = self.distance_norm(self.distances(occurring))
        return {"distances": Distances(normed, numbers)}


def deberta(config: DebertaConfig, pooler: bool) -> Encoder:
    """Words alone for embeddings: positions are in the layers."""
    if pooler:
        raise ConfigError("DeBERTa's pooler is a part of its heads")
    embeddings = Embeddings(config, projection=False, segments=False, positions=False)
    return Encoder(config, embeddings, DebertaStack(config), pooler=False)


class ContextPooler(nn.Module):
    """What a head on the first token does first."""

    def __init__(self, config: DebertaConfig) -> None:
        super().__init__()
        self.dropout = Dropout(config.pooler_dropout)
        self.dense = nn.Linear(config.hidden_size, config.hidden_size)
        self.activation = activation(config.pooler_activation)

    def forward(self, first: Tensor) -> Tensor:
        """[batch, hidden size] to the same."""
        return self.activation(self.dense(self.dropout(first)))


class ReplacedInContext(Head):
    """One logit for every token, high where it was replaced, [*]; beside each stands the first token."""

    def __init__(self, config: DebertaConfig) -> None:
        super().__init__()
        self.activation = activation(config.activation)
        self.norm = nn.LayerNorm(config.hidden_size, eps=config.norm_epsilon)
        self.dense = nn.Linear(config.hidden_size, config.hidden_size)
        self.classifier = nn.Linear(config.hidden_size, 1)

    def forward(self, encoded: Encoded) -> Tensor:
        hidden = encoded.hidden
        first = encoded.first[encoded.layout.sequences().clamp(0)]
        logits: Tensor = self.classifier(self.activation(self.dense(self.norm(first + hidden))))
        return logits.squeeze(-1)


def _pooled(config: DebertaConfig, labels: int) -> Head:
    return Classification(
        config.hidden_size,
        labels,
        of="first",
        dropout=config.head_dropout,
        inner=ContextPooler(config),
    )


def _tokens(config: DebertaConfig, labels: int) -> Head:
    return Classification(config.hidden_size, labels, of="hidden", dropout=config.dropout)


_LAYER = "deberta.encoder.layer.{layer}."
_ATTENTION, _FEED_FORWARD = (
    f"encoder.stack.{part}.{{layer}}." for part in ("attentions", "feed_forwards")
)
_BODY: tuple[Row, ...] = (
    ("encoder.embeddings.words", "deberta.embeddings.word_embeddings"),
    ("encoder.embeddings.norm", "deberta.embeddings.LayerNorm"),
    (_ATTENTION + "query", _LAYER + "attention.self.query_proj"),
    (_ATTENTION + "key", _LAYER + "attention.self.key_proj"),
    (_ATTENTION + "value", _LAYER + "attention.self.value_proj"),
    (_ATTENTION + "output", _LAYER + "attention.output.dense"),
    (_ATTENTION + "norm", _LAYER + "attention.output.LayerNorm"),
    (_FEED_FORWARD + "up", _LAYER + "intermediate.dense"),
    (_FEED_FORWARD + "down", _LAYER + "output.dense"),
    (_FEED_FORWARD + "norm", _LAYER + "output.LayerNorm"),
    ("encoder.stack.distances", "deberta.encoder.rel_embeddings"),
    ("encoder.stack.distance_norm", "deberta.encoder.LayerNorm"),
)
_LEGACY = {
    "bias": "cls.predictions.bias",
    "dense": "cls.predictions.transform.dense",
    "norm": "cls.predictions.transform.LayerNorm",
}
_TODAY = {
    "bias": "lm_predictions.lm_head.bias",
    "dense": "lm_predictions.lm_head.dense",
    "norm": "lm_predictions.lm_head.LayerNorm",
}
"""The masked-language head's names, which the published checkpoints have, though not as `legacy`."""


def _head_names(mlm: Mapping[str, str]) -> dict[str, tuple[Row, ...]]:
    pooled: dict[str, tuple[Row, ...]] = {
        head: (
            (f"heads.{head}.inner.dense", "pooler.dense"),
            (f"heads.{head}.classifier", "classifier"),
        )
        for head in ("sequence", "choice")
    }
    return {
        **TOKEN_HEAD_NAMES,
        **pooled,
        "mlm": tuple((f"heads.mlm.{part}", theirs) for part, theirs in mlm.items()),
        "rtd": (
            ("heads.rtd.norm", "mask_predictions.LayerNorm"),
            ("heads.rtd.dense", "mask_predictions.dense"),
            ("heads.rtd.classifier", "mask_predictions.classifer"),  # as published
        ),
    }


_ALIASES: dict[str, tuple[Row, ...]] = {
    "mlm": (
        ("encoder.embeddings.words.weight", "cls.predictions.decoder.weight"),
        ("heads.mlm.bias", "cls.predictions.decoder.bias"),
    ),
    "rtd": tuple(
        (f"heads.rtd.classifier.{part}", f"mask_predictions.classifier.{part}")
        for part in ("weight", "bias")
    ),
}


def _spelled(family: Family, config: DebertaConfig) -> Family:
    """With the names that this configuration says, read under the others too."""
    written, other = (_LEGACY, _TODAY) if config.legacy else (_TODAY, _LEGACY)
    renames = {other[part]: written[part] for part in written}
    return replace(family, head_names=_head_names(written), renames=renames)


DEBERTA = Family(
    name="deberta-v2",
    prefix="deberta.",
    config=DebertaConfig,
    encoder=deberta,
    heads={
        "tokens": _tokens,
        "span": TOKEN_HEADS["span"],
        "answerable": TOKEN_HEADS["answerable"],
        "sequence": _pooled,
        "choice": lambda c, _: _pooled(c, 1),
        "mlm": lambda c, _: MaskedLanguage(c, activation(c.activation), inner=c.hidden_size),
        "rtd": lambda c, _: ReplacedInContext(c),
    },
    architectures={
        "DebertaV2Model": (),
        "DebertaV2ForTokenClassification": ("tokens",),
        "DebertaV2ForSequenceClassification": ("sequence",),
        "DebertaV2ForMultipleChoice": ("choice",),
        "DebertaV2ForQuestionAnswering": ("span",),
        "DebertaV2ForMaskedLM": ("mlm",),
    },
    body=_BODY,
    head_names=_head_names(_LEGACY),
    aliases=_ALIASES,
    counts=each_layer,
    spelled=_spelled,
    unread=("deberta.embeddings.position_embeddings",),
)
