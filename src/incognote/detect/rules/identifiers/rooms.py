"""Rooms and beds, which identify a patient to anyone who can read a census."""

from __future__ import annotations

from collections.abc import Iterator

from incognote.detect.pattern import FigurePattern, WordPattern
from incognote.detect.reading import Reading
from incognote.document import Span

TYPE = "IDNUM"
SOURCE = "rules.numbers"

_NOT_AFTER = (
    r"(?![A-Za-z0-9%/:°'’]|[-.,]\d|[ ](?:North|South|East|West)\b|(?<=[:\s]\d) [A-Z][a-z]"
    r"| ?(?:air|of|degrees?|deg|beds?|min|hrs?|hours?|days?|rails?|x|times|mg|feet|ft|sessions?|ml|cm"
    r"|to \d|am|pm)\b)"
)
_LABELLED = WordPattern(
    r"(?<![^\W_])(?<!exam )(?<!operating )(?<!waiting )(?<!Exam )(?:"
    r"(?i:room[ -]bed|rooms?(?: no\.?| #)?|rm\.?)[ \t\xa0:#_]{0,24}+"
    r"(?P<room>(?:LDR |(?i:resus) )?(?:\d{0,4}[A-Z]{1,2}-?\d{1,4}|\d{2,4}|\d(?=[A-Z-]))"
    r"[A-Za-z]?(?:-(?:[A-Z]|\d{1,3}[A-Z]?))?|(?:LDR|(?i:resus)) \d)"
    r"|(?i:bed)(?i: no\.?| #)?[ \t\xa0:#_]{0,24}+"
    r"(?P<bed>\d{0,4}[A-Z]{0,2}-?\d{1,4}[A-Za-z]?(?:-(?:[A-Z]|\d{1,3}[A-Z]?))?)"
    r"|[Ll](?:oc|OC|ocation|OCATION)[ :]{1,8}+(?P<loc>\d{1,2}[A-Z]{1,2}-\d{1,3}[A-Z]?(?:-\d{1,2})?)"
    r")" + _NOT_AFTER,
    words=frozenset("room rooms rm bed loc location".split()),
)
_UNIT = WordPattern(
    r"(?<!\w)(?:ED|[CIMSPN](?:VI|I)?CU|[Rr](?:esus|ESUS)) (?P<value>[A-Z]?\d{1,2})"
    r"(?=[ \t]{2}|\r?\n|\Z|\.(?:\s|\Z)| ->| →| \()"
)
_FORM = FigurePattern(
    r"\d(?<![A-Za-z0-9./#-].)\d?[NSEW]-\d{2,3}(?:-?[A-Z12])?(?![A-Za-z0-9/.-])"
    r"|\d(?:(?<=/ .)|(?<=assigned .)|(?<=moved to .))\d{2,3}-[A-D1-4](?![A-Za-z0-9/.-])",
    then="[NSEW]-|-[A-D1-4]",
)


def find_rooms(note: Reading) -> Iterator[Span]:
    """Room and bed numbers in a note."""
    text = note.text
    for match in _LABELLED.find(note):
        start, end = match.span(match.lastgroup or 0)
        yield Span.of(text, start, end, TYPE, score=0.75, source=SOURCE)
    for match in _UNIT.find(note):
        yield Span.of(text, *match.span("value"), TYPE, score=0.65, source=SOURCE)
    for match in _FORM.find(note):
        yield Span.of(text, *match.span(), TYPE, score=0.7, source=SOURCE)
