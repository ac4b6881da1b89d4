"""Names that live on in a disease, sign, score or instrument."""

from __future__ import annotations

from collections.abc import Iterator

from incognote.detect.lexicon import ALSO_NAMES, BARE_EPONYMS, EPONYM_NOUNS, EPONYMS, is_ordinary
from incognote.detect.mention_sense import AGE_AFTER, PERSON_VERB, TITLE_BEFORE
from incognote.detect.pattern import Pattern
from incognote.detect.reading import Reading
from incognote.detect.vetoes.veto import Place

WORD = Pattern(r"[^\W\d_]+")
JOINT = Pattern(r"(?:['’][sS]?)?(?:[-‐‑–/]|[ ](?:and|&)[ ]|[ ])")
"""Between the names of one eponym (Guillain-Barré, Hunt and Hess), and before what it names."""

NOUNS = EPONYM_NOUNS - frozenset(
    "unit transfer transplant stroke brain lung hip spine mass cast chair board attack injury".split()
)
"""The others follow a person's name as well ("Clark transfer to 4 West"), or name a ward."""

PAIR = Pattern(r"[-‐‑–]|[ ](?=jones\b|white\b)")

MOST_WORDS = 6
"""Of an eponym with its noun."""

NAME_AFTER = Pattern(r",?[ ]*([A-ZÀ-Þ][^\W\d_]*)")
NAME_BEFORE = Pattern(r"([A-ZÀ-Þ][^\W\d_]*)(?:\.|-)?[ ]?$")
"""Capitalised words beside it: "Foley, James", "J. Foley"."""


def eponyms(note: Reading) -> Iterator[Place]:
    """An eponym with its noun, or one that hardly anybody bears; unless it is a person's here."""
    text, reached = note.text, 0
    for start in note.at(EPONYMS | BARE_EPONYMS):
        if start < reached or TITLE_BEFORE.search(text, max(0, start - 16), start):
            continue
        end = reached = _named_thing(note, start) or _bare(note, start)
        if end:
            yield start, end


def _named_thing(note: Reading, start: int) -> int:
    """Where the noun after the eponyms ends; 0 if there is none."""
    place = start
    for _ in range(MOST_WORDS):
        word = WORD.match(note.small, place)
        if word is None:
            return 0
        if place > start and word[0] in NOUNS and _is_thing(note.text, start, *word.span()):
            return word.end()
        joint = JOINT.match(note.small, word.end()) if word[0] in EPONYMS else None
        if joint is None:
            return 0
        place = joint.end()
    return 0


def _is_thing(text: str, start: int, noun: int, end: int) -> bool:
    """Not the "Walker" of "Ross Walker": a noun that is also a name counts in small letters only,
    after a capital.
    """
    if text[noun:end].lower() not in ALSO_NAMES:
        return True
    return text[start].isupper() and text[noun:end].islower()


def _bare(note: Reading, start: int) -> int:
    """Where the eponym ends that stands alone (Babinski, Howell-Jolly, Bence Jones); 0 if it is
    none, or looks like a person's name.
    """
    text, end = note.text, start
    place, known = start, False
    for _ in range(MOST_WORDS):
        word = WORD.match(note.small, place)
        if word is None or word[0] not in EPONYMS | BARE_EPONYMS:
            break
        end, known = word.end(), known or word[0] in BARE_EPONYMS
        joint = PAIR.match(note.small, end)
        if joint is None:
            break
        place = joint.end()
    if not known:
        return 0
    if PERSON_VERB.match(text, end) or AGE_AFTER.match(text, end):
        return 0
    beside = (
        NAME_BEFORE.search(text, max(0, start - 24), start),
        NAME_AFTER.match(text, end),
    )
    return 0 if any(name and _is_name(name[1].lower()) for name in beside) else end


def _is_name(word: str) -> bool:
    return word not in EPONYMS and not is_ordinary(word)
