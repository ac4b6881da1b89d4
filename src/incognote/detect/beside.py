"""The age that stands beside a person: `Mrs Ione Rask, 74, organist`, `Iker (7)`, `Wistin 77 / M`.

Whoever found the person, rule or model, the number after the name is an age. A rule alone would
need to know the name.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from incognote.detect.pattern import Pattern
from incognote.detect.reading import Reading
from incognote.detect.rules.ages.values import NOT_AFTER, UNIT
from incognote.detect.rules.number_words import WORDS
from incognote.document import Span

PERSON, AGE = "PATIENT", "AGE"
STEP_DOWN = 0.05
"""How much less the age is trusted than the person."""

_FIGURES = r"(?:[1-9]\d?|10\d)"
_ABOUT = r"(?:(?:now|then|age|aged|about|abt|approx\.?|just) |~ ?)?"
_YEARS = r" ?(?i:y(?:(?:ea)?rs?)?|ans|y/?o)\b(?! (?:ago|later|older|younger|an?|of (?!age)|\d))"
_PART = r" ?(?i:y(?:(?:ea)?rs?)?)[ ,]{1,2}\d{1,2}(?:/12| ?(?i:m(?:o(?:nth)?s?|ths?)?)\b)"
_MONTH = r"(?! ?(?i:jan|feb|mar|apr|may|jun|jul|aug|sept?|oct|nov|dec))"
_STOP = r"(?=[,.;:)\]\n\r]|[ \t]{2}| ?/(?! ?\d)|\Z)"
BESIDE = Pattern(
    # after a comma or in brackets: any age, in figures or in words, unless it counts something
    rf"(?:, ?| ?[(\[]){_ABOUT}(?:(?P<n>{_FIGURES}{_PART})"
    rf"|(?P<n2>{_FIGURES}{UNIT}?)(?:(?={_YEARS})|{NOT_AFTER}{_MONTH}(?! [1-9]/))"
    rf"|(?P<n3>{WORDS}{UNIT}?)(?:(?={_YEARS})|{NOT_AFTER}{_STOP}))"
    # after blanks or a stroke: two figures that nothing follows but an end or the sex
    rf"|(?: ?/ ?|[ \t]{{1,8}})(?P<n4>[1-9]\d)(?![-.,:]\d)(?:{_STOP}|(?={_YEARS}| ?[MFmf]\b))"
)


def ages_beside(note: Reading, spans: Sequence[Span]) -> Iterator[Span]:
    """The ages directly after the persons of `spans`."""
    for span in spans:
        if span.type == PERSON and (match := BESIDE.match(note.text, span.end)):
            start, end = match.span(match.lastgroup or 0)
            score = max(0.05, span.score - STEP_DOWN)
            yield Span.of(note.text, start, end, AGE, score=score, source="propagated")
