"""ELECTRA's configuration; the defaults are the small discriminator."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from incognote.workshop.encoders.config import EncoderConfig


@dataclass(frozen=True, kw_only=True)
class ElectraConfig(EncoderConfig):
    """The sizes of a generator or a discriminator; the two differ by their heads.

    >>> ElectraConfig().embedding_size
    128
    """

    vocabulary_size: int = 30_522
    hidden_size: int = 256
    layers: int = 12
    heads: int = 4
    feed_forward_size: int = 1024
    embedding_size: int = 128
    positions: int = 512
    segments: int = 2
    activation: str = "gelu"
    dropout: float = 0.1
    attention_dropout: float = 0.1
    classifier_dropout: float | None = None
    norm_epsilon: float = 1e-12
    initializer_range: float = 0.02
    pad_id: int = 0
    summary_dropout: float = 0.1

    KEYS: ClassVar[Mapping[str, str]] = {
        **EncoderConfig.KEYS,
        "embedding_size": "embedding_size",
        "summary_dropout": "summary_last_dropout",
    }
    FIXED: ClassVar[Mapping[str, Any]] = {
        **EncoderConfig.FIXED,
        "summary_type": "first",
        "summary_use_proj": True,
        "summary_activation": "gelu",
    }
