"""XLNet, composed."""

from __future__ import annotations

from incognote.workshop.encoders.family import PIECE_HEADS, Family, each_layer
from incognote.workshop.encoders.heads import PermutationLanguage
from incognote.workshop.encoders.xlnet.config import XlnetConfig
from incognote.workshop.encoders.xlnet.encoder import Xlnet
from incognote.workshop.encoders.xlnet.heads import LastClassification
from incognote.workshop.encoders.xlnet.names import ALIASES, BODY, HEADS

XLNET = Family(
    name="xlnet",
    prefix="transformer.",
    config=XlnetConfig,
    encoder=Xlnet,
    heads={
        "tokens": PIECE_HEADS["tokens"],
        "span": PIECE_HEADS["span"],
        "answerable": lambda c, _: LastClassification(c, 2),
        "sequence": LastClassification,
        "choice": lambda c, _: LastClassification(c, 1),
        "permutation": lambda c, _: PermutationLanguage(c),
    },
    architectures={
        "XLNetModel": (),
        "XLNetForTokenClassification": ("tokens",),
        "XLNetForSequenceClassification": ("sequence",),
        "XLNetForMultipleChoice": ("choice",),
        "XLNetForQuestionAnsweringSimple": ("span",),
        "XLNetLMHeadModel": ("permutation",),
    },
    body=BODY,
    head_names=HEADS,
    aliases=ALIASES,
    counts=each_layer,
)
