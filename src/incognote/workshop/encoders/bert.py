"""BERT: Devlin et al., 2019. Its configuration, its tensors' names, and how it is built."""

from __future__ import annotations

from dataclasses import dataclass

from incognote.workshop.encoders.config import EncoderConfig
from incognote.workshop.encoders.encoder import Encoder
from incognote.workshop.encoders.family import (
    TOKEN_HEAD_NAMES,
    TOKEN_HEADS,
    Family,
    Row,
    each_layer,
    pooled_head,
)
from incognote.workshop.encoders.heads import Classification, MaskedLanguage
from incognote.workshop.encoders.layers import Embeddings, Stack, activation


@dataclass(frozen=True, kw_only=True)
class BertConfig(EncoderConfig):
    """The sizes of a BERT.

    >>> BertConfig(hidden_size=384, feed_forward_size=1536, layers=6).embedding_size
    384
    """

    vocabulary_size: int = 30_522
    hidden_size: int = 768
    layers: int = 12
    heads: int = 12
    feed_forward_size: int = 3072
    positions: int = 512
    segments: int = 2
    activation: str = "gelu"
    dropout: float = 0.1
    attention_dropout: float = 0.1
    classifier_dropout: float | None = None
    norm_epsilon: float = 1e-12
    initializer_range: float = 0.02
    pad_id: int = 0


def layer_names(prefix: str) -> tuple[Row, ...]:
    """The rows of a layer, which RoBERTa and ELECTRA name as BERT does."""
    theirs = f"{prefix}.encoder.layer.{{layer}}."
    attention = "encoder.stack.attentions.{layer}."
    feed_forward = "encoder.stack.feed_forwards.{layer}."
    return (
        (attention + "query", theirs + "attention.self.query"),
        (attention + "key", theirs + "attention.self.key"),
        (attention + "value", theirs + "attention.self.value"),
        (attention + "output", theirs + "attention.output.dense"),
        (attention + "norm", theirs + "attention.output.LayerNorm"),
        (feed_forward + "up", theirs + "intermediate.dense"),
        (feed_forward + "down", theirs + "output.dense"),
        (feed_forward + "norm", theirs + "output.LayerNorm"),
    )


def embedding_names(prefix: str) -> tuple[Row, ...]:
    """The rows of the embeddings, which all four families name alike."""
    return (
        ("encoder.embeddings.words", f"{prefix}.embeddings.word_embeddings"),
        ("encoder.embeddings.positions", f"{prefix}.embeddings.position_embeddings"),
        ("encoder.embeddings.segments", f"{prefix}.embeddings.token_type_embeddings"),
        ("encoder.embeddings.norm", f"{prefix}.embeddings.LayerNorm"),
    )


_BODY: tuple[Row, ...] = (
    *embedding_names("bert"),
    *layer_names("bert"),
    ("encoder.pooler", "bert.pooler.dense"),
)

_HEADS: dict[str, tuple[Row, ...]] = {
    **TOKEN_HEAD_NAMES,
    "sequence": (("heads.sequence.classifier", "classifier"),),
    "choice": (("heads.choice.classifier", "classifier"),),
    "mlm": (
        ("heads.mlm.bias", "cls.predictions.bias"),
        ("heads.mlm.dense", "cls.predictions.transform.dense"),
        ("heads.mlm.norm", "cls.predictions.transform.LayerNorm"),
    ),
    "nsp": (("heads.nsp.classifier", "cls.seq_relationship"),),
}

_ALIASES: dict[str, tuple[Row, ...]] = {
    "mlm": (
        ("encoder.embeddings.words.weight", "cls.predictions.decoder.weight"),
        ("heads.mlm.bias", "cls.predictions.decoder.bias"),
    ),
}


def bert(config: BertConfig, pooler: bool) -> Encoder:
    """Embeddings as wide as the hidden states, and layers that share nothing."""
    stack = Stack(config, [(layer, layer) for layer in range(config.layers)])
    return Encoder(config, Embeddings(config, projection=False), stack, pooler=pooler)


BERT = Family(
    name="bert",
    prefix="bert.",
    config=BertConfig,
    encoder=bert,
    heads={
        **TOKEN_HEADS,
        "sequence": pooled_head,
        "choice": lambda c, _: pooled_head(c, 1),
        "mlm": lambda c, _: MaskedLanguage(c, activation(c.activation), inner=c.hidden_size),
        "nsp": lambda c, _: Classification(c.hidden_size, 2, of="pooled", dropout=0.0),
    },
    architectures={
        "BertModel": (),
        "BertForTokenClassification": ("tokens",),
        "BertForSequenceClassification": ("sequence",),
        "BertForMultipleChoice": ("choice",),
        "BertForQuestionAnswering": ("span",),
        "BertForMaskedLM": ("mlm",),
        "BertForNextSentencePrediction": ("nsp",),
        "BertForPreTraining": ("mlm", "nsp"),
    },
    body=_BODY,
    head_names=_HEADS,
    aliases=_ALIASES,
    counts=each_layer,
)
