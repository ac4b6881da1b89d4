"""The words of a list's entries, and those of a note, cut and spelled in the same way.

A word is a run of letters and digits, with the apostrophes between its letters. Whatever else stands
between the words of an entry (blanks, a line break, hyphens, commas, brackets, the full stop of an
abbreviation) may be written otherwise in a note, or be missing.
"""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple

from incognote.detect.pattern import DASH, SPACE, Pattern
from incognote.knowledge.letters import fold_name

WORD = Pattern(r"[^\W_](?:[^\W_]|[\u0300-\u036f]|['’ʻ](?=[^\W\d_]))*+")
GAP = Pattern(
    rf"[{SPACE}]*+(?:[.,'’\"“”()&/+{DASH}][{SPACE}]*+){{0,3}}+"
    rf"(?:\r?\n[{SPACE}]*+(?:[('\"“&/+{DASH}][{SPACE}]*+)?+)?+"
)
"""What may stand between two words of one entry."""
LONGEST_ABBREVIATION = 4
"""Letters of a word that a full stop may follow within an entry; after longer ones it ends a
sentence."""

APOSTROPHES = re.compile("['’ʻʼ]")
_NO_LETTER = re.compile(r"[\W_]+")


class Word(NamedTuple):
    """A word of a note, and the same without its possessive ending."""

    start: int
    end: int
    text: str
    bare_end: int


def word_at(text: str, place: int) -> Word | None:
    """The whole word that begins at a place."""
    if place and _goes_on(text, place):
        return None
    match = WORD.match(text, place)
    if match is None:
        return None
    end = match.end()
    return Word(place, end, match[0], end - 2 if is_possessive(match[0]) else end)


def _goes_on(text: str, place: int) -> bool:
    """Whether a word has begun before the place."""
    before = text[place - 1]
    if before in "'’":
        return place > 1 and (text[place - 2].isalpha() or is_mark(text[place - 2]))
    return before.isalnum() or is_mark(before)


def is_mark(character: str) -> bool:
    """Whether it is an accent that stands as a character of its own, as WORD has them."""
    return "\u0300" <= character <= "\u036f"


def is_possessive(word: str) -> bool:
    """Whether a word ends as "Rask's" does."""
    return word[-1:] in ("s", "S") and word[-2:-1] in ("'", "’") and len(word) > 2


def folded(word: str) -> str:
    """What all spellings of a word share: no case, accents or apostrophes."""
    plain = fold_name(word).replace("'", "").replace("ʼ", "")
    return plain if plain.isalnum() else _NO_LETTER.sub("", plain)


def written(word: str) -> str:
    """A word as it is written, whatever code points and apostrophes write it."""
    if word.isascii():
        return word
    return unicodedata.normalize("NFC", APOSTROPHES.sub("'", word))


def ends_sentence(text: str, word: Word) -> bool:
    """Whether a full stop after the word is none of an abbreviation."""
    return word.end - word.start > LONGEST_ABBREVIATION and text.startswith(".", word.end)
