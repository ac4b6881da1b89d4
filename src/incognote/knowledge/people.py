"""Words in and around people's names: titles, kin, degrees, particles, suffixes (people.tsv)."""

from __future__ import annotations

from typing import Literal, cast

from incognote.knowledge.tables import WordTable

Gender = Literal["F", "M", "U", "-"]
"""U is for names of either gender, - for what has none."""
_TABLE = WordTable("people")


def _genders(flag: str) -> dict[str, Gender]:
    return {word: cast("Gender", value) for word, value in _TABLE.values(flag).items()}


# What detection knows.

TITLES = _TABLE.words("title")
JOINING_PARTICLES = _TABLE.words("joins")
NAME_PARTICLES = _TABLE.words("particle")
SUFFIXES = _TABLE.words("suffix")
DAY_TITLES = frozenset(
    word + stop
    for word, written in _TABLE.values("day-title").items()
    for stop in {"": ("",), "dotted": (".",), "both": ("", ".")}[written]
)

# What surrogates know.

GENDER_TITLES = _genders("surrogate-title")
SURNAME_TITLES = _TABLE.words("surname-title")
"""After these a single name is a surname; after Father, Sister or RN it may be either. Sr. is a
nun as often as a señor, so it tells no gender."""
KIN = _genders("kin")
LEFT_BEHIND = _TABLE.words("left-behind")
DEGREES = _TABLE.words("degree")
PARTICLES = _TABLE.words("surrogate-particle")
AMBIGUOUS_PARTICLES = _TABLE.words("ambiguous-particle")
KEPT_SUFFIXES = _TABLE.words("surrogate-suffix")
LINKS = _TABLE.words("link")
INFANTS = _TABLE.words("infant")
