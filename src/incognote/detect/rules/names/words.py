"""Which words may be part of a name: how they are written, and whether they mean something else."""

from __future__ import annotations

import re
from enum import Enum

from incognote.detect.lexicon import (
    ACRONYMS,
    ALSO_NAMES,
    EPONYM_NOUNS,
    NEVER_NAMES,
    fold,
    is_ordinary,
)
from incognote.detect.pattern import Pattern

LETTER = r"[^\W\d_]"
WORD = Pattern(
    rf"[ʻ]?{LETTER}(?:{LETTER}|[\u0300-\u036f]|['’ʻ`´](?={LETTER})|[-‐‑](?={LETTER})){{0,40}}+"
)
PARTICLES = frozenset(
    "de del della di da das do dos du la le las los el al van von der den ten ter vande vander zu "
    "und y e bin ibn binti bint ben bar abu ap ab st san santa af av mac ni o ua ud i".split()
)
PLACE_NOUNS = frozenset(
    "hospital hospitals hosp clinic clinics center centre medical health healthcare pavilion "
    "institute university college school church pharmacy drug drugs laboratory laboratories labs "
    "memorial county house home hall tower ward unit wing building street st avenue ave road rd "
    "lane ln drive blvd boulevard court ct place park ems ambulance fire police inc llc ltd corp "
    "co company group associates partners surgicenter hospice manor rehab rehabilitation snf "
    "village gardens terrace plan insurance foundation trust bank highway hwy bridge airport "
    "intervention scientific pharmaceuticals program study trial protocol registry".split()
)


class Trust(Enum):
    """How much the cue alone says that a name follows."""

    STRONG = "a title, a label or a degree"
    WEAK = "an ordinary phrase that a name often follows"


def shape(word: str) -> str:
    """`caps`, `title` or `lower`: how a word is written."""
    if word.isupper():
        return "caps" if len(word) > 1 else "title"
    if word[0].isupper() or not word[0].islower():
        return "title"
    head, mark, tail = word.replace("’", "'").replace("-", "'").partition("'")
    return "title" if mark and len(head) <= 2 and tail[:1].isupper() else "lower"


def is_name_word(word: str, trust: Trust, *, first: bool, lower: bool) -> bool:
    """Whether a word may be part of a name here."""
    written = shape(word)
    folded = fold(word)
    if len(without_possessive(folded)) < 2 or _odd_capitals(word) or folded.endswith("'d"):
        return False
    if written == "lower" and (not lower or len(folded) < 3):
        return False
    if written == "title" and not word.isascii():
        return folded not in NEVER_NAMES
    if "-" in folded or "'" in folded:
        parts = [part for part in re.split("[-']", folded) if len(part) > 1]
        return not all(is_ordinary(part) for part in parts)
    strong_first = first and trust is Trust.STRONG
    if written == "lower":
        return not is_ordinary(folded) or (strong_first and _also_name(folded))
    if written == "caps":
        if folded in NEVER_NAMES or folded in ACRONYMS or len(folded) == 2:
            return False
        return not is_ordinary(folded) or (strong_first and folded in ALSO_NAMES)
    if folded in ALSO_NAMES:
        return not first or trust is Trust.STRONG or folded not in NEVER_NAMES
    return not is_ordinary(folded)


def without_possessive(word: str) -> str:
    """The word itself, or what it is the possessive of."""
    return word[:-2] if word[-1] in "sS" and word[-2:-1] in ("'", "’", "`", "´") else word


def _odd_capitals(word: str) -> bool:
    """DTaP and PharmD are no names; McIver and DeShawn are."""
    return (word[:2].isupper() and word[2:3].islower()) or (
        word[-1].isupper() and word[-2:-1].islower()
    )


def _also_name(folded: str) -> bool:
    return folded in ALSO_NAMES and folded not in NEVER_NAMES


def follows_as_term(text: str, end: int) -> bool:
    """Whether the word after makes the "name" an eponym, a place or a firm."""
    after = text[end : end + 30]
    after = after[2:] if after[:2] in ("'s", "’s", "'S", "’S") else after
    following = WORD.match(after, 1) if after[:1] in (" ", "-") else None
    if following is None:
        return False
    folded = fold(following[0])
    return folded in EPONYM_NOUNS or (folded in PLACE_NOUNS and following[0][0].isupper())
