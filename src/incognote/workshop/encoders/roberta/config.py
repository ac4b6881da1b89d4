"""RoBERTa's configuration; the defaults are RoBERTa-base."""

from __future__ import annotations

from dataclasses import dataclass

from incognote.workshop.encoders.bert.config import BertConfig
from incognote.workshop.encoders.errors import ConfigError


@dataclass(frozen=True, kw_only=True)
class RobertaConfig(BertConfig):
    """The sizes of a RoBERTa; `positions` counts the rows up to the padding's, which no piece has.

    >>> RobertaConfig().longest
    512
    """

    vocabulary_size: int = 50_265
    positions: int = 514
    segments: int = 1
    norm_epsilon: float = 1e-5
    pad_id: int = 1

    def __post_init__(self) -> None:
        """Refuse a table of positions that leaves none for text."""
        super().__post_init__()
        if self.longest < 1:
            raise ConfigError(f"positions must exceed pad_id + 1, not {self.positions}")

    @property
    def longest(self) -> int:
        """Positions begin after the padding's."""
        return self.positions - self.pad_id - 1
