"""Words in the names of occupations (occupations.tsv)."""

from __future__ import annotations

from incognote.knowledge.tables import WordTable

_TABLE = WordTable("occupations")

HEADS = _TABLE.words("head")
ALONE = _TABLE.words("alone")
STAFF = _TABLE.words("staff")
NEVER_BARE = _TABLE.words("never-bare")
MODIFIERS = _TABLE.words("modifier")
WEAK_MODIFIERS = _TABLE.words("weak-modifier")
DROPPED = _TABLE.words("dropped")
