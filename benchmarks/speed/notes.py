"""The notes that speed is measured on: of the corpus and generated, of mixed length."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from incognote import Document
from incognote.formats import read

CORPUS = Path(__file__).resolve().parent.parent.parent / "corpus"
SETS = ("A", "B", "C", "D", "G")
"""Sets E and H are sealed; F is what the shipped model learned most from."""

UNSEEN = "G"
"""The one of these that no shipped model has learned from."""


def mixed_notes(
    count: int, generated: Path | None, sets: Sequence[str] = SETS, seed: int = 0
) -> list[Document]:
    """At most half of them from the corpus if there are others, in an order without meaning."""
    if unknown := [name for name in sets if name not in SETS]:
        raise ValueError(f"no set {unknown[0]} to be measured on: choose of {', '.join(SETS)}")
    draws = random.Random(seed)
    own = [replace(note, id=f"{name}/{note.id}") for name in sets for note in read(CORPUS / name)]
    draws.shuffle(own)
    more = generated_notes(generated)
    own = own[: count if not more else max(count // 2, count - len(more))]
    notes = own + more[: count - len(own)]
    if len(notes) < count:
        raise ValueError(
            f"{len(notes)} notes only: make more with recipes/default_model/generate.py"
        )
    draws.shuffle(notes)
    return notes


def generated_notes(path: Path | None) -> list[Document]:
    """All of a file, if one was named."""
    return list(read(path)) if path is not None else []
