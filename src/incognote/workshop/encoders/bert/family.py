"""BERT, composed."""

from __future__ import annotations

from incognote.workshop.encoders.bert.config import BertConfig
from incognote.workshop.encoders.bert.names import ALIASES, BODY, HEADS
from incognote.workshop.encoders.encoder import Encoder
from incognote.workshop.encoders.family import PIECE_HEADS, Family, each_layer, pooled_head
from incognote.workshop.encoders.heads import Classification, MaskedLanguage
from incognote.workshop.encoders.layers import Embeddings, Stack, activation


def bert(config: BertConfig, pooler: bool) -> Encoder:
    """Embeddings as wide as the hidden states, and layers that share nothing."""
    stack = Stack(config, [(layer, layer) for layer in range(config.layers)])
    return Encoder(config, Embeddings(config, projection=False), stack, pooler=pooler)


BERT = Family(
    name="bert",
    prefix="bert.",
    config=BertConfig,
    encoder=bert,
    heads={
        **PIECE_HEADS,
        "sequence": pooled_head,
        "choice": lambda c, _: pooled_head(c, 1),
        "mlm": lambda c, _: MaskedLanguage(c, activation(c.activation), inner=c.hidden_size),
        "nsp": lambda c, _: Classification(c.hidden_size, 2, of="pooled", dropout=0.0),
    },
    architectures={
        "BertModel": (),
        "BertForTokenClassification": ("tokens",),
        "BertForSequenceClassification": ("sequence",),
        "BertForMultipleChoice": ("choice",),
        "BertForQuestionAnswering": ("span",),
        "BertForMaskedLM": ("mlm",),
        "BertForNextSentencePrediction": ("nsp",),
        "BertForPreTraining": ("mlm", "nsp"),
    },
    body=BODY,
    head_names=HEADS,
    aliases=ALIASES,
    counts=each_layer,
)
