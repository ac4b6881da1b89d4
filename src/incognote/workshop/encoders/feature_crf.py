"""The scores of a linear-chain CRF over features: of a word's own, and of those of the words around it.

What a feature of a word says for the labels of that word and of its neighbours is a row of a table;
a word's score for a label is the sum over its row and the rows of its neighbours. The transitions are
the tagger's CRF (`finetune/tagger.py`), and what learns all of it is `finetune/feature_crf.py`.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any, Self

import torch
from torch import Tensor, nn
from torch.nn.functional import embedding, pad

from incognote.base.errors import ConfigError, InputError
from incognote.workshop.encoders.config import MOST_OF_OTHERS, is_whole
from incognote.workshop.encoders.encoder import Encoded, check_rows
from incognote.workshop.encoders.family import Family
from incognote.workshop.encoders.heads import Sums
from incognote.workshop.encoders.layout import Packed, layout_of

CONTEXT = 3
"""Words on each side whose near features are seen."""


@dataclass(frozen=True, kw_only=True)
class FeatureCrfConfig:
    """How many features there are of each kind, in how many slots of a row, and for how many labels."""

    near_features: int
    near_slots: int
    own_features: int
    own_slots: int
    labels: int
    context: int = CONTEXT

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if not is_whole(value, least=1) or value > MOST_OF_OTHERS:
                raise ConfigError(
                    f"{field.name} must be a whole number from 1 to {MOST_OF_OTHERS:,}, not {value!r}"
                )

    @property
    def hidden_size(self) -> int:
        """A score for each label."""
        return self.labels

    @property
    def places(self) -> int:
        """Of how many words a word's near features are seen: those around it and itself."""
        return 2 * self.context + 1

    @property
    def embedding_size(self) -> int:
        """What a near feature says: a score for each label of each of these words."""
        return self.places * self.labels

    @property
    def vocabulary_size(self) -> int:
        """Features of either kind."""
        return self.near_features + self.own_features

    @property
    def layers(self) -> int:
        """One sum."""
        return 1

    @property
    def dropout(self) -> float:
        """None: what keeps weights small is the penalty on them."""
        return 0.0

    @property
    def longest(self) -> int:
        """A sum over the words around is as long as it is anywhere."""
        return sys.maxsize

    @property
    def row(self) -> tuple[int, ...]:
        """The shape of what stands for one word: its features."""
        return (self.near_slots + self.own_slots,)

    @property
    def row_limits(self) -> tuple[int, ...]:
        """One more than the highest number at each place of such a row."""
        return (self.near_features,) * self.near_slots + (self.own_features,) * self.own_slots

    @property
    def initializer_range(self) -> float:
        """All weights begin at 0."""
        return 0.0

    @classmethod
    def from_huggingface(cls, settings: Mapping[str, Any]) -> Self:
        """From our own config.json: others have no such family."""
        return cls(**{field.name: settings[field.name] for field in fields(cls)})

    def to_huggingface(self) -> dict[str, Any]:
        """The settings of config.json."""
        return asdict(self)


class FeatureSums(nn.Module):
    """The sums; row 0 of each table, of what training did not see, stays 0."""

    def __init__(self, config: FeatureCrfConfig, pooler: bool) -> None:
        super().__init__()
        if pooler:
            raise ConfigError("a feature CRF has no pooler")
        self.config = config
        self.near = nn.Parameter(torch.zeros(config.near_features, config.embedding_size))
        self.own = nn.Parameter(torch.zeros(config.own_features, config.labels))

    @property
    def words(self) -> Tensor:
        """The rows that word shapes are added to."""
        return self.near

    def forward(
        self,
        ids: Tensor,
        *,
        segments: Tensor | None = None,
        mask: Tensor | None = None,
        lengths: Sequence[int] | None = None,
        states: bool = False,
        added: Tensor | None = None,
    ) -> Encoded:
        """Words [batch, length, row], or packed [words, row]; hidden is a score for each label.

        `added` [*, embedding size] joins what a word's near features say.
        """
        if ids.shape[-1] != self.config.row[0]:
            raise InputError(f"a word has {ids.shape[-1]} features, not {self.config.row[0]}")
        layout = layout_of(ids[..., 0], mask, lengths)
        near, own = ids[..., : self.config.near_slots], ids[..., self.config.near_slots :]
        check_rows("near feature", near, self.config.near_features)
        check_rows("own feature", own, self.config.own_features)
        around = embedding(near, self.near).sum(-2)
        if added is not None:
            around = around + added
        if mask is not None:
            around = around * mask[..., None]
        if isinstance(layout, Packed):
            parts = torch.split(around, list(layout.lengths))
            seen = torch.cat([self._seen(part) for part in parts])
        else:
            seen = self._seen(around)
        scores = seen + embedding(own, self.own).sum(-2)
        return Encoded(scores, layout, states=(scores,) if states else ())

    def _seen(self, around: Tensor) -> Tensor:
        """Of a sequence, what its words say for each: [*, length, embedding size] to [*, length, labels]."""
        context, length = self.config.context, around.shape[-2]
        wide = pad(around, (0, 0, context, context))
        scores = around.new_zeros(*around.shape[:-1], self.config.labels)
        for place, said in enumerate(torch.split(wide, self.config.labels, dim=-1)):
            # The word at `place` - context from here on.
            scores = scores + said[..., place : place + length, :]
        return scores


FEATURE_CRF = Family(
    name="feature-crf",
    prefix="crf.",
    config=FeatureCrfConfig,
    encoder=FeatureSums,
    heads={"tokens": lambda config, labels: Sums()},
    architectures={"FeatureCrfModel": (), "FeatureCrfForTokenClassification": ("tokens",)},
    body=(("encoder.near", "crf.near"), ("encoder.own", "crf.own")),
    head_names={"tokens": ()},
    counts=lambda config: (),
)
