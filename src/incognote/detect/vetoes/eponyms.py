"""Names that live on in a disease, sign, score or instrument."""

from __future__ import annotations

from collections.abc import Iterator

from incognote.detect.lexicon import ALSO_NAMES, EPONYM_NOUNS, EPONYMS
from incognote.detect.mention_sense import TITLE_BEFORE
from incognote.detect.pattern import Pattern
from incognote.detect.reading import Reading
from incognote.detect.vetoes.veto import Place

WORD = Pattern(r"[^\W\d_]+")
JOINT = Pattern(r"(?:['’][sS])?(?:[ ]?[-‐‑–/][ ]?|[ ](?:and|&)[ ]|[ ])")
"""Between the names of one eponym (Guillain-Barré, Hunt and Hess), and before what it names."""

NOUNS = EPONYM_NOUNS - frozenset(
    "unit transfer transplant stroke brain lung hip spine mass cast chair board attack injury".split()
)
"""The others follow a person's name as well ("Clark transfer to 4 West"), or name a ward."""


def eponyms(note: Reading) -> Iterator[Place]:
    """An eponym and its noun, unless a title makes it a person ("Dr. Foley cath lab")."""
    text, reached = note.text, 0
    for start in note.at(EPONYMS):
        if start < reached:
            continue
        end = reached = _named_thing(note, start)
        if end > start and not TITLE_BEFORE.search(text, max(0, start - 16), start):
            yield start, end


def _named_thing(note: Reading, start: int) -> int:
    """Where the noun after the eponyms ends; `start` if there is none."""
    place = start
    while True:
        word = WORD.match(note.small, place)
        if word is None:
            return start
        if place > start and word[0] in NOUNS and _is_thing(note.text, start, *word.span()):
            return word.end()
        if word[0] not in EPONYMS:
            return start
        joint = JOINT.match(note.small, word.end())
        if joint is None:
            return start
        place = joint.end()


def _is_thing(text: str, start: int, noun: int, end: int) -> bool:
    """Not the "Walker" of "Ross Walker": a noun that is also a name counts in small letters only,
    after a capital.
    """
    if text[noun:end].lower() not in ALSO_NAMES:
        return True
    return text[start].isupper() and text[noun:end].islower()
