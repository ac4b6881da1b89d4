"""The age that stands beside a person: `Mrs Ione Rask, 74, organist`, `Iker (7)`, `Wistin 77 / M`.

Whoever found the person, rule or model, the number after the name is an age. A rule alone would
need to know the name.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from incognote.detect.note_index import NoteIndex
from incognote.detect.pattern import Pattern
from incognote.detect.rules.ages import NOT_AFTER, UNIT, WORDS
from incognote.document import Span

PERSON, AGE = "PATIENT", "AGE"

_FIGURES = r"(?:[1-9]\d?|10\d)"
_ABOUT = r"(?:(?:now|then|age|aged|about|abt|approx\.?|just) |~ ?)?"
_SPENT = r"(?i:ago|later|older|younger|post|s/p|since|after|prior|before|with|w/|in|into|sober|clean|an?|of(?! age))"
_YEARS = rf" ?(?i:y(?:(?:ea)?rs?)?|ans|y/?o)\b(?!,? (?:{_SPENT}\b|\d))"
_NOT_YEARS = r"(?! ?(?i:y(?:(?:ea)?rs?)?)\b)"
_PART = r" ?(?i:y(?:(?:ea)?rs?)?)[ ,]{1,2}\d{1,2}(?:/12| ?(?i:m(?:o(?:nth)?s?|ths?)?)\b)"
_MONTHS = (
    "jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
)
_MONTH = rf"(?! ?(?i:{_MONTHS}|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b)"
_STOP = r"(?=[,.;:)\]\n\r]|[ \t]{2}| ?/(?! ?\d)|\Z)"
BESIDE = Pattern(
    # after a comma or in brackets: in figures or in words, unless it counts something
    rf"(?:, ?| ?[(\[]){_ABOUT}(?:(?P<n>{_FIGURES}{_PART})"
    rf"|(?P<n2>[1-9]\d|10\d)(?:(?={_YEARS})|{_NOT_YEARS}{NOT_AFTER}{_MONTH}(?! [1-9]/))"
    rf"|(?P<n3>(?:[1-9]|{WORDS}))(?:(?={_YEARS})|{NOT_AFTER}{_STOP})"
    rf"|(?P<n4>(?!(?:[2-9]\d|1\d\d)[ -]?(?i:w))(?:{_FIGURES}|{WORDS}){UNIT}){_STOP})"
    # after blanks or a stroke: two figures that nothing follows but an end or the sex
    rf"|(?: ?/ ?|[ \t]{{1,8}})(?P<n5>[1-9]\d)(?![-.,:]\d)(?:{_STOP}|(?={_YEARS}| ?[MFmf]\b))"
)


def ages_beside(note: NoteIndex, spans: Sequence[Span]) -> Iterator[tuple[int, int, Span]]:
    """Where an age stands directly after a person of `spans`, and that person."""
    for span in spans:
        if span.type == PERSON and (match := BESIDE.match(note.text, span.end)):
            yield *match.span(match.lastgroup or 0), span
