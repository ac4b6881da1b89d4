"""DistilBERT: Sanh et al., 2019. Half of BERT's layers, without segments and without a pooler."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from torch.nn import functional

from incognote.base.errors import ConfigError
from incognote.workshop.encoders.config import EncoderConfig
from incognote.workshop.encoders.encoder import Encoder
from incognote.workshop.encoders.family import (
    TOKEN_HEAD_NAMES,
    TOKEN_HEADS,
    Family,
    Row,
    each_layer,
)
from incognote.workshop.encoders.heads import DenseClassification, Head, MaskedLanguage, Span
from incognote.workshop.encoders.layers import Embeddings, SelfAttention, Stack, activation

_EPSILON = 1e-12
_UNNAMED = ("segments", "norm_epsilon", "classifier_dropout")
"""What its config.json has no key for, because it is the same in every DistilBERT."""


@dataclass(frozen=True, kw_only=True)
class DistilbertConfig(EncoderConfig):
    """The sizes of a DistilBERT; the defaults are DistilBERT-base, uncased.

    >>> DistilbertConfig().layers
    6
    """

    vocabulary_size: int = 30_522
    hidden_size: int = 768
    layers: int = 6
    heads: int = 12
    feed_forward_size: int = 3072
    positions: int = 512
    segments: int = 1
    activation: str = "gelu"
    dropout: float = 0.1
    attention_dropout: float = 0.1
    classifier_dropout: float | None = None
    norm_epsilon: float = _EPSILON
    initializer_range: float = 0.02
    pad_id: int = 0
    sequence_dropout: float = 0.2
    answer_dropout: float = 0.1

    KEYS: ClassVar[Mapping[str, str]] = {
        **{field: key for field, key in EncoderConfig.KEYS.items() if field not in _UNNAMED},
        "hidden_size": "dim",
        "layers": "n_layers",
        "heads": "n_heads",
        "feed_forward_size": "hidden_dim",
        "activation": "activation",
        "dropout": "dropout",
        "attention_dropout": "attention_dropout",
        "sequence_dropout": "seq_classif_dropout",
        "answer_dropout": "qa_dropout",
    }

    def __post_init__(self) -> None:
        """Refuse what no checkpoint could say."""
        super().__post_init__()
        if (self.segments, self.norm_epsilon, self.classifier_dropout) != (1, _EPSILON, None):
            raise ConfigError(
                f"DistilBERT has one segment, a norm_epsilon of {_EPSILON} and no classifier_dropout"
            )


def distilbert(config: DistilbertConfig, pooler: bool) -> Encoder:
    """BERT's layers, but for the dropout after attention, which it does without."""
    if pooler:
        raise ConfigError("DistilBERT has no pooler")
    stack = Stack(config, [(layer, layer) for layer in range(config.layers)])
    for attention in stack.attentions:
        assert isinstance(attention, SelfAttention)
        attention.dropout.p = 0.0
    return Encoder(
        config, Embeddings(config, projection=False, segments=False), stack, pooler=False
    )


def _first_token(config: DistilbertConfig, labels: int) -> Head:
    return DenseClassification(
        config.hidden_size,
        labels,
        functional.relu,
        dropout=0.0,
        inner_dropout=config.sequence_dropout,
    )


_OURS = "encoder.stack.{part}.{{layer}}."
_ATTENTION, _FEED_FORWARD = (_OURS.format(part=part) for part in ("attentions", "feed_forwards"))
_LAYER = "distilbert.transformer.layer.{layer}."
_BODY: tuple[Row, ...] = (
    ("encoder.embeddings.words", "distilbert.embeddings.word_embeddings"),
    ("encoder.embeddings.positions", "distilbert.embeddings.position_embeddings"),
    ("encoder.embeddings.norm", "distilbert.embeddings.LayerNorm"),
    (_ATTENTION + "query", _LAYER + "attention.q_lin"),
    (_ATTENTION + "key", _LAYER + "attention.k_lin"),
    (_ATTENTION + "value", _LAYER + "attention.v_lin"),
    (_ATTENTION + "output", _LAYER + "attention.out_lin"),
    (_ATTENTION + "norm", _LAYER + "sa_layer_norm"),
    (_FEED_FORWARD + "up", _LAYER + "ffn.lin1"),
    (_FEED_FORWARD + "down", _LAYER + "ffn.lin2"),
    (_FEED_FORWARD + "norm", _LAYER + "output_layer_norm"),
)
_HEADS: dict[str, tuple[Row, ...]] = {
    **TOKEN_HEAD_NAMES,
    **{
        head: (
            (f"heads.{head}.dense", "pre_classifier"),
            (f"heads.{head}.classifier", "classifier"),
        )
        for head in ("sequence", "choice")
    },
    "mlm": (
        ("heads.mlm.bias", "vocab_projector.bias"),
        ("heads.mlm.dense", "vocab_transform"),
        ("heads.mlm.norm", "vocab_layer_norm"),
    ),
}

DISTILBERT = Family(
    name="distilbert",
    prefix="distilbert.",
    config=DistilbertConfig,
    encoder=distilbert,
    heads={
        **TOKEN_HEADS,
        "span": lambda c, _: Span(c.hidden_size, dropout=c.answer_dropout),
        "sequence": _first_token,
        "choice": lambda c, _: _first_token(c, 1),
        "mlm": lambda c, _: MaskedLanguage(c, activation(c.activation), inner=c.hidden_size),
    },
    architectures={
        "DistilBertModel": (),
        "DistilBertForTokenClassification": ("tokens",),
        "DistilBertForSequenceClassification": ("sequence",),
        "DistilBertForMultipleChoice": ("choice",),
        "DistilBertForQuestionAnswering": ("span",),
        "DistilBertForMaskedLM": ("mlm",),
    },
    body=_BODY,
    head_names=_HEADS,
    aliases={"mlm": (("encoder.embeddings.words.weight", "vocab_projector.weight"),)},
    counts=each_layer,
)
