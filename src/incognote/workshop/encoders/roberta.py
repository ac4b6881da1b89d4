"""RoBERTa: Liu et al., 2019. BERT's body, with positions counted from the padding's."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from incognote.base.errors import ConfigError
from incognote.workshop.encoders.bert import BertConfig, embedding_names, layer_names
from incognote.workshop.encoders.encoder import Encoder
from incognote.workshop.encoders.family import (
    TOKEN_HEAD_NAMES,
    TOKEN_HEADS,
    Family,
    Row,
    each_layer,
)
from incognote.workshop.encoders.heads import (
    Classification,
    DenseClassification,
    Head,
    MaskedLanguage,
)
from incognote.workshop.encoders.layers import Embeddings, Stack, activation
from incognote.workshop.encoders.layout import Layout


@dataclass(frozen=True, kw_only=True)
class RobertaConfig(BertConfig):
    """The sizes of a RoBERTa; `positions` counts the rows up to the padding's, which no token has.

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


_BODY: tuple[Row, ...] = (
    *embedding_names("roberta"),
    *layer_names("roberta"),
    ("encoder.pooler", "roberta.pooler.dense"),
)

_HEADS: dict[str, tuple[Row, ...]] = {
    **TOKEN_HEAD_NAMES,
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

_ALIASES: dict[str, tuple[Row, ...]] = {
    "mlm": (
        ("encoder.embeddings.words.weight", "lm_head.decoder.weight"),
        ("heads.mlm.bias", "lm_head.decoder.bias"),
    ),
}


class Roberta(Encoder):
    """A token's position is the padding's plus its count among tokens that are not padding."""

    def __init__(self, config: RobertaConfig, pooler: bool) -> None:
        embeddings = Embeddings(config, projection=False, pad_position=config.pad_id)
        stack = Stack(config, [(layer, layer) for layer in range(config.layers)])
        super().__init__(config, embeddings, stack, pooler=pooler)

    def positions(self, ids: Tensor, layout: Layout) -> Tensor:
        """Padding stays at its own row, wherever it stands."""
        real = (ids != self.config.pad_id).long()
        return layout.running_count(real) * real + self.config.pad_id


def _sequence(config: RobertaConfig, labels: int) -> Head:
    dropout = config.head_dropout
    return DenseClassification(
        config.hidden_size, labels, torch.tanh, dropout=dropout, inner_dropout=dropout
    )


def _choice(config: RobertaConfig, labels: int) -> Head:
    return Classification(config.hidden_size, 1, of="pooled", dropout=config.dropout)


ROBERTA = Family(
    name="roberta",
    prefix="roberta.",
    config=RobertaConfig,
    encoder=Roberta,
    heads={
        **TOKEN_HEADS,
        "sequence": _sequence,
        "choice": _choice,
        "mlm": lambda c, _: MaskedLanguage(c, activation("gelu"), inner=c.hidden_size),
    },
    architectures={
        "RobertaModel": (),
        "RobertaForTokenClassification": ("tokens",),
        "RobertaForSequenceClassification": ("sequence",),
        "RobertaForMultipleChoice": ("choice",),
        "RobertaForQuestionAnswering": ("span",),
        "RobertaForMaskedLM": ("mlm",),
    },
    body=_BODY,
    head_names=_HEADS,
    aliases=_ALIASES,
    counts=each_layer,
)
