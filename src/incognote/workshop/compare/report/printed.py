"""The 2022 study's figures as printed, from `study_2022.toml`."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from incognote.workshop.compare.results import Part

NON_PHI = "Non-PHI"


@dataclass(frozen=True, kw_only=True)
class Printed:
    """A model of the study: its row in tables 1, 4, 5 and 6.

    names: the encoders that are the same here. gigabytes: of Hugging Face's file. train, validation,
    test: precision, recall, F1 and accuracy.
    """

    name: str
    names: Sequence[str]
    gigabytes: float
    parameters: int
    layers: int
    vocabulary: int
    embedding: int
    attention: int
    feed_forward: int
    dropout: float
    activation: str
    shared: bool
    objective: str
    batch_size: int
    epochs: int
    lr: float
    weight_decay: float
    train: Sequence[float]
    validation: Sequence[float]
    test: Sequence[float]
    samples_per_second: float
    steps_per_second: float

    def scores(self, part: Part) -> Sequence[float]:
        """Its row of table 5, for one part."""
        row: Sequence[float] = getattr(self, part)
        return row


@dataclass(frozen=True)
class PrintedPart:
    """A part of i2b2/UTHealth 2014 as the study split it; `types` has the words of each, Non-PHI first."""

    notes: int
    words: int
    types: Mapping[str, int]


@cache
def printed_models() -> tuple[Printed, ...]:
    """In the order of the study's tables 4 to 6."""
    return tuple(Printed(**model) for model in _content()["models"])


@cache
def printed_parts() -> Mapping[str, PrintedPart]:
    """The study's table 3."""
    return {name: PrintedPart(**part) for name, part in _content()["parts"].items()}


def _content() -> dict[str, Any]:
    return tomllib.loads((files(__package__) / "study_2022.toml").read_text(encoding="utf-8"))
