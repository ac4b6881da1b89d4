"""Words that decide whether a capitalised word is somebody's name.

Each list is a text file beside this one, in small letters. A name rule asks `is_ordinary` before it
trusts a weak context, and `NEVER_NAMES` even after a title.
"""

from __future__ import annotations

from incognote.knowledge.calendar import MONTHS, WEEKDAYS
from incognote.knowledge.tables import word_list

ORDINARY = word_list("ordinary")
"""Words of notes and of plain English, drug names among them."""

ALSO_NAMES = word_list("also_names")
"""Ordinary words and eponyms that many people bear as a name (Rose, Young, Wells)."""

NEVER_NAMES = word_list("never_names")
"""Function words, roles, departments, form labels, and the brands behind "Mr." and "Dr."."""

EPONYMS = word_list("eponyms")
"""Names that live on in a disease, sign, score or instrument."""

EPONYM_NOUNS = word_list("eponym_nouns")
"""What follows an eponym: disease, sign, catheter."""

BARE_EPONYMS = word_list("bare_eponyms")
"""Eponyms that few people bear, and those that mostly stand for the thing (Babinski, Foley)."""

EPONYM_PAIRS = word_list("eponym_pairs")
"""Eponyms of two names or more, joined by hyphens whatever joins them in a note."""

MEDICINES = word_list("medicines")
"""Brands of medicines and dressings that are neither names nor places."""

PEOPLES = word_list("peoples")
"""Nationalities, languages, faiths, and the public payers: they tell of nobody in particular."""

BRANDS = word_list("brands")
"""Drug and device brands, nationalities, languages and well-known places."""

CALENDAR = frozenset(name.lower() for name in MONTHS + WEEKDAYS) | {"christmas", "easter"}
"""Months, days and feasts that are also names."""

ACRONYMS = word_list("acronyms")
"""Abbreviations of notes: not names when written in capitals."""

_SUFFIXES = ("s", "es", "ed", "ing", "ly", "ies")


def is_ordinary(word: str) -> bool:
    """Whether the folded word, or what it is an inflection of, is in the plain vocabulary."""
    if word in ORDINARY or word in BRANDS or word in NEVER_NAMES:
        return True
    return word.endswith(_SUFFIXES) and any(
        len(word) - len(suffix) >= 4 and word.endswith(suffix) and word[: -len(suffix)] in ORDINARY
        for suffix in _SUFFIXES
    )
