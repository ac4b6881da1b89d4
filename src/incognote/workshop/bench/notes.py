"""Notes of mixed length to measure with, made of the demo's, or the user's own."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

from incognote.align.words import words
from incognote.formats import read
from incognote.runs.inputs import RunError
from incognote.samples import sample_notes

WORDS = (40, 1200)
COUNT = 240


def made_notes(count: int = COUNT) -> list[str]:
    """Paragraphs of the demo's notes in ever new order: mostly short notes, some long, always these."""
    draws = random.Random(0)
    paragraphs = [
        paragraph
        for text in sample_notes().values()
        for paragraph in text.split("\n\n")
        if paragraph.strip()
    ]
    notes = []
    for _ in range(count):
        wanted = WORDS[0] * (WORDS[1] / WORDS[0]) ** draws.random()
        note: list[str] = []
        size = 0
        while size < wanted:
            note.append(draws.choice(paragraphs))
            size += len(words(note[-1]))
        notes.append("\n\n".join(note))
    return notes


def read_notes(paths: Sequence[Path], count: int = COUNT) -> list[str]:
    """Some of the user's notes, drawn from all, always the same."""
    texts = [note.text for path in paths for note in read(path) if note.text.strip()]
    if not texts:
        raise RunError("there are no notes here to measure with")
    random.Random(0).shuffle(texts)
    return texts[:count]
