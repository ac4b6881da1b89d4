"""Nationalities, languages, faiths and public payers."""

from __future__ import annotations

from collections.abc import Iterator

from incognote.detect.lexicon import BRANDS, PEOPLES, is_ordinary
from incognote.detect.note_index import NoteIndex
from incognote.detect.pattern import Pattern
from incognote.detect.vetoes.veto import Place

WORD = Pattern(r"[^\W\d_]+")
PART_OF_NAME = Pattern(r"(?:['’]s)?[ -]+[A-Z][^\W\d_]*[a-z]")
"""A capital after it: "Methodist Hospital", "German Lutheran Home", "Catholic Charities"."""

AFTER_NAME = Pattern(r"([A-Z][^\W\d_]*[a-z])[ -]$")
"""A capital before it: "First Baptist", "Houston Methodist"."""


def peoples(note: NoteIndex) -> Iterator[Place]:
    """Spanish-speaking, a Muslim family, Medicaid; not the "Methodist" of a hospital."""
    text = note.text
    for start in note.at(PEOPLES):
        word = WORD.match(text, start)
        if word is None or word[0].isupper() or word[0].islower():
            continue
        before = AFTER_NAME.search(text, max(0, start - 20), start)
        if before is not None and _is_name(before[1].lower()):
            continue
        if not PART_OF_NAME.match(text, word.end()):
            yield word.span()


def _is_name(word: str) -> bool:
    """Brands are towns and states as well."""
    return word in BRANDS or not is_ordinary(word)
