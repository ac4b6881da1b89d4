"""A name or number found once in a note is found in all its mentions, and a person's age beside it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from incognote.detect.beside import AGE, ages_beside
from incognote.detect.lexicon import ACRONYMS, is_ordinary
from incognote.detect.mention_sense import names_person
from incognote.detect.pattern import Pattern
from incognote.detect.people import Mention, Person, index_of, mentions
from incognote.detect.reading import Reading
from incognote.document import Span

SOURCE = "propagated"
STEP_DOWN = 0.05
"""How much less a repeated mention is trusted than its origin."""

PEOPLE = frozenset({"PATIENT", "DOCTOR"})
NAMED = frozenset({"HOSPITAL", "ORGANIZATION", "USERNAME"})
NUMBERED = frozenset(
    "PHONE FAX SSN MEDICALRECORD HEALTHPLAN ACCOUNT LICENSE VEHICLE DEVICE BIOID IDNUM EMAIL".split()
)
REPEATED = NAMED | NUMBERED
FIRST_RUN = Pattern(r"[^\W\d_]+|\d+")


def propagate(note: Reading, spans: Sequence[Span]) -> list[Span]:
    """What follows from what `spans` mark, none inside a span given."""
    taken = _Taken(spans)
    found = [*_people(note, spans, taken), *_strings(note, spans)]
    found += [
        _from(person, note.text, start, end, AGE)
        for start, end, person in ages_beside(note, [*spans, *found])
    ]
    return [span for span in found if not taken.covers(span.start, span.end)]


def _people(note: Reading, spans: Sequence[Span], taken: _Taken) -> Iterator[Span]:
    people: dict[str, Person] = {}
    for span in sorted(spans, key=lambda span: -span.score):
        if span.type in PEOPLE and span.text not in people:
            people[span.text] = Person(span.text, span.type, span.score)
    index = index_of(people.values())
    if not index:
        return
    text = note.text
    for mention in mentions(note, index.keys(), lambda token: index.get(token.key)):
        if not taken.covers(mention.start, mention.end) and is_name(text, mention):
            person = mention.person
            yield _from(person, text, mention.start, mention.end, person.type)


def _from(origin: Person | Span, text: str, start: int, end: int, type: str) -> Span:
    """A span that is there because of another one, and trusted a little less."""
    score = max(0.05, origin.score - STEP_DOWN)
    return Span.of(text, start, end, type, score=score, source=SOURCE)


def is_name(text: str, mention: Mention) -> bool:
    """Two parts together are a name unless plain words; one part must be meant as one."""
    if len({token.key for token in mention.parts}) > 1:
        words = text[mention.start : mention.end]
        return not (words.islower() and all(is_ordinary(token.key) for token in mention.parts))
    token = mention.parts[0]
    return names_person(text, token.start, token.end, token.key)


def _strings(note: Reading, spans: Sequence[Span]) -> Iterator[Span]:
    """Facilities, organisations, logins and numbers, wherever the same string stands again."""
    origins: dict[str, Span] = {}
    for span in spans:
        if span.type in REPEATED and _distinct(span):
            origins.setdefault(_squeezed(span.text), span)
    text = note.text
    found = [
        (start, end, origin)
        for value, origin in origins.items()
        for start, end in _same(note, value)
    ]
    reached = 0
    for start, end, origin in sorted(found, key=lambda place: (place[0], -place[1])):
        if start < reached or (text[start:end].islower() and not origin.text.islower()):
            continue
        reached = end
        yield _from(origin, text, start, end, origin.type)


def _same(note: Reading, value: str) -> Iterator[tuple[int, int]]:
    """Where the value stands as a whole, in any case and with any blanks between its words."""
    small = note.small
    first = FIRST_RUN.search(value)
    if first is None:
        return
    for place in (note.numbers if first[0].isdigit() else note.words).get(first[0], ()):
        start = place - first.start()
        end = _end(small, start, value.split(" ")) if start >= 0 else -1
        if end > 0 and not (small[start - 1 : start].isalnum() or small[end : end + 1].isalnum()):
            yield start, end


def _end(text: str, start: int, words: Sequence[str]) -> int:
    """The end of the words that follow each other from `start` on, or -1."""
    end = start
    for word in words:
        begin = end
        while end > start and text[begin : begin + 1].isspace():
            begin += 1
        if not text.startswith(word, begin) or (end > start and begin == end):
            return -1
        end = begin + len(word)
    return end


def _squeezed(value: str) -> str:
    return " ".join(value.lower().split())


def _distinct(span: Span) -> bool:
    """Whether the string is long and odd enough to mean the same thing elsewhere."""
    value = span.text.strip()
    if span.type in NUMBERED:
        return len(value) >= 5 and any(c.isdigit() for c in value)
    if len(value) < 3 or is_ordinary(value.lower()):
        return False
    return value.lower() not in ACRONYMS


class _Taken:
    """The stretches already marked, for a quick test of containment."""

    def __init__(self, spans: Sequence[Span]) -> None:
        self.covered = bytearray(max((span.end for span in spans), default=0))
        for span in spans:
            self.covered[span.start : span.end] = b"\1" * len(span)

    def covers(self, start: int, end: int) -> bool:
        """Whether every character of the stretch is marked already."""
        marked = self.covered[start:end]
        return len(marked) == end - start and all(marked)
