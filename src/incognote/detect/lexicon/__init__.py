"""Words that decide whether a capitalised word is somebody's name.

Each list is a text file beside this one, a word per blank, in lower case. A name rule asks
`is_ordinary` before it trusts a weak context, and `NEVER_NAMES` even after a title.
"""

from __future__ import annotations

import unicodedata
from pathlib import Path


def _read(topic: str) -> frozenset[str]:
    return frozenset(Path(__file__).with_name(f"{topic}.txt").read_text("utf-8").split())


ORDINARY = _read("ordinary")
"""Words of notes and of plain English, drug names among them."""

ALSO_NAMES = _read("also_names")
"""Ordinary words and eponyms that many people bear as a name (Rose, Young, Wells)."""

NEVER_NAMES = _read("never_names")
"""Function words, roles, departments, form labels, and the brands behind "Mr." and "Dr."."""

EPONYMS = _read("eponyms")
"""Names that live on in a disease, sign, score or instrument."""

EPONYM_NOUNS = _read("eponym_nouns")
"""What follows an eponym: disease, sign, catheter."""

BARE_EPONYMS = _read("bare_eponyms")
"""Eponyms that few people bear, and those that mostly stand for the thing (Babinski, Foley)."""

EPONYM_PAIRS = _read("eponym_pairs")
"""Eponyms of two names or more, joined by hyphens whatever joins them in a note."""

MEDICINES = _read("medicines")
"""Brands of medicines and dressings that are neither names nor places."""

PEOPLES = _read("peoples")
"""Nationalities, languages, faiths, and the public payers: they tell of nobody in particular."""

BRANDS = _read("brands")
"""Drug and device brands, nationalities, languages and well-known places."""

CALENDAR = frozenset(
    "january february march april may june july august september october november december monday "
    "tuesday wednesday thursday friday saturday sunday christmas easter".split()
)
"""Months, days and feasts that are also names."""

ACRONYMS = _read("acronyms")
"""Abbreviations of notes: not names when written in capitals."""

_SUFFIXES = ("s", "es", "ed", "ing", "ly", "ies")


_LETTERS = str.maketrans(
    {"’": "'", "ʻ": "'", "‐": "-", "‑": "-", "ø": "o", "Ø": "o", "ł": "l", "Ł": "l", "đ": "d"}
    | {"Đ": "d", "ß": "ss", "æ": "ae", "Æ": "ae", "þ": "th", "Þ": "th", "ð": "d", "ı": "i"}
)


def fold(word: str) -> str:
    """The word in lower case without accents, apostrophes straightened."""
    if word.isascii():
        return word.lower()
    decomposed = unicodedata.normalize("NFKD", word.translate(_LETTERS))
    return "".join(c for c in decomposed if not unicodedata.combining(c)).casefold()


def is_ordinary(word: str) -> bool:
    """Whether the folded word, or what it is an inflection of, is in the plain vocabulary."""
    if word in ORDINARY or word in BRANDS or word in NEVER_NAMES:
        return True
    return word.endswith(_SUFFIXES) and any(
        len(word) - len(suffix) >= 4 and word.endswith(suffix) and word[: -len(suffix)] in ORDINARY
        for suffix in _SUFFIXES
    )
