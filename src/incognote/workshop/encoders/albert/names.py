"""ALBERT's tensors: our names and Hugging Face's."""

from __future__ import annotations

from incognote.workshop.encoders.bert.names import embedding_names
from incognote.workshop.encoders.family import PIECE_HEAD_NAMES, Row

PROJECTION = "albert.encoder.embedding_hidden_mapping_in"
_LAYER = "albert.encoder.albert_layer_groups.{group}.albert_layers.{inner}."
_ATTENTION = "encoder.stack.attentions.{attention}."
_FEED_FORWARD = "encoder.stack.feed_forwards.{feed_forward}."

BODY: tuple[Row, ...] = (
    *embedding_names("albert"),
    ("encoder.embeddings.projection", PROJECTION),
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

HEADS: dict[str, tuple[Row, ...]] = {
    **PIECE_HEAD_NAMES,
    "sequence": (("heads.sequence.classifier", "classifier"),),
    "choice": (("heads.choice.classifier", "classifier"),),
    "mlm": (
        ("heads.mlm.bias", "predictions.bias"),
        ("heads.mlm.dense", "predictions.dense"),
        ("heads.mlm.norm", "predictions.LayerNorm"),
    ),
    "sop": (("heads.sop.classifier", "sop_classifier.classifier"),),
}

ALIASES: dict[str, tuple[Row, ...]] = {
    "mlm": (
        ("encoder.embeddings.words.weight", "predictions.decoder.weight"),
        ("heads.mlm.bias", "predictions.decoder.bias"),
    ),
}
