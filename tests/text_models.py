"""Small encoders with small vocabularies, saved as a user has them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from workshop.encoders.elmo_reference import draw_weights, write_original
from workshop.tokenization.vocabulary_files import write_vocabulary

from incognote.workshop.encoders import Model, save
from incognote.workshop.encoders.albert import AlbertConfig
from incognote.workshop.encoders.bert import BertConfig
from incognote.workshop.encoders.deberta import DebertaConfig
from incognote.workshop.encoders.distilbert import DistilbertConfig
from incognote.workshop.encoders.modernbert import ModernBertConfig
from incognote.workshop.encoders.roberta import RobertaConfig
from incognote.workshop.encoders.xlnet import XlnetConfig
from incognote.workshop.tokenization import load as load_tokenizer

CONFIGS: dict[str, Any] = {
    "albert": AlbertConfig,
    "bert": BertConfig,
    "deberta-v2": DebertaConfig,
    "distilbert": DistilbertConfig,
    "modernbert": ModernBertConfig,
    "roberta": RobertaConfig,
    "xlnet": XlnetConfig,
}
HEADS = {"albert": ("mlm", "sop"), "xlnet": ("permutation",)}
SIZES: dict[str, Any] = {"hidden_size": 24, "layers": 2, "heads": 4, "feed_forward_size": 40}


def write_encoder(folder: Path, family: str, *, trained: Any = None, **sizes: Any) -> Path:
    """A folder with a checkpoint of random weights and the vocabulary of its family.

    trained: its heads, if not those of the family's pretraining.
    """
    torch.manual_seed(1)
    if family == "elmo":
        write_original(folder, draw_weights())
        return folder
    write_vocabulary(folder, "bert" if family == "distilbert" else family)
    tokenizer = load_tokenizer(folder, family=family)
    (pad,) = tokenizer.pad([tokenizer.encode("a"), tokenizer.encode("a a a a")]).ids[
        0, [0 if family == "xlnet" else -1]
    ]
    given = {"vocabulary_size": tokenizer.vocabulary_size, "pad_id": int(pad), **SIZES, **sizes}
    model = Model(CONFIGS[family](**given), heads=trained or HEADS.get(family, ("mlm",)))
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.normal_(0.0, 0.3)
    save(model, folder)
    return folder
