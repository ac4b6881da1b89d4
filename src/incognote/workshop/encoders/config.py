"""The sizes that every Transformer family has, in the papers' words."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Self

from incognote.base.errors import ConfigError

_POSITIVE = ("norm_epsilon", "initializer_range")
MOST = {"layers": 1000, "groups": 1000, "inner_layers": 16}
MOST_OF_OTHERS = 10**8
"""No encoder is larger, and building one that says so would take all memory."""
ACTIVATIONS = ("gelu", "gelu_new", "gelu_pytorch_tanh", "relu")


@dataclass(frozen=True, kw_only=True)
class EncoderConfig:
    """A Transformer encoder's sizes; a family subclasses it with its own defaults.

    `KEYS` maps the fields to the keys of Hugging Face's config.json; `FIXED` has the settings there
    that would change the computation, and the one value we compute. A family extends both.
    """

    vocabulary_size: int
    hidden_size: int
    layers: int
    heads: int
    feed_forward_size: int
    positions: int
    segments: int
    activation: str
    dropout: float
    attention_dropout: float
    classifier_dropout: float | None
    norm_epsilon: float
    initializer_range: float
    pad_id: int

    KEYS: ClassVar[Mapping[str, str]] = {
        "vocabulary_size": "vocab_size",
        "hidden_size": "hidden_size",
        "layers": "num_hidden_layers",
        "heads": "num_attention_heads",
        "feed_forward_size": "intermediate_size",
        "positions": "max_position_embeddings",
        "segments": "type_vocab_size",
        "activation": "hidden_act",
        "dropout": "hidden_dropout_prob",
        "attention_dropout": "attention_probs_dropout_prob",
        "classifier_dropout": "classifier_dropout",
        "norm_epsilon": "layer_norm_eps",
        "initializer_range": "initializer_range",
        "pad_id": "pad_token_id",
    }
    FIXED: ClassVar[Mapping[str, Any]] = {
        "position_embedding_type": "absolute",
        "is_decoder": False,
        "add_cross_attention": False,
        "tie_word_embeddings": True,
    }
    ACTIVATIONS: ClassVar[tuple[str, ...]] = ACTIVATIONS

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if (
                field.type == "int"
                and not field.name.endswith("_id")
                and not is_whole(value, least=1)
            ):
                raise ConfigError(f"{field.name} must be a whole number above 0, not {value!r}")
            most = MOST.get(field.name, MOST_OF_OTHERS)
            if field.type == "int" and value > most:
                raise ConfigError(f"{field.name} must be at most {most:,}, not {value}")
            if field.name.endswith("dropout") and value is not None and not is_share(value):
                raise ConfigError(f"{field.name} must be from 0 up to but not 1, not {value!r}")
            if field.name in _POSITIVE and not is_positive(value):
                raise ConfigError(f"{field.name} must be a number above 0, not {value!r}")
        if not is_whole(self.pad_id, least=0) or self.pad_id >= self.vocabulary_size:
            raise ConfigError(f"pad_id must be a row of the vocabulary, not {self.pad_id!r}")
        if self.hidden_size % self.heads:
            raise ConfigError(
                f"hidden_size {self.hidden_size} does not divide among {self.heads} heads"
            )
        if self.activation not in self.ACTIVATIONS:
            raise ConfigError(
                f"activation must be one of {', '.join(self.ACTIVATIONS)}, not {self.activation!r}"
            )

    @property
    def embedding_size(self) -> int:
        """The width of the embeddings; a family may make it a size of its own."""
        return self.hidden_size

    @property
    def longest(self) -> int:
        """The most tokens of one sequence that have a position."""
        return self.positions

    @property
    def row(self) -> tuple[int, ...]:
        """The shape of what stands for one token: its id."""
        return ()

    @property
    def head_dropout(self) -> float:
        """The dropout before a classifier."""
        return self.dropout if self.classifier_dropout is None else self.classifier_dropout

    @classmethod
    def from_huggingface(cls, settings: Mapping[str, Any]) -> Self:
        """Read config.json's settings; keys that do not bear on the computation are passed over."""
        for key, only in cls.FIXED.items():
            if settings.get(key, only) != only:
                raise ConfigError(f"config.json: {key} = {settings[key]!r} is not supported")
        values = {
            field: settings[key] for field, key in cls.KEYS.items() if settings.get(key) is not None
        }
        return cls(**values)

    def to_huggingface(self) -> dict[str, Any]:
        """The settings of config.json that carry this configuration."""
        return {key: getattr(self, field) for field, key in self.KEYS.items()}


def is_whole(value: object, *, least: int) -> bool:
    """Whether it is a whole number, and no truth value, from `least` on."""
    return isinstance(value, int) and not isinstance(value, bool) and value >= least


def is_share(value: object) -> bool:
    """Whether it is a number from 0 up to but not 1."""
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 1


def is_positive(value: object) -> bool:
    """Whether it is a number above 0."""
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < math.inf
