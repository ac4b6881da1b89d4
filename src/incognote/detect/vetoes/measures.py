"""Doses, vitals and other figures with their unit."""

from __future__ import annotations

from collections.abc import Iterator

from incognote.detect.pattern import Pattern
from incognote.detect.reading import Reading
from incognote.detect.vetoes.veto import Place

_NUMBER = r"(?<![\w.,/:#-])[<>~≥≤]?\d{1,5}(?:[.,]\d{1,3})?(?:[ ]?[-–/x×][ ]?\d{1,4}(?:\.\d+)?){0,2}"
_UNIT = (
    r"mg|mcg|ug|µg|μg|gm?|grams?|kg|lbs?|oz|m[lL]|cc|d[lL]|liters?|litres?|units?|iu|m[eE]q|mmol|[mµμ]mol|"
    r"mm|cm|mmHg|mm[ ]Hg|bpm|ppm|Hz|kcal|cGy|Gy|%|percent|tabs?|tablets?|caps?|capsules?|puffs?|drops?|"
    r"gtts?|tsp|tbsp|ng|pg|fL|min|mins|minutes?|secs?|seconds?|hrs?|hours?|°[CF]?|degrees?|[kK]/[uµ]L"
)
MEASURE = Pattern(rf"{_NUMBER}[ ]?(?:{_UNIT})(?![^\W_])")


def measures(note: Reading) -> Iterator[Place]:
    """A number and its unit: 5 mg, 120/80 mmHg, 2-3 cm."""
    for match in MEASURE.finditer(note.text):
        yield match.span()
