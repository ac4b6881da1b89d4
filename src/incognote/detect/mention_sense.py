"""Whether a word that is also somebody's name names that person here.

"Rose" and "Will" are words, "Parkinson" is a disease, "April" a month, "Boston" a city. The word's
case, its place in the sentence and its neighbours decide.
"""

from __future__ import annotations

import re

from incognote.detect.first_words import first_words
from incognote.detect.note_index import NoteIndex
from incognote.detect.pattern import Pattern
from incognote.knowledge.lexicon import (
    ACRONYMS,
    ALSO_NAMES,
    BRANDS,
    CALENDAR,
    EPONYM_NOUNS,
    EPONYMS,
    is_ordinary,
)

_TITLES = (
    r"(?:m[rsx]|mrs|miss|mister|dr|drs|doctor|sister|brother|wife|husband|son|daughter|mother|father|"
    r"aunt|uncle|nurse|rn|mom|dad|family|baby (?:boy|girl)|fr|sr|rabbi|niece|nephew|cousin|friend|partner)"
)
TITLE_WORDS = first_words(_TITLES)
TITLE_BEFORE = Pattern(rf"(?<!\w){_TITLES}[.,:]?[ \t\n(\"“]{{1,2}}$", re.IGNORECASE)
LONGEST_TITLE = 16
SENTENCE_START = Pattern(r"(?:^|[.!?:;•*\n\r>)-])[ \t\"“(]*$")
PERSON_VERB = Pattern(
    r"(?:['’]s)?,?[ ]+(?:is|was|has|had|will|would|says|said|states|stated|reports|reported|denies|"
    r"denied|feels|felt|agrees|agreed|asked|asks|called|calls|came|comes|lives|works|takes|took|"
    r"wants|went|seen|presents|presented|returns|returned|also|who|and (?:his|her|their)|did|does|"
    r"can|could|should|needs|thinks|told|understands|tolerated|continues|remains|met|saw|drove|"
    r"brought|arrived|left|phoned|read|signed|rose|sat|ate|slept|walked)\b"
)
AGE_AFTER = Pattern(r"[ ]\(\d{1,3}\b(?![./%])|, \d{1,3},")
PLACE_BEFORE = Pattern(r"\b(?:in|from|to|near|at|of|the|outside|around|via)[ \n]$", re.IGNORECASE)
NEXT_WORD = Pattern(r"(?:['’][sS])?[ -]+(?P<word>[^\W\d_]+)")
PLACE_AFTER = frozenset(
    "hospital clinic center centre medical health pharmacy street st avenue ave road rd lane ln "
    "drive county school church university college house manor park memorial".split()
)


def titled(note: NoteIndex, start: int) -> bool:
    """Whether a title stands right before the place. Most places are not even near one."""
    if not note.once(near_titles)[start]:
        return False
    return TITLE_BEFORE.search(note.text, max(0, start - LONGEST_TITLE), start) is not None


def near_titles(note: NoteIndex) -> bytearray:
    """1 where a title may stand before, for every place of the note."""
    near = bytearray(len(note.text) + 1)
    for title in note.at(TITLE_WORDS):
        near[title + 1 : title + 1 + LONGEST_TITLE] = b"\1" * min(
            LONGEST_TITLE, len(near) - title - 1
        )
    return near


def names_person(text: str, start: int, end: int, key: str) -> bool:
    """Whether the word at `start` to `end`, a part of a person's name, is meant as that name."""
    word = text[start:end]
    if TITLE_BEFORE.search(text, max(0, start - LONGEST_TITLE), start):
        return word[0].isupper() or not is_ordinary(key) or key in ALSO_NAMES
    following = NEXT_WORD.match(text, end)
    noun = following["word"].lower() if following else ""
    if noun in PLACE_AFTER and following and following["word"][0].isupper():
        return False
    eponym = key in EPONYMS
    ordinary = is_ordinary(key)
    if (eponym or ordinary) and (noun in EPONYM_NOUNS or text[end : end + 1] == "-"):
        return False
    if noun in ("disease", "syndrome", "sign", "procedure", "catheter", "criteria"):
        return False
    if len(key) == 2:
        return word.istitle() and not ordinary
    if word.islower() and (ordinary or eponym or key in ALSO_NAMES):
        return False
    if not eponym and not ordinary:
        return (word[0].isupper() and not (word.isupper() and key in ACRONYMS)) or len(key) > 3
    telling = bool(PERSON_VERB.match(text, end) or AGE_AFTER.match(text, end))
    if word.isupper():
        return not ordinary and not eponym and not _capitals_around(text, start, end)
    if eponym and key not in ALSO_NAMES:
        return telling
    if eponym and not ordinary:
        return not re.match(r"['’]?s?[ ]?\d|['’]s?(?!\w)", text[end : end + 4]) or telling
    if key in CALENDAR:
        return telling and not PLACE_BEFORE.search(text, max(0, start - 9), start)
    if PLACE_BEFORE.search(text, max(0, start - 9), start) and key in BRANDS:
        return False
    if SENTENCE_START.search(text, max(0, start - 12), start):
        return telling or POSSESSED.match(text, end) is not None
    return True


POSSESSED = Pattern(r"['’]s[ ]")


def _capitals_around(text: str, start: int, end: int) -> bool:
    around = text[max(0, start - 20) : start] + text[end : end + 20]
    letters = [c for c in around if c.isalpha()]
    return sum(c.isupper() for c in letters) * 2 > len(letters)
