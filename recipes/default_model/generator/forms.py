"""How values look: their shape, and how often each type occurs, to compare generated notes with ours."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field


@dataclass
class Tally:
    """Notes, words, marks of each type, and the shapes of their values."""

    notes: int = 0
    words: int = 0
    types: Counter[str] = field(default_factory=Counter)
    shapes: defaultdict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))

    def per_thousand_words(self, type: str) -> float:
        """How often a type is marked."""
        return 1000 * self.types[type] / max(1, self.words)


def shape(value: str) -> str:
    """`Okafor, N.` as `Xx, X.`; `11/4` as `9/9`; runs are one sign."""
    value = re.sub(r"\d+", "9", value)
    value = re.sub(r"[^\W\d_]+", _letters, value)
    return re.sub(r"\s+", " ", value)


def _letters(found: re.Match[str]) -> str:
    word = found[0]
    if len(word) == 1:
        return "X" if word.isupper() else "x"
    return "XX" if word.isupper() else "x" if word.islower() else "Xx"


def tally(notes: Iterable[tuple[str, Iterable[tuple[int, int, str]]]]) -> Tally:
    """Counts over notes given as text and marks."""
    total = Tally()
    for text, marks in notes:
        total.notes += 1
        total.words += len(text.split())
        for start, end, type in marks:
            total.types[type] += 1
            total.shapes[type][shape(text[start:end])] += 1
    return total


def covered(ours: Tally, theirs: Tally, type: str) -> float:
    """Share of our values of a type whose shape the others have too."""
    shapes = ours.shapes[type]
    known = sum(count for form, count in shapes.items() if form in theirs.shapes[type])
    return known / max(1, sum(shapes.values()))
