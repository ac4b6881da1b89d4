"""Tiny Transformers with random weights, vocabularies of toy notes, and restorers made of both."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import torch

from incognote.onnx.sequence_folder import TOKENIZER
from incognote.workshop.export.sequence_to_sequence import export_networks
from incognote.workshop.restore.restorer import TASK
from incognote.workshop.restore.vocabulary import Vocabulary
from incognote.workshop.restore.words import words_of
from incognote.workshop.sequence_to_sequence.transformer import Transformer, TransformerConfig

SIZES: dict[str, Any] = {
    "vocabulary_size": 40,
    "hidden_size": 16,
    "layers": 2,
    "decoder_layers": 2,
    "heads": 2,
    "feed_forward_size": 24,
    "positions": 32,
    "pad_id": 0,
    "start_id": 0,
    "end_id": 1,
}
NOTES = (
    "Mr. Smith is a 64-year-old man. He denies pain, fever and nausea. Any allergies? None known.",
    "PLAN: Continue aspirin 81 mg daily; stop heparin. Follow up with Dr. Jones in two weeks.",
    "The patient was seen in clinic. BP was 120/80, pulse 72. She is doing well!",
)


def tiny_transformer(seed: int = 0, spread: float = 0.3, **sizes: Any) -> Transformer:
    """Every weight drawn, so that no two tokens look alike."""
    torch.manual_seed(seed)
    model = Transformer(TransformerConfig(**{**SIZES, **sizes}))
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.normal_(0.0, spread)
    return model.eval()


@cache
def tiny_vocabulary() -> Vocabulary:
    """Tokens of the toy notes."""
    return Vocabulary.learn((word.text for note in NOTES for word in words_of(note)), 160)


def tiny_restorer(folder: Path, *, task: str = TASK, seed: int = 0) -> Path:
    """A folder for `incognote restore` whose network knows nothing."""
    folder.mkdir(parents=True, exist_ok=True)
    vocabulary = tiny_vocabulary()
    vocabulary.save(folder / TOKENIZER)
    model = tiny_transformer(
        seed, vocabulary_size=vocabulary.size, positions=512, end_id=vocabulary.end_id
    )
    export_networks(model, folder, task)
    return folder
