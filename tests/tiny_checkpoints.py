"""Checkpoints of tiny taggers with random weights, and model folders made of them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer, processors
from toy_corpus import LABELS, quick, tokenizer, toy

from incognote.align.word_tokenizer import AnyTokenizer, ByteWords
from incognote.document import Document
from incognote.workshop.encoders.albert import AlbertConfig
from incognote.workshop.encoders.bert import BertConfig
from incognote.workshop.encoders.deberta import DebertaConfig
from incognote.workshop.encoders.distilbert import DistilbertConfig
from incognote.workshop.encoders.electra import ElectraConfig
from incognote.workshop.encoders.elmo import ElmoConfig
from incognote.workshop.encoders.model import Model
from incognote.workshop.encoders.modernbert import ModernBertConfig
from incognote.workshop.encoders.roberta import RobertaConfig
from incognote.workshop.encoders.xlnet import XlnetConfig
from incognote.workshop.export.run import Proof, export
from incognote.workshop.finetune.checkpoint import shape_settings, write_checkpoint
from incognote.workshop.finetune.start import Start
from incognote.workshop.finetune.tagger import Tagger
from incognote.workshop.finetune.train import train

SIZES: dict[str, Any] = {
    "vocabulary_size": 320,
    "hidden_size": 32,
    "layers": 3,
    "heads": 4,
    "feed_forward_size": 48,
    "positions": 40,
}
CONFIGS: dict[str, Any] = {
    "bert": BertConfig(**SIZES),
    "roberta": RobertaConfig(**SIZES, pad_id=0),
    "albert": AlbertConfig(**SIZES, embedding_size=16),
    "electra": ElectraConfig(**SIZES, embedding_size=16),
    "distilbert": DistilbertConfig(**SIZES),
    "modernbert": ModernBertConfig(**SIZES, pad_id=0, window=8),
    "deberta-v2": DebertaConfig(**SIZES, buckets=8),
}
XLNET = XlnetConfig(**{name: size for name, size in SIZES.items() if name != "positions"}, pad_id=0)
ELMO = ElmoConfig(
    character_size=8,
    filters=((1, 16), (2, 16), (3, 32)),
    highways=1,
    cell_size=48,
    projection_size=16,
    classifier_dropout=0.1,
    initializer_range=0.2,
)


def every_frame(lowercase: bool = True) -> Tokenizer:
    """The toy corpus' tokenizer, with the special pieces of every family."""
    result = tokenizer(lowercase)
    result.add_special_tokens(["<pad>", "<unk>", "<s>", "</s>", "<mask>"])
    return result


def xlnet_frame(lowercase: bool = False) -> Tokenizer:
    """The toy corpus' tokenizer with XLNet's frame, whose <cls> comes last and has its own segment."""
    result = tokenizer(lowercase)
    result.add_special_tokens(["<pad>", "<unk>", "<sep>", "<cls>", "<mask>"])
    special = [(name, result.token_to_id(name)) for name in ("<sep>", "<cls>")]
    result.post_processor = processors.TemplateProcessing(
        single="$A:0 <sep>:0 <cls>:2", special_tokens=special
    )
    return result


def reader_for(config: Any, lowercase: bool = True) -> AnyTokenizer:
    """What a tiny model reads with."""
    if isinstance(config, ElmoConfig):
        return ByteWords(config.characters_per_word)
    return xlnet_frame() if isinstance(config, XlnetConfig) else every_frame(lowercase)


def beginning(config: Any, seed: int = 0) -> Start:
    """A tiny model to train."""
    torch.manual_seed(seed)
    model = Model(config, heads=("tokens",), labels=LABELS)
    return Start("tiny", model, reader_for(config), random=True)


def tiny_checkpoint(
    folder: Path,
    config: Any = CONFIGS["bert"],
    *,
    shape: bool = False,
    crf: bool = False,
    seed: int = 0,
    window: int = 24,
    overlap: int = 8,
    lowercase: bool = True,
    labels: tuple[str, ...] = LABELS,
) -> Path:
    """Random weights large enough that notes get spans of every type."""
    torch.manual_seed(seed)
    tagger = Tagger(Model(config, heads=("tokens",), labels=labels), shape=shape, crf=crf)
    with torch.no_grad():
        for name, parameter in tagger.named_parameters():
            if "norm" not in name:
                parameter.normal_(0.0, 0.3)
        tagger.model.heads["tokens"].classifier.weight.normal_(0.0, 0.8)  # type: ignore[union-attr,operator]
    training = {
        "labels": list(labels),
        "shape": shape_settings(shape),
        "crf": crf,
        "window": window,
        "overlap": overlap,
    }
    write_checkpoint(folder, tagger, reader_for(config, lowercase), training)
    return folder


def tiny_model(
    folder: Path, checkpoints: Sequence[Path], *, judged_on: Sequence[Document] | None = None
) -> Path:
    """A model folder; in 8 bits, whatever it costs, if there are notes to fit it to."""
    proof = None if judged_on is None else Proof(judged_on, max_loss=1.0)
    export(checkpoints, folder, int8=proof is not None, proof=proof)
    return folder


def unsure_model(folder: Path, epochs: int = 2) -> Path:
    """A model trained for a second or two, which misses names but is uncertain about them."""
    notes = toy(16)
    start = partial(beginning, CONFIGS["bert"])
    train(start, notes[:12], notes[12:], quick(epochs=epochs), folder / "checkpoint")
    return tiny_model(folder / "model", [folder / "checkpoint"])
