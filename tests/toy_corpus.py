"""A toy corpus that a tiny model can learn, and the tiny model."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

from incognote.document import Document, Span
from incognote.phi import bio_labels
from incognote.workshop.encoders.bert import BertConfig
from incognote.workshop.encoders.model import Model
from incognote.workshop.finetune.options import Options
from incognote.workshop.finetune.start import Start
from incognote.workshop.starting_points import Origin

NAMES = ("Ana Ruiz", "Tom Bell", "Ines Mora", "Olaf Lund", "Mia Stone", "Raj Patel")
TOWNS = ("Dunmore", "Lisbon", "Oslo", "Quito", "Bern", "Lima")
LABELS = bio_labels(("CITY", "DATE", "PATIENT"))
TINY = BertConfig(
    vocabulary_size=400,
    hidden_size=32,
    layers=2,
    heads=2,
    feed_forward_size=64,
    positions=64,
)
QUICK: dict[str, Any] = {
    "epochs": 3,
    "lr": 3e-3,
    "batch_tokens": 128,
    "window": 24,
    "overlap": 8,
    "save_seconds": 1e9,
}


def toy(count: int, sentences: int = 3) -> list[Document]:
    """Notes of a few sentences, each with a name, a date and a town."""
    return [_note(number, sentences) for number in range(count)]


def _note(number: int, sentences: int) -> Document:
    text, spans = "", []
    for sentence in range(sentences):
        pick = number * 7 + sentence
        name, town = NAMES[pick % len(NAMES)], TOWNS[(pick * 5 + 1) % len(TOWNS)]
        date = f"{1 + pick % 12}/{1 + pick % 28}/20{10 + pick % 10}"
        for before, value, type in (
            ("Patient ", name, "PATIENT"),
            (" was seen on ", date, "DATE"),
            (" in ", town, "CITY"),
        ):
            start = len(text) + len(before)
            text += before + value
            spans.append((start, start + len(value), type))
        text += ".\n"
    return Document(f"note-{number}", text, tuple(Span.of(text, *span) for span in spans))


def tokenizer(lowercase: bool = True, whole_words: bool = True) -> Tokenizer:
    """WordPiece with BERT's frame: the words of the toy corpus, whole or in two, and letters."""
    texts = " ".join(note.text for note in toy(12))
    texts = texts.lower() if lowercase else texts
    words = list(dict.fromkeys(re.findall(r"\w+", texts)))
    if not whole_words:
        words = [part for word in words for part in (word[:2], f"##{word[2:]}")]
    letters = [chr(code) for code in range(33, 127)]
    pieces = [
        *("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"),
        *words,
        *letters,
        *(f"##{letter}" for letter in letters),
    ]
    vocabulary = {piece: id for id, piece in enumerate(dict.fromkeys(pieces))}
    result = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    result.normalizer = normalizers.BertNormalizer(lowercase=lowercase)
    result.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    result.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    return result


def tiny_start(
    labels: tuple[str, ...] = LABELS, config: BertConfig = TINY, seed: int = 0, **how: Any
) -> Start:
    """A tiny BERT with random weights."""
    torch.manual_seed(seed)
    model = Model(config, heads=("tokens",), labels=labels)
    return Start("tiny", model, tokenizer(**how), random=True)


def quick(**changes: Any) -> Options:
    """Options for a run of a second or two."""
    return Options(**{**QUICK, **changes})


def tiny_folder(folder: Path) -> Path:
    """A tokenizer's folder."""
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer().save(str(folder / "tokenizer.json"))
    return folder


def random_start(
    folder: Path, sizes: Mapping[str, int], preset: str = "bert-base-uncased"
) -> Origin:
    """Random weights of a preset with small sizes, as a user begins with them."""
    return Origin(encoder=preset, tokenizer=tiny_folder(folder), sizes=sizes, random=True)
