"""What 8 bits cost: the network that ships beside the checkpoint it is made from.

Both guess one masked word of each of some held-out sentences.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np

from incognote.workshop.encoders import fill_mask
from incognote.workshop.encoders.text_encoder import Fill, TextEncoder, open_encoder
from incognote.workshop.pretrain.corpus.sentences import sentences

COUNT, SEED, FEWEST, MOST = 1000, 0, 6, 40
"""Sentences asked about, and how many words each has."""

_WORD = re.compile(r"[A-Za-z]+")
_MASK = "[MASK]"


class Question(NamedTuple):
    """A sentence with a mask, and the piece that stood there."""

    text: str
    piece: str


class Cost(NamedTuple):
    """Of so many sentences: how often each is right, and how often both say the same."""

    asked: int
    checkpoint: float
    network: float
    same: float


def measured(checkpoint: Path, network: Path, held_out: Path) -> Cost:
    """By the held-out documents of a file."""
    full, small = open_encoder(checkpoint), open_encoder(network)
    known = set(small.pieces.tokens(range(small.pieces.vocabulary_size)))
    asked = questions(list(texts(held_out)), known)
    guesses = [(guess(one.text, full), guess(one.text, small)) for one in asked]
    right = [[each == one.piece for each in pair] for pair, one in zip(guesses, asked, strict=True)]
    first, second = np.mean(right, axis=0).tolist()
    same = float(np.mean([one == other for one, other in guesses]))
    return Cost(len(asked), first, second, same)


def texts(path: Path) -> Iterator[str]:
    """The texts of a JSONL file."""
    with path.open(encoding="utf-8") as file:
        for line in file:
            record: dict[str, Any] = json.loads(line)
            yield record["text"]


def questions(documents: Sequence[str], known: set[str]) -> list[Question]:
    """Sentences drawn from all, each with a word masked that is one piece."""
    draws = np.random.default_rng(SEED)
    found: list[Question] = []
    for text in documents:
        for first, end in sentences(text):
            sentence = text[first:end]
            if "\n" in sentence or not FEWEST <= len(sentence.split()) <= MOST:
                continue
            words = [w for w in _WORD.finditer(sentence) if f"▁{w[0].lower()}" in known]
            words = [
                word for word in words if sentence[word.start() - 1 : word.start()] in ("", " ")
            ]
            if words:
                word = words[int(draws.integers(len(words)))]
                masked = sentence[: word.start()] + _MASK + sentence[word.end() :]
                found.append(Question(masked, f"▁{word[0].lower()}"))
    order = draws.permutation(len(found))[:COUNT].tolist()
    return [found[number] for number in order]


def guess(text: str, encoder: TextEncoder) -> str:
    """The likeliest piece for the mask."""
    fills = cast(list[Fill], fill_mask(text, encoder, top_k=1))
    return fills[0]["token_str"]
