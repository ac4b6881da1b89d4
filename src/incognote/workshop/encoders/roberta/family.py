"""RoBERTa, composed: BERT's body with positions counted from the padding's."""

from __future__ import annotations

import torch
from torch import Tensor

from incognote.workshop.encoders.encoder import Encoder
from incognote.workshop.encoders.family import PIECE_HEADS, Family, each_layer
from incognote.workshop.encoders.heads import (
    Classification,
    DenseClassification,
    Head,
    MaskedLanguage,
)
from incognote.workshop.encoders.layers import Embeddings, Layout, Stack, activation
from incognote.workshop.encoders.roberta.config import RobertaConfig
from incognote.workshop.encoders.roberta.names import ALIASES, BODY, HEADS


class Roberta(Encoder):
    """A piece's position is the padding's plus its count among pieces that are not padding."""

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
        **PIECE_HEADS,
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
    body=BODY,
    head_names=HEADS,
    aliases=ALIASES,
    counts=each_layer,
)
