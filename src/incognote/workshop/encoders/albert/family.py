"""ALBERT, composed: narrow embeddings, and layers that share what the configuration says."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor

from incognote.workshop.encoders.albert.config import AlbertConfig
from incognote.workshop.encoders.albert.names import ALIASES, BODY, HEADS, PROJECTION
from incognote.workshop.encoders.encoder import Encoder
from incognote.workshop.encoders.family import PIECE_HEADS, Family, pooled_head
from incognote.workshop.encoders.heads import MaskedLanguage
from incognote.workshop.encoders.layers import Embeddings, Stack, activation


def albert(config: AlbertConfig, pooler: bool) -> Encoder:
    """Embeddings of their own width under layers in the configuration's order."""
    embeddings = Embeddings(config, projection=config.has_projection)
    return Encoder(config, embeddings, Stack(config, config.order), pooler=pooler)


def _identity_projection(config: AlbertConfig) -> Mapping[str, Tensor]:
    """Others always project: where we do not, the file has the projection that changes nothing."""
    if config.has_projection:
        return {}
    size = config.hidden_size
    return {f"{PROJECTION}.weight": torch.eye(size), f"{PROJECTION}.bias": torch.zeros(size)}


ALBERT = Family(
    name="albert",
    prefix="albert.",
    config=AlbertConfig,
    encoder=albert,
    heads={
        **PIECE_HEADS,
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
    body=BODY,
    head_names=HEADS,
    aliases=ALIASES,
    counts=AlbertConfig.stored,
    constants=_identity_projection,
)
