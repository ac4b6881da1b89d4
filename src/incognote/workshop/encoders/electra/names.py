"""ELECTRA's tensors: our names and Hugging Face's."""

from __future__ import annotations

from incognote.workshop.encoders.bert.names import embedding_names, layer_names
from incognote.workshop.encoders.family import PIECE_HEAD_NAMES, Row

BODY: tuple[Row, ...] = (
    *embedding_names("electra"),
    ("encoder.embeddings.projection", "electra.embeddings_project"),
    *layer_names("electra"),
)

HEADS: dict[str, tuple[Row, ...]] = {
    **PIECE_HEAD_NAMES,
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

ALIASES: dict[str, tuple[Row, ...]] = {
    "mlm": (("encoder.embeddings.words.weight", "generator_lm_head.weight"),),
}
