"""BERT's tensors: our names and Hugging Face's."""

from __future__ import annotations

from incognote.workshop.encoders.family import PIECE_HEAD_NAMES, Row


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


BODY: tuple[Row, ...] = (
    *embedding_names("bert"),
    *layer_names("bert"),
    ("encoder.pooler", "bert.pooler.dense"),
)

HEADS: dict[str, tuple[Row, ...]] = {
    **PIECE_HEAD_NAMES,
    "sequence": (("heads.sequence.classifier", "classifier"),),
    "choice": (("heads.choice.classifier", "classifier"),),
    "mlm": (
        ("heads.mlm.bias", "cls.predictions.bias"),
        ("heads.mlm.dense", "cls.predictions.transform.dense"),
        ("heads.mlm.norm", "cls.predictions.transform.LayerNorm"),
    ),
    "nsp": (("heads.nsp.classifier", "cls.seq_relationship"),),
}

ALIASES: dict[str, tuple[Row, ...]] = {
    "mlm": (
        ("encoder.embeddings.words.weight", "cls.predictions.decoder.weight"),
        ("heads.mlm.bias", "cls.predictions.decoder.bias"),
    ),
}
