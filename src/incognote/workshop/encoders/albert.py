"""ALBERT: Lan et al., 2020. Narrow embeddings, and layers that share what the configuration says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import torch
from torch import Tensor

from incognote.base.errors import ConfigError
from incognote.workshop.encoders.bert import embedding_names
from incognote.workshop.encoders.config import EncoderConfig
from incognote.workshop.encoders.encoder import Encoder
from incognote.workshop.encoders.family import (
    TOKEN_HEAD_NAMES,
    TOKEN_HEADS,
    Family,
    Row,
    pooled_head,
)
from incognote.workshop.encoders.heads import MaskedLanguage
from incognote.workshop.encoders.layers import Embeddings, Stack, activation

SHARING = ("all", "attention", "ffn", "none")


@dataclass(frozen=True, kw_only=True)
class AlbertConfig(EncoderConfig):
    """The sizes of an ALBERT, and what its layers share.

    The layers fall into `groups`; `sharing` says what those of a group have in common: all, the
    attention only, the feed-forward only, or nothing. A layer runs `inner_layers` in turn.
    `projection` from the embeddings to the hidden size: where None, only if the sizes differ.

    >>> AlbertConfig(layers=3, sharing="attention").order
    ((0, 0), (0, 1), (0, 2))
    """

    vocabulary_size: int = 30_000
    hidden_size: int = 768
    layers: int = 12
    heads: int = 12
    feed_forward_size: int = 3072
    embedding_size: int = 128
    positions: int = 512
    segments: int = 2
    activation: str = "gelu_new"
    dropout: float = 0.0
    attention_dropout: float = 0.0
    classifier_dropout: float | None = 0.1
    norm_epsilon: float = 1e-12
    initializer_range: float = 0.02
    pad_id: int = 0
    groups: int = 1
    inner_layers: int = 1
    sharing: str = "all"
    projection: bool | None = None

    KEYS: ClassVar[Mapping[str, str]] = {
        **EncoderConfig.KEYS,
        "classifier_dropout": "classifier_dropout_prob",
        "embedding_size": "embedding_size",
        "groups": "num_hidden_groups",
        "inner_layers": "inner_group_num",
    }

    def __post_init__(self) -> None:
        """Check what only ALBERT has."""
        super().__post_init__()
        if self.sharing not in SHARING:
            raise ConfigError(f"sharing must be one of {', '.join(SHARING)}, not {self.sharing!r}")
        if self.groups > self.layers:
            raise ConfigError(f"{self.layers} layers cannot form {self.groups} groups")
        if self.sharing == "none" and self.groups not in (1, self.layers):
            raise ConfigError("sharing nothing leaves no groups: leave groups at 1")
        if self.projection not in (None, True, False):
            raise ConfigError(f"projection must be true or false, not {self.projection!r}")
        if self.projection is False and self.embedding_size != self.hidden_size:
            raise ConfigError("embeddings narrower than the hidden states need a projection")

    @property
    def has_projection(self) -> bool:
        """Whether there is a matrix from the embeddings to the hidden size."""
        if self.projection is None:
            return self.embedding_size != self.hidden_size
        return self.projection

    @property
    def order(self) -> tuple[tuple[int, int], ...]:
        """Which attention and which feed-forward every layer uses, inner layers in turn."""
        return tuple(
            (count["attention"], count["feed_forward"])
            for layer in range(self.layers)
            for count in self._layer(layer)
        )

    @property
    def stored_groups(self) -> int:
        """The groups in which a checkpoint must write the layers, since it knows no other sharing."""
        return self.groups if self.sharing == "all" else self.layers

    def stored_layers(self) -> Iterator[Mapping[str, int]]:
        """Which of our modules each stored group and inner layer is."""
        for group in range(self.stored_groups):
            # The first layer of the group.
            layer = -(-group * self.layers // self.stored_groups)
            yield from self._layer(layer)

    def _layer(self, layer: int) -> Iterator[Mapping[str, int]]:
        # In whole numbers: the papers' int(l / L · G) in floating point misses at some sizes.
        group = layer * self.groups // self.layers
        for inner in range(self.inner_layers):
            shared = group * self.inner_layers + inner
            own = layer * self.inner_layers + inner
            yield {
                "group": group if self.sharing == "all" else layer,
                "inner": inner,
                "attention": shared if self.sharing in ("all", "attention") else own,
                "feed_forward": shared if self.sharing in ("all", "ffn") else own,
            }

    @classmethod
    def from_huggingface(cls, settings: Mapping[str, Any]) -> Self:
        """As others write it, there is always a projection; what only we have is under our name."""
        ours = settings.get("incognote") or {}
        values = {"num_hidden_groups": 1, **settings}
        if "groups" in ours:
            values["num_hidden_groups"] = ours["groups"]
        plain = super().from_huggingface(values)
        fields = {name: getattr(plain, name) for name in cls.KEYS}
        return cls(
            **fields,
            sharing=ours.get("sharing", "all"),
            projection=ours.get("projection", True),
        )

    def to_huggingface(self) -> dict[str, Any]:
        """Settings by which others compute the same; what we share beyond them is under our name."""
        settings = super().to_huggingface()
        settings["num_hidden_groups"] = self.stored_groups
        settings["incognote"] = {
            "groups": self.groups,
            "sharing": self.sharing,
            "projection": self.has_projection,
        }
        return settings


_PROJECTION = "albert.encoder.embedding_hidden_mapping_in"
_LAYER = "albert.encoder.albert_layer_groups.{group}.albert_layers.{inner}."
_ATTENTION = "encoder.stack.attentions.{attention}."
_FEED_FORWARD = "encoder.stack.feed_forwards.{feed_forward}."

_BODY: tuple[Row, ...] = (
    *embedding_names("albert"),
    ("encoder.embeddings.projection", _PROJECTION),
    (_ATTENTION + "query", _LAYER + "attention.query"),
    (_ATTENTION + "key", _LAYER + "attention.key"),
    (_ATTENTION + "value", _LAYER + "attention.value"),
    (_ATTENTION + "output", _LAYER + "attention.dense"),
    (_ATTENTION + "norm", _LAYER + "attention.LayerNorm"),
    (_FEED_FORWARD + "up", _LAYER + "ffn"),
    (_FEED_FORWARD + "down", _LAYER + "ffn_output"),
    (_FEED_FORWARD + "norm", _LAYER + "full_layer_layer_norm"),
    ("encoder.pooler", "albert.pooler"),
)

_HEADS: dict[str, tuple[Row, ...]] = {
    **TOKEN_HEAD_NAMES,
    "sequence": (("heads.sequence.classifier", "classifier"),),
    "choice": (("heads.choice.classifier", "classifier"),),
    "mlm": (
        ("heads.mlm.bias", "predictions.bias"),
        ("heads.mlm.dense", "predictions.dense"),
        ("heads.mlm.norm", "predictions.LayerNorm"),
    ),
    "sop": (("heads.sop.classifier", "sop_classifier.classifier"),),
}

_ALIASES: dict[str, tuple[Row, ...]] = {
    "mlm": (
        ("encoder.embeddings.words.weight", "predictions.decoder.weight"),
        ("heads.mlm.bias", "predictions.decoder.bias"),
    ),
}


def albert(config: AlbertConfig, pooler: bool) -> Encoder:
    """Embeddings of their own width under layers in the configuration's order."""
    embeddings = Embeddings(config, projection=config.has_projection)
    return Encoder(config, embeddings, Stack(config, config.order), pooler=pooler)


def _identity_projection(config: AlbertConfig) -> Mapping[str, Tensor]:
    """Others always project: where we do not, the file has the projection that changes nothing."""
    if config.has_projection:
        return {}
    size = config.hidden_size
    return {f"{_PROJECTION}.weight": torch.eye(size), f"{_PROJECTION}.bias": torch.zeros(size)}


ALBERT = Family(
    name="albert",
    prefix="albert.",
    config=AlbertConfig,
    encoder=albert,
    heads={
        **TOKEN_HEADS,
        "sequence": pooled_head,
        "choice": lambda c, _: pooled_head(c, 1),
        "mlm": lambda c, _: MaskedLanguage(c, activation(c.activation), inner=c.embedding_size),
        "sop": lambda c, _: pooled_head(c, 2),
    },
    architectures={
        "AlbertModel": (),
        "AlbertForTokenClassification": ("tokens",),
        "AlbertForSequenceClassification": ("sequence",),
        "AlbertForMultipleChoice": ("choice",),
        "AlbertForQuestionAnswering": ("span",),
        "AlbertForMaskedLM": ("mlm",),
        "AlbertForPreTraining": ("mlm", "sop"),
    },
    body=_BODY,
    head_names=_HEADS,
    aliases=_ALIASES,
    counts=AlbertConfig.stored_layers,
    constants=_identity_projection,
)
