"""Words of street addresses (streets.tsv)."""

from __future__ import annotations

from incognote.knowledge.tables import WordTable

_TABLE = WordTable("streets")

# What rules read, in the order in which patterns try it: the commonest first.

STRONG_TYPES = tuple(_TABLE.values("strong"))
WEAK_TYPES = tuple(_TABLE.values("weak"))
PROSE_TYPES = tuple(_TABLE.values("prose"))
SMALL_TYPES = tuple(_TABLE.values("small"))
FOREIGN_FIRST = tuple(_TABLE.values("first"))
UNIT_WORDS = tuple(_TABLE.values("unit"))

# What surrogates keep.

STREET_TYPES = _TABLE.words("type")
STREET_TYPES_FIRST = _TABLE.words("type-first")
SPANISH_FIRST = _TABLE.words("spanish")
DIRECTIONS = _TABLE.words("direction")
KEPT = _TABLE.words("stays")
UNITS = _TABLE.words("unit-kept")
UNIT_ENDS = _TABLE.words("unit-end")
ROADS = _TABLE.words("road")
