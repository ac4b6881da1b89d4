"""ELMo's configuration; the defaults are the original, 93.6 M parameters."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Self

from incognote.workshop.encoders.config import is_positive, is_share, is_whole
from incognote.workshop.encoders.errors import ConfigError

FILTERS = ((1, 32), (2, 32), (3, 64), (4, 128), (5, 256), (6, 512), (7, 1024))
_POSITIVE = ("cell_clip", "projection_clip", "initializer_range")


@dataclass(frozen=True, kw_only=True)
class ElmoConfig:
    """The sizes of a character CNN and of the two-way LSTM on it.

    filters: width and number of each convolution. cell_size: of an LSTM, whose output is projected
    to `projection_size`. clip: cells and outputs stay within ± this.

    >>> ElmoConfig().hidden_size
    1024
    """

    characters: int = 262
    characters_per_word: int = 50
    character_size: int = 16
    filters: tuple[tuple[int, int], ...] = FILTERS
    highways: int = 2
    activation: str = "relu"
    layers: int = 2
    cell_size: int = 4096
    projection_size: int = 512
    cell_clip: float = 3.0
    projection_clip: float = 3.0
    classifier_dropout: float = 0.5
    initializer_range: float = 0.02

    def __post_init__(self) -> None:
        """Refuse sizes that describe no encoder."""
        for field in fields(self):
            value = getattr(self, field.name)
            if field.type == "int" and not is_whole(value, least=1):
                raise ConfigError(f"{field.name} must be a whole number above 0, not {value!r}")
            if field.name in _POSITIVE and not is_positive(value):
                raise ConfigError(f"{field.name} must be a number above 0, not {value!r}")
        if not _pairs(self.filters):
            raise ConfigError("filters must be pairs of a width and a number, both above 0")
        if self.activation not in ("relu", "tanh"):
            raise ConfigError(f"activation must be relu or tanh, not {self.activation!r}")
        if not is_share(self.classifier_dropout):
            raise ConfigError(
                f"classifier_dropout must be from 0 up to but not 1, not {self.classifier_dropout!r}"
            )

    @property
    def hidden_size(self) -> int:
        """Both directions side by side."""
        return 2 * self.projection_size

    @property
    def longest(self) -> int:
        """An LSTM reads on without end."""
        return sys.maxsize

    @property
    def row(self) -> tuple[int, ...]:
        """The shape of what stands for one word: its characters."""
        return (self.characters_per_word,)

    @property
    def head_dropout(self) -> float:
        """The dropout before a classifier."""
        return self.classifier_dropout

    @classmethod
    def from_huggingface(cls, settings: Mapping[str, Any]) -> Self:
        """Read the original's options.json, or a config.json that has its contents."""
        try:
            lstm, characters = settings["lstm"], settings["char_cnn"]
            if not lstm.get("use_skip_connections", True):
                raise ConfigError("use_skip_connections = false is not supported")
            return cls(
                characters=characters["n_characters"],
                characters_per_word=characters["max_characters_per_token"],
                character_size=characters["embedding"]["dim"],
                filters=tuple((width, count) for width, count in characters["filters"]),
                highways=characters["n_highway"],
                activation=characters["activation"],
                layers=lstm["n_layers"],
                cell_size=lstm["dim"],
                projection_size=lstm["projection_dim"],
                cell_clip=lstm["cell_clip"],
                projection_clip=lstm["proj_clip"],
                classifier_dropout=settings.get("classifier_dropout", cls.classifier_dropout),
            )
        except (KeyError, TypeError) as error:
            raise ConfigError(f"ELMo's options lack {error}") from None

    def to_huggingface(self) -> dict[str, Any]:
        """The contents of options.json."""
        return {
            "lstm": {
                "n_layers": self.layers,
                "dim": self.cell_size,
                "projection_dim": self.projection_size,
                "cell_clip": self.cell_clip,
                "proj_clip": self.projection_clip,
                "use_skip_connections": True,
            },
            "char_cnn": {
                "n_characters": self.characters,
                "max_characters_per_token": self.characters_per_word,
                "embedding": {"dim": self.character_size},
                "filters": [list(pair) for pair in self.filters],
                "n_highway": self.highways,
                "activation": self.activation,
            },
            "classifier_dropout": self.classifier_dropout,
        }


def _pairs(filters: object) -> bool:
    """Whether these are pairs of whole numbers above 0, one or more."""
    return (
        isinstance(filters, tuple)
        and len(filters) > 0
        and all(
            isinstance(pair, tuple)
            and len(pair) == 2
            and all(is_whole(number, least=1) for number in pair)
            for pair in filters
        )
    )
