"""BERT's configuration; the defaults are BERT-base, uncased."""

from __future__ import annotations

from dataclasses import dataclass

from incognote.workshop.encoders.config import EncoderConfig


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
