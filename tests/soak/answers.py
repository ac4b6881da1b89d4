"""What the library says to the requests of the soak test: every answer of the service is held against it."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from fuzz.notes import seeds

from incognote import Deidentifier, Document
from incognote.document import Span
from incognote.evaluate import Mark, Marks, Resampling, score
from incognote.pipeline import Result
from incognote.serve.azure_categories import CATEGORIES
from incognote.serve.presidio import presidio_name
from incognote.workshop.encoders.text_encoder import fill_mask
from incognote.workshop.features import text_features

SPEED = "fast"
"""Of the service that is asked: its network has to be the smallest, so that much is asked."""
LONGEST = 1_500
WAYS: Mapping[str, Mapping[str, Any]] = {
    "as it comes": {},
    "rules": {"detector": "rules"},
    "mask": {"detector": "rules", "replace": "mask"},
    "numbered": {"detector": "rules", "number": True},
    "safe-harbor": {"policy": "safe-harbor", "detector": "rules"},
}
MASKED = "The patient denies chest [MASK]."
GOLD = {"id": "a", "text": "Dr. Okafor", "spans": [{"start": 4, "end": 10, "type": "DOCTOR"}]}


@dataclass(frozen=True)
class Note:
    """A note and what becomes of it in each way."""

    text: str
    results: Mapping[str, Result]

    def found(self, way: str) -> list[tuple[int, int, str]]:
        """Places and types."""
        return places(self.results[way].spans)

    @cached_property
    def presidio(self) -> set[tuple[int, int, str]]:
        """As /analyze names them; it leaves out what lies in another of the same name."""
        return {(start, end, presidio_name(type)) for start, end, type in self.found("as it comes")}

    @cached_property
    def redacted(self) -> str:
        """As Azure's route writes it."""
        parts, place = [], 0
        for span in self.results["as it comes"].spans:
            category = CATEGORIES.get(span.type, span.type).lower()
            parts += [self.text[place : span.start], f"[{category}]"]
            place = span.end
        return "".join([*parts, self.text[place:]])


def places(spans: Sequence[Span]) -> list[tuple[int, int, str]]:
    """Without the text."""
    return [(span.start, span.end, span.type) for span in spans]


class Answers:
    """Notes with their results, and the answers of the other routes."""

    def __init__(self, number: int, rng: random.Random) -> None:
        made = {
            name: Deidentifier(speed=None if "detector" in way else SPEED, **way)
            for name, way in WAYS.items()
        }
        texts = [self._text(rng, each) for each in range(number)]
        results = {name: list(each.pipe(texts)) for name, each in made.items()}
        self.notes = [
            Note(text, {name: results[name][at] for name in made}) for at, text in enumerate(texts)
        ]
        self.long = "\n".join(texts)[:30_000]
        self.long_text = made["rules"](self.long).text
        self.masks = fill_mask(MASKED, top_k=3)
        self.vectors = [
            row.astype(float).round(6).tolist()
            for row in text_features([MASKED], pool="mean", layers=None)
        ]
        span = Span.of("Dr. Okafor", 4, 10, "DOCTOR")
        marks = Marks("a", (Mark(4, 10, "DOCTOR"),))
        self.scores = json.loads(
            json.dumps(
                score(
                    [Document("a", "Dr. Okafor", (span,))],
                    [marks],
                    resampling=Resampling(resamples=0),
                ).as_dict()
            )
        )

    def _text(self, rng: random.Random, number: int) -> str:
        """A part of a note, unlike every other."""
        note = rng.choice(seeds())
        start = rng.randrange(max(1, len(note) - 200))
        return f"Ref {number}, Dr. Okafor-{number}.\n{note[start : start + rng.randrange(100, LONGEST)]}"
