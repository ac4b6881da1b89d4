"""Figures and words of time that are no date: 7/9, 24/7, last spring, day 3, per MAR.

Rules know every way to write a date in figures and what may stand around it; a model takes scores,
ratios and ranges for dates. So bare figures are a date where a rule says so, and nowhere else.
"""

from __future__ import annotations

from collections.abc import Iterator

from incognote.detect.note_index import NoteIndex
from incognote.detect.pattern import FigurePattern
from incognote.detect.vetoes.veto import Place

TIMES = frozenset(
    "spring summer fall autumn winter last this next early late mid dawn dusk noon midnight morning "
    "afternoon evening night tonight overnight today tomorrow yesterday day days week weeks wk wks "
    "month months mo mos year years yr yrs hour hours hr hrs minute minutes min of the one two three "
    "four five six seven eight nine ten".split()
)
"""Seasons without a year, parts of the day, spans of time."""

HOMOGRAPHS = frozenset("dec mar oct sat sun wed".split())
"""Months and days that mean something else in capitals (a medication record, a scan, saturation),
or in small letters; with one capital they are left to the model.
"""

COUNTED = FigurePattern(
    r"(?<![\w.,/:#-])\d{1,2}(?i:st|nd|rd|th)(?=[ ](?:MTP?|MCP?|PIP|DIP|ICS|(?i:digits?|fingers?|toes?|ribs?|rays?|"
    r"metatars\w+|metacarp\w+|phalan\w+|intercostal|ventricle|nerve|degree|deg|trimester|percentile|%ile|dose|floor|"
    r"grade))\b)",
    digits=[1, 2],
    then="[snrtSNRT]",
)
"""An ordinal that counts something."""


def counted(note: NoteIndex) -> Iterator[Place]:
    """3rd MT, 5th digit, 2nd trimester."""
    for match in COUNTED.find(note):
        yield match.span()


def undated(note: NoteIndex) -> Iterator[Place]:
    """Every number, and the words of time that are a date only with more beside them."""
    for figures, places in note.numbers.items():
        for start in places:
            yield start, start + len(figures)
    for word in note.vocabulary & TIMES:
        for start in note.words[word]:
            yield start, start + len(word)
    for word in note.vocabulary & HOMOGRAPHS:
        for start in note.words[word]:
            if note.text[start : start + len(word)] != word.capitalize():
                yield start, start + len(word)
