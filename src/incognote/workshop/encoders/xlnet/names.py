"""XLNet's tensors: our names and Hugging Face's."""

from __future__ import annotations

from incognote.workshop.encoders.family import PIECE_HEAD_NAMES, Row

_OURS, _THEIRS = "encoder.attentions.{layer}.", "transformer.layer.{layer}.rel_attn."

BODY: tuple[Row, ...] = (
    ("encoder.embeddings.words", "transformer.word_embedding"),
    ("encoder.embeddings.target", "transformer.mask_emb"),
    (_OURS + "query", _THEIRS + "q"),
    (_OURS + "key", _THEIRS + "k"),
    (_OURS + "value", _THEIRS + "v"),
    (_OURS + "output", _THEIRS + "o"),
    (_OURS + "distance", _THEIRS + "r"),
    (_OURS + "content_bias", _THEIRS + "r_w_bias"),
    (_OURS + "distance_bias", _THEIRS + "r_r_bias"),
    (_OURS + "segment_bias", _THEIRS + "r_s_bias"),
    (_OURS + "segments", _THEIRS + "seg_embed"),
    (_OURS + "norm", _THEIRS + "layer_norm"),
    ("encoder.feed_forwards.{layer}.up", "transformer.layer.{layer}.ff.layer_1"),
    ("encoder.feed_forwards.{layer}.down", "transformer.layer.{layer}.ff.layer_2"),
    ("encoder.feed_forwards.{layer}.norm", "transformer.layer.{layer}.ff.layer_norm"),
)


def _summary(head: str) -> tuple[Row, ...]:
    return (
        (f"heads.{head}.dense", "sequence_summary.summary"),
        (f"heads.{head}.classifier", "logits_proj"),
    )


HEADS: dict[str, tuple[Row, ...]] = {
    "tokens": PIECE_HEAD_NAMES["tokens"],
    "span": PIECE_HEAD_NAMES["span"],
    "answerable": (
        ("heads.answerable.dense", "answerable.dense"),
        ("heads.answerable.classifier", "answerable.out_proj"),
    ),
    "sequence": _summary("sequence"),
    "choice": _summary("choice"),
    "permutation": (("heads.permutation.bias", "lm_loss.bias"),),
}

ALIASES: dict[str, tuple[Row, ...]] = {
    "permutation": (("encoder.embeddings.words.weight", "lm_loss.weight"),),
}
