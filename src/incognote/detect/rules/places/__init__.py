"""Towns, states, countries and landmarks: address lines, "lives in X", names of states and countries."""

from __future__ import annotations

from collections.abc import Iterator

from incognote.detect.reading import Reading
from incognote.detect.rules.family import Family
from incognote.detect.rules.places.landmarks import landmarks
from incognote.detect.rules.places.named import named_places
from incognote.detect.rules.places.towns import towns
from incognote.document import Span


def find(note: Reading) -> Iterator[Span]:
    """The places of a note. Where two readings overlap, the surer or the longer one stays."""
    text = note.text
    named = list(named_places(note))
    found = [*named, *towns(note, named), *landmarks(note)]
    last = 0
    for start, end, type, score in sorted(
        found, key=lambda place: (place[0], -place[1], -place[3])
    ):
        if start >= last:
            yield Span.of(text, start, end, type, score=score, source=FAMILY.source)
            last = end


FAMILY = Family("places", frozenset({"CITY", "STATE", "COUNTRY", "LOCATION-OTHER"}), find)
