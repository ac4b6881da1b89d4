"""What an age looks like, and what may not follow it."""

from __future__ import annotations

from collections.abc import Iterator

from incognote.detect.pattern import Pattern
from incognote.detect.rules.number_words import DECADES, FIGURES, NUMBER
from incognote.detect.rules.word_trie import trie

Finding = tuple[int, int, float]
"""Where an age starts and ends, and how sure that is."""

DECADE = rf"(?:[1-9]0'?s\b|{trie(DECADES)}\b)"
UNIT = r"(?:[ -]?(?i:months?|mths?|mos?|weeks?|wks?|days?|hours?|hrs?)\b(?! (?i:ago|later|post|s/p|gest|pregnan|prior)))"
AGE = rf"(?:{DECADE}|(?:{NUMBER})(?:-{FIGURES})?{UNIT}?)"
_UNITS = (
    r"[ -]?(?i:am|pm|a\.m|p\.m|a\b(?= )|p\b(?= )|o'clock|oclock|percent|degrees?|mg|mcg|ml|cc|cm|mm|kg|lbs?|oz|feet|"
    r"ft|inch(?:es)?|in\.|units?|times|x\b|days?|d\b|weeks?|wks?|w\b|months?|mos?|hours?|hrs?|h\b|min(?:utes)?|mins|"
    r"sec(?:onds)?|years? (?:ago|later|of (?!age)|post|after|prior|before|duration|hist|now)|yrs? ago|y ago|"
    r"years?,? (?:with|w/)|pack|ppd|packs?|cig|beers?|drinks?|episodes?|of (?:\d|the|which|them)|out of|more|other|"
    r"children|kids|sons?|daughters?|brothers?|sisters?|siblings?|people|dogs?|cats?|doses?|tabs?|pills?|visits?|"
    r"admissions?|bpm|mmhg|hz|st\b|nd\b|rd\b|th\b|minute|steps?|stairs|blocks|miles?|km|meters?|grade|trips?)\b"
)
NOT_AFTER = rf"(?![\w½°%'’$]|[-/:.,]\d|-[a-z]|{_UNITS})"
"""After an age stands neither a unit nor a thing that is counted, nor more of a larger number."""

NOT_AFTER_IN_LIST = rf"(?![\w½°%'’$]|[:.]\d|-[a-z]|{_UNITS})"

_MORE = Pattern(
    rf"(?:,? ?(?:and|&|or|to|->|(?:→|->) actual)|,|/|-|–| (?=\())[ ]?\(?(?P<n>{AGE}){NOT_AFTER_IN_LIST}"
    r"(?=[.,;)/\n–-]|\Z|[ ]{2}| (?:and|&|or|to|all|both|who|with|w/|years|yrs|yo|y/o|in|here|respectively|\()\b| \()"
)


def further_ages(text: str, end: int) -> Iterator[tuple[int, int]]:
    """The other numbers of a list of ages: `ages 2, 5 and 9`."""
    for _ in range(8):
        more = _MORE.match(text, end)
        if not more:
            return
        yield more.span("n")
        end = more.end("n")


SHORT = (1, 2, 3)
"""How many digits an age has."""

BLANKS = " \t\r\n\xa0"
DASHES = "-‐‑‒–—―"
"""For use at the head of a character class."""
