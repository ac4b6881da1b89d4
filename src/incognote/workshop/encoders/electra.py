"""ELECTRA: Clark et al., 2020. BERT's layers under embeddings of another width, without a pooler."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from incognote.base.errors import ConfigError
from incognote.workshop.encoders.bert import embedding_names, layer_names
from incognote.workshop.encoders.config import EncoderConfig
from incognote.workshop.encoders.encoder import Encoder
from incognote.workshop.encoders.family import (
    TOKEN_HEAD_NAMES,
    TOKEN_HEADS,
    Family,
    Row,
    each_layer,
)
from incognote.workshop.encoders.heads import (
    DenseClassification,
    Head,
    MaskedLanguage,
    ReplacedTokens,
)
from incognote.workshop.encoders.layers import Embeddings, Stack, activation


@dataclass(frozen=True, kw_only=True)
class ElectraConfig(EncoderConfig):
    """The sizes of a generator or a discriminator; the two differ by their heads.

    >>> ElectraConfig().embedding_size
    128
    """

    vocabulary_size: int = 30_522
    hidden_size: int = 256
    layers: int = 12
    heads: int = 4
    feed_forward_size: int = 1024
    embedding_size: int = 128
    positions: int = 512
    segments: int = 2
    activation: str = "gelu"
    dropout: float = 0.1
    attention_dropout: float = 0.1
    classifier_dropout: float | None = None
    norm_epsilon: float = 1e-12
    initializer_range: float = 0.02
    pad_id: int = 0
    summary_dropout: float = 0.1

    KEYS: ClassVar[Mapping[str, str]] = {
        **EncoderConfig.KEYS,
        "embedding_size": "embedding_size",
        "summary_dropout": "summary_last_dropout",
    }
    FIXED: ClassVar[Mapping[str, Any]] = {
        **EncoderConfig.FIXED,
        "summary_type": "first",
        "summary_use_proj": True,
        "summary_activation": "gelu",
    }


_BODY: tuple[Row, ...] = (
    *embedding_names("electra"),
    ("encoder.embeddings.projection", "electra.embeddings_project"),
    *layer_names("electra"),
)

_HEADS: dict[str, tuple[Row, ...]] = {
    **TOKEN_HEAD_NAMES,
    "sequence": (
        ("heads.sequence.dense", "classifier.dense"),
        ("heads.sequence.classifier", "classifier.out_proj"),
    ),
    "choice": (
        ("heads.choice.dense", "sequence_summary.summary"),
        ("heads.choice.classifier", "classifier"),
    ),
    "mlm": (
        ("heads.mlm.bias", "generator_lm_head.bias"),
        ("heads.mlm.dense", "generator_predictions.dense"),
        ("heads.mlm.norm", "generator_predictions.LayerNorm"),
    ),
    "rtd": (
        ("heads.rtd.dense", "discriminator_predictions.dense"),
        ("heads.rtd.classifier", "discriminator_predictions.dense_prediction"),
    ),
}

_ALIASES: dict[str, tuple[Row, ...]] = {
    "mlm": (("encoder.embeddings.words.weight", "generator_lm_head.weight"),),
}


def electra(config: ElectraConfig, pooler: bool) -> Encoder:
    """Embeddings projected where their width differs, and layers that share nothing."""
    if pooler:
        raise ConfigError("ELECTRA has no pooler")
    embeddings = Embeddings(config, projection=config.embedding_size != config.hidden_size)
    stack = Stack(config, [(layer, layer) for layer in range(config.layers)])
    return Encoder(config, embeddings, stack, pooler=False)


def _sequence(config: ElectraConfig, labels: int) -> Head:
    dropout = config.head_dropout
    return DenseClassification(
        config.hidden_size, labels, activation("gelu"), dropout=dropout, inner_dropout=dropout
    )


def _choice(config: ElectraConfig, labels: int) -> Head:
    return DenseClassification(
        config.hidden_size,
        1,
        activation("gelu"),
        dropout=0.0,
        inner_dropout=config.summary_dropout,
    )


ELECTRA = Family(
    name="electra",
    prefix="electra.",
    config=ElectraConfig,
    encoder=electra,
    heads={
        **TOKEN_HEADS,
        "sequence": _sequence,
        "choice": _choice,
        "mlm": lambda c, _: MaskedLanguage(c, activation("gelu"), inner=c.embedding_size),
        "rtd": lambda c, _: ReplacedTokens(c),
    },
    architectures={
        "ElectraModel": (),
        "ElectraForTokenClassification": ("tokens",),
        "ElectraForSequenceClassification": ("sequence",),
        "ElectraForMultipleChoice": ("choice",),
        "ElectraForQuestionAnswering": ("span",),
        "ElectraForMaskedLM": ("mlm",),
        "ElectraForPreTraining": ("rtd",),
    },
    body=_BODY,
    head_names=_HEADS,
    aliases=_ALIASES,
    counts=each_layer,
)
