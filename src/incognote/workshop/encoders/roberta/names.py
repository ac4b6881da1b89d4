"""RoBERTa's tensors: our names and Hugging Face's."""

from __future__ import annotations

from incognote.workshop.encoders.bert.names import embedding_names, layer_names
from incognote.workshop.encoders.family import PIECE_HEAD_NAMES, Row

BODY: tuple[Row, ...] = (
    *embedding_names("roberta"),
    *layer_names("roberta"),
    ("encoder.pooler", "roberta.pooler.dense"),
)

HEADS: dict[str, tuple[Row, ...]] = {
    **PIECE_HEAD_NAMES,
    "sequence": (
        ("heads.sequence.dense", "classifier.dense"),
        ("heads.sequence.classifier", "classifier.out_proj"),
    ),
    "choice": (("heads.choice.classifier", "classifier"),),
    "mlm": (
        ("heads.mlm.bias", "lm_head.bias"),
        ("heads.mlm.dense", "lm_head.dense"),
        ("heads.mlm.norm", "lm_head.layer_norm"),
    ),
}

ALIASES: dict[str, tuple[Row, ...]] = {
    "mlm": (
        ("encoder.embeddings.words.weight", "lm_head.decoder.weight"),
        ("heads.mlm.bias", "lm_head.decoder.bias"),
    ),
}
