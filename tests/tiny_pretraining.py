"""Text with an order that a tiny model can learn, as real shards, and the tiny model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import tokenizers
from tokenizers import models, normalizers, pre_tokenizers
from workshop.pretrain.toy_shards import SPECIAL

from incognote.workshop.pretrain.corpus.prepare import ShardSettings, prepare
from incognote.workshop.pretrain.corpus.shards import Shards
from incognote.workshop.pretrain.objectives.objective import Objective
from incognote.workshop.pretrain.settings import Settings
from incognote.workshop.pretrain.start import Start, from_preset
from incognote.workshop.pretrain.train import pretrain
from incognote.workshop.tokenization.tokenizer import Tokenizer
from incognote.workshop.training.run_folder import FinishedRun, prepare_folder

WORDS = 60
SIZES: dict[str, Any] = {
    "hidden_size": 32,
    "heads": 2,
    "layers": 2,
    "feed_forward_size": 64,
    "embedding_size": 16,
    "positions": 64,
}
QUICK: dict[str, Any] = {
    "objective": "mlm+sop",
    "steps": 12,
    "batch_size": 6,
    "pack": 96,
    "lengths": ((24, 0.75), (48, 0.25)),
    "lr": 1e-2,
    "warmup": 2,
    "evaluate_every": 5,
    "evaluate_examples": 12,
    "final_examples": 20,
    "log_every": 3,
    "save_seconds": 1e9,
}


def quick(**changes: Any) -> Settings:
    return Settings(**{**QUICK, **changes})


def tiny_tokenizer(words: int = WORDS, family: str = "albert") -> Tokenizer:
    """A family's special pieces, and words that are letters of a number."""
    pieces = [*SPECIAL[family], ".", *(word(number) for number in range(words))]
    vocabulary = {piece: number for number, piece in enumerate(pieces)}
    made = tokenizers.Tokenizer(models.WordPiece(vocabulary, unk_token="<unk>"))
    made.normalizer = normalizers.Lowercase()
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return Tokenizer(made, family)


def word(number: int) -> str:
    return "".join("bcdfgklmnp"[int(digit)] + "a" for digit in str(number % WORDS))


def text_file(path: Path, documents: int = 40) -> Path:
    """Documents that count upwards, five words a sentence: what follows what can be learned.

    Written once: another process may be reading it.
    """
    if path.exists():
        return path
    draws = np.random.default_rng(3)
    lines = []
    for _ in range(documents):
        number, sentences = int(draws.integers(WORDS)), []
        for _ in range(int(draws.integers(4, 12))):
            sentences.append(" ".join(word(number + step) for step in range(5)).capitalize() + ".")
            number += 5
        lines.append(json.dumps({"text": " ".join(sentences)}) + "\n")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(lines), encoding="utf-8")
    return path


def tiny_shards(folder: Path, tokenizer: Tokenizer | None = None) -> Shards:
    text = text_file(folder.parent / "text.jsonl")
    chosen = ShardSettings(held_out=0.15)
    return prepare([text], tokenizer or TOKENIZER, folder, chosen)


TOKENIZER = tiny_tokenizer()


def tokenizer_folder(folder: Path, tokenizer: Tokenizer = TOKENIZER) -> Path:
    if not folder.exists():
        folder.mkdir(parents=True)
        tokenizer.save(folder)
    return folder


def tiny_start(objective: Objective) -> Start:
    return from_preset("albert-base-v2", objective, TOKENIZER, SIZES, 0)


def run(place: Path, name: str, settings: Settings, **more: Any) -> FinishedRun:
    """Pretrain in `place / name`, on shards beside it."""
    tokenizer = more.pop("tokenizer", TOKENIZER)
    shards = tiny_shards(place / "shards", tokenizer)
    folder = place / name
    prepare_folder(folder, resume=more.get("resume", False), overwrite=False)
    begin = more.pop("begin", tiny_start)
    source = tokenizer_folder(place / "tokenizer", tokenizer)
    return pretrain(begin, shards, tokenizer, source, settings, folder, **more)
