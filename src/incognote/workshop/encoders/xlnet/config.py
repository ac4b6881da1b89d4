"""XLNet's configuration; the defaults are XLNet-base, cased."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from incognote.workshop.encoders.config import EncoderConfig, is_whole
from incognote.workshop.encoders.errors import ConfigError


@dataclass(frozen=True, kw_only=True)
class XlnetConfig(EncoderConfig):
    """The sizes of an XLNet. Positions are relative and have no table, so no text is too long.

    memory: how many earlier pieces are remembered; all, if None. reuse: how many of the pieces at
    the start of a batch may be remembered; all, if None. clamp: greater distances count as this
    one; none is too great if it is not above 0.

    >>> XlnetConfig(layers=24, hidden_size=1024, heads=16, feed_forward_size=4096).head_dropout
    0.0
    """

    vocabulary_size: int = 32_000
    hidden_size: int = 768
    layers: int = 12
    heads: int = 12
    feed_forward_size: int = 3072
    positions: int = 512
    segments: int = 4
    activation: str = "gelu"
    dropout: float = 0.1
    attention_dropout: float = 0.1
    classifier_dropout: float | None = 0.0
    norm_epsilon: float = 1e-12
    initializer_range: float = 0.02
    pad_id: int = 5
    summary_dropout: float = 0.1
    memory: int | None = None
    reuse: int | None = None
    clamp: int | None = -1

    KEYS: ClassVar[Mapping[str, str]] = {
        "vocabulary_size": "vocab_size",
        "hidden_size": "d_model",
        "layers": "n_layer",
        "heads": "n_head",
        "feed_forward_size": "d_inner",
        "activation": "ff_activation",
        "dropout": "dropout",
        "norm_epsilon": "layer_norm_eps",
        "initializer_range": "initializer_range",
        "pad_id": "pad_token_id",
        "summary_dropout": "summary_last_dropout",
        "memory": "mem_len",
        "reuse": "reuse_len",
        "clamp": "clamp_len",
    }
    FIXED: ClassVar[Mapping[str, Any]] = {
        "attn_type": "bi",
        "bi_data": False,
        "same_length": False,
        "untie_r": True,
        "summary_type": "last",
        "summary_use_proj": True,
        "summary_activation": "tanh",
        "tie_word_embeddings": True,
    }

    def __post_init__(self) -> None:
        """Refuse sizes that the sinusoids and the checkpoint's layout cannot have."""
        super().__post_init__()
        if self.hidden_size % 2:
            raise ConfigError(f"hidden_size must be even, not {self.hidden_size}")
        for name in ("memory", "reuse"):
            value = getattr(self, name)
            if value is not None and not is_whole(value, least=0):
                raise ConfigError(f"{name} must be a whole number from 0 on, not {value!r}")
        if self.clamp is not None and not is_whole(self.clamp, least=-1):
            raise ConfigError(f"clamp must be a whole number, -1 for none, not {self.clamp!r}")

    @property
    def longest(self) -> int:
        """Relative positions know no end; `positions` is only the length it was trained on."""
        return sys.maxsize
