"""A name or number found once in a note is found in all its mentions, and a person's age beside it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from incognote.detect.mention_sense import names_person
from incognote.detect.name_mentions import NameMention, Person, index_of, mentions
from incognote.detect.note_index import NoteIndex
from incognote.detect.pattern import Pattern
from incognote.detect.rules.ages import NOT_AFTER, UNIT, WORDS
from incognote.detect.sequences import Automaton, Stream
from incognote.document import Span
from incognote.knowledge.lexicon import ACRONYMS, is_ordinary

SOURCE = "propagated"
STEP_DOWN = 0.05
"""How much less a repeated mention is trusted than its origin."""

PEOPLE = frozenset({"PATIENT", "DOCTOR"})
NAME_TYPES = frozenset({"HOSPITAL", "ORGANIZATION", "USERNAME"})
NUMBER_TYPES = frozenset(
    "PHONE FAX SSN MEDICALRECORD HEALTHPLAN ACCOUNT LICENSE VEHICLE DEVICE BIOID IDNUM EMAIL".split()
)
EXACT_STREAM = Stream(
    re.compile(r"[^\W\d_]+|\d+|\s+|.", re.DOTALL), lambda run: " " if run.isspace() else run
)
"""Words, numbers and signs, and blanks of any kind and number as one."""


def propagate(
    note: NoteIndex,
    spans: Sequence[Span],
    others: Sequence[Span] = (),
    codes: frozenset[str] = frozenset(),
) -> list[Span]:
    """The mentions that follow from what `spans` mark, and from what `others` mark.

    `codes` are types of a site's own whose values are numbers or the like.

    Where only `others` have marked something, mentions of `spans` count all the same, and the two
    are compared afterwards: so rules may name what a model has found. No other mention lies inside
    of what is marked.
    """
    return [mention for mention, _ in mentions_and_origins(note, spans, others, codes)]


def mentions_and_origins(
    note: NoteIndex,
    spans: Sequence[Span],
    others: Sequence[Span] = (),
    codes: frozenset[str] = frozenset(),
) -> list[tuple[Span, Person | Span]]:
    """The same, each with the person or span that it follows from."""
    marks = _Marks(spans, others)
    repeats: list[tuple[Span, bool, Person | Span]] = [
        *_people(note, spans, others, marks),
        *_strings(note, spans, others, marks, codes),
    ]
    ages: list[tuple[Span, Person | Span]] = []
    for some, own in ((spans, True), (others, False)):
        people = [*some, *(span for span, is_own, _ in repeats if is_own == own)]
        for start, end, person in _ages_beside(note, people):
            if not marks.covers(start, end, own=own):
                ages.append((_from(person, note.text, start, end, "AGE"), person))
    return [*((span, origin) for span, _, origin in repeats), *ages]


def _people(
    note: NoteIndex, spans: Sequence[Span], others: Sequence[Span], marks: _Marks
) -> Iterator[tuple[Span, bool, Person]]:
    """Mentions of people, whether each is of `spans` alone, and whose they are."""
    own_index = index_of(_persons(spans))
    index = {**index_of(_persons(others)), **own_index}
    if not index:
        return
    text = note.text
    for mention in mentions(note, index.keys(), lambda token: index.get(token.key)):
        own = all(part.key in own_index for part in mention.parts)
        if not marks.covers(mention.start, mention.end, own=own) and is_name(text, mention):
            person = mention.person
            yield _from(person, text, mention.start, mention.end, person.type), own, person


def _persons(spans: Iterable[Span]) -> Iterable[Person]:
    """The people among the spans, those found most surely first."""
    people: dict[str, Person] = {}
    for span in sorted(spans, key=lambda span: -span.score):
        if span.type in PEOPLE and span.text not in people:
            people[span.text] = Person(span.text, span.type, span.score)
    return people.values()


def _from(origin: Person | Span, text: str, start: int, end: int, type: str) -> Span:
    """A span that is there because of another one, and trusted a little less."""
    score = max(0.05, origin.score - STEP_DOWN)
    return Span.of(text, start, end, type, score=score, source=SOURCE)


def is_name(text: str, mention: NameMention) -> bool:
    """Two parts together are a name unless plain words; one part must be meant as one."""
    if len({token.key for token in mention.parts}) > 1:
        words = text[mention.start : mention.end]
        return not (words.islower() and all(is_ordinary(token.key) for token in mention.parts))
    token = mention.parts[0]
    return names_person(text, token.start, token.end, token.key)


# The age beside a person: `Mrs Ione Rask, 74, organist`, `Iker (7)`, `Wistin 77 / M`. Whoever found
# the person, rule or model, the number after the name is an age; a rule would need to know the name.

_FIGURES = r"(?:[1-9]\d?|10\d)"
_ABOUT = r"(?:(?:now|then|age|aged|about|abt|approx\.?|just) |~ ?)?"
_ELAPSED = r"(?i:ago|later|older|younger|post|s/p|since|after|prior|before|with|w/|in|into|sober|clean|an?|of(?! age))"
_YEARS = rf" ?(?i:y(?:(?:ea)?rs?)?|ans|y/?o)\b(?!,? (?:{_ELAPSED}\b|\d))"
_NOT_YEARS = r"(?! ?(?i:y(?:(?:ea)?rs?)?)\b)"
_PART = r" ?(?i:y(?:(?:ea)?rs?)?)[ ,]{1,2}\d{1,2}(?:/12| ?(?i:m(?:o(?:nth)?s?|ths?)?)\b)"
_MONTHS = (
    "jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
)
_MONTH = rf"(?! ?(?i:{_MONTHS}|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b)"
_STOP = r"(?=[,.;:)\]\n\r]|[ \t]{2}| ?/(?! ?\d)|\Z)"
AGE_BESIDE = Pattern(
    # after a comma or in brackets: in figures or in words, unless it counts something
    rf"(?:, ?| ?[(\[]){_ABOUT}(?:(?P<n>{_FIGURES}{_PART})"
    rf"|(?P<n2>[1-9]\d|10\d)(?:(?={_YEARS})|{_NOT_YEARS}{NOT_AFTER}{_MONTH}(?! [1-9]/))"
    rf"|(?P<n3>(?:[1-9]|{WORDS}))(?:(?={_YEARS})|{NOT_AFTER}{_STOP})"
    rf"|(?P<n4>(?!(?:[2-9]\d|1\d\d)[ -]?(?i:w))(?:{_FIGURES}|{WORDS}){UNIT}){_STOP})"
    # after blanks or a stroke: two figures that nothing follows but an end or the sex
    rf"|(?: ?/ ?|[ \t]{{1,8}})(?P<n5>[1-9]\d)(?![-.,:]\d)(?:{_STOP}|(?={_YEARS}| ?[MFmf]\b))"
)


def _ages_beside(note: NoteIndex, spans: Sequence[Span]) -> Iterator[tuple[int, int, Span]]:
    """Where an age stands directly after a person of `spans`, and that person."""
    for span in spans:
        if span.type == "PATIENT" and (match := AGE_BESIDE.match(note.text, span.end)):
            yield *match.span(match.lastgroup or 0), span


# Facilities, organisations, logins and numbers


def _strings(
    note: NoteIndex,
    spans: Sequence[Span],
    others: Sequence[Span],
    marks: _Marks,
    codes: frozenset[str],
) -> Iterator[tuple[Span, bool, Span]]:
    """Where the same string stands again, whether it is of `spans`, and where it was found."""
    own_origins = _string_origins(spans, codes)
    text = note.text
    places = list(_same(note, {**_string_origins(others, codes), **own_origins}))
    places.sort(key=lambda place: (place[0], -place[1]))
    reached = 0
    for start, end, origin in places:
        if start < reached or (text[start:end].islower() and not origin.text.islower()):
            continue
        reached = end
        own = _squeezed(origin.text) in own_origins
        if not marks.covers(start, end, own=own):
            yield _from(origin, text, start, end, origin.type), own, origin


def _string_origins(spans: Iterable[Span], codes: frozenset[str]) -> dict[str, Span]:
    origins: dict[str, Span] = {}
    for span in spans:
        is_number = span.type in NUMBER_TYPES or span.type in codes
        if (is_number or span.type in NAME_TYPES) and _distinct(span, is_number=is_number):
            origins.setdefault(_squeezed(span.text), span)
    return origins


def _same(note: NoteIndex, origins: Mapping[str, Span]) -> Iterator[tuple[int, int, Span]]:
    """Where a value stands as a whole, in any case and with any blanks between its words."""
    targets: list[Span] = []
    sequences: list[tuple[str, ...]] = []
    for value, origin in origins.items():
        symbols = EXACT_STREAM.symbols(value)
        if not any(map(str.isalnum, symbols)):
            continue
        if _stands_once(note, symbols, origin):
            start = origin.start + len(origin.text) - len(origin.text.lstrip())
            yield start, start + len(origin.text.strip()), origin
        else:
            sequences.append(symbols)
            targets.append(origin)
    if not targets:
        return
    automaton, small = Automaton(sequences), note.small
    for number, start, end in automaton.find(
        small, EXACT_STREAM, note.beginnings(automaton.firsts)
    ):
        if not (small[start - 1 : start].isalnum() or small[end : end + 1].isalnum()):
            yield start, end, targets[number]


def _stands_once(note: NoteIndex, symbols: Sequence[str], origin: Span) -> bool:
    """Whether one of its words or numbers says that the value stands nowhere but at its origin."""
    start, end = origin.start, origin.end
    if note.text[start - 1 : start].isalnum() or note.text[end : end + 1].isalnum():
        return False
    return any(symbol.isalnum() and note.count(symbol) == 1 for symbol in symbols)


def _squeezed(value: str) -> str:
    return " ".join(value.lower().split())


def _distinct(span: Span, *, is_number: bool) -> bool:
    """Whether the string is long and odd enough to mean the same thing elsewhere."""
    value = span.text.strip()
    if is_number:
        return len(value) >= 5 and any(c.isdigit() for c in value)
    if len(value) < 3 or is_ordinary(value.lower()):
        return False
    return value.lower() not in ACRONYMS


class _Marks:
    """The characters that are marked already: 1 by the spans of one's own, 2 by those of others."""

    def __init__(self, spans: Sequence[Span], others: Sequence[Span]) -> None:
        self._marks = bytearray(max((span.end for span in (*spans, *others)), default=0))
        for some, mark in ((others, b"\2"), (spans, b"\1")):
            for span in some:
                self._marks[span.start : span.end] = mark * len(span)

    def covers(self, start: int, end: int, *, own: bool) -> bool:
        """Whether every character from start to end is marked; with `own`, by one's own spans."""
        marks = self._marks[start:end]
        return len(marks) == end - start and 0 not in marks and not (own and 2 in marks)
