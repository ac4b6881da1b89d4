"""ELECTRA, composed: BERT's layers under embeddings of another width; no pooler anywhere."""

from __future__ import annotations

from incognote.workshop.encoders.electra.config import ElectraConfig
from incognote.workshop.encoders.electra.names import ALIASES, BODY, HEADS
from incognote.workshop.encoders.encoder import Encoder
from incognote.workshop.encoders.errors import ConfigError
from incognote.workshop.encoders.family import PIECE_HEADS, Family, each_layer
from incognote.workshop.encoders.heads import (
    DenseClassification,
    Head,
    MaskedLanguage,
    ReplacedTokens,
)
from incognote.workshop.encoders.layers import Embeddings, Stack, activation


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
        **PIECE_HEADS,
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
    body=BODY,
    head_names=HEADS,
    aliases=ALIASES,
    counts=each_layer,
)
