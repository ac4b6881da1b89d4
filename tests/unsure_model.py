"""A model folder that has learned the toy corpus a little, and is unsure of much."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from tiny_checkpoints import CONFIGS, beginning, tiny_model
from toy_corpus import quick, toy

from incognote.workshop.finetune.train import train


def unsure_model(folder: Path, epochs: int = 2) -> Path:
    """Trained for a second or two, so that it misses names but suspects them."""
    notes = toy(16)
    start = partial(beginning, CONFIGS["bert"])
    train(start, notes[:12], notes[12:], quick(epochs=epochs), folder / "checkpoint")
    return tiny_model(folder / "model", [folder / "checkpoint"])
