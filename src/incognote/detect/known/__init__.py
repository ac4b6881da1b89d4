"""Finds what a table says of the patient: name, birth date, record number, address, phone.

The table's spelling is one of many: the same name in another order, case or with a slip of the
pen, the same day in another format, the same number with other separators.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache

from incognote.detect.decisions import alike, over
from incognote.detect.known.dates import KnownDays
from incognote.detect.known.initials import is_titled
from incognote.detect.known.names import find_names
from incognote.detect.known.numbers import age_of, number_of, phones_of
from incognote.detect.known.places import places_of
from incognote.detect.known.search import Found, Sought, as_written, searches
from incognote.detect.merge import merge
from incognote.detect.note_index import NoteIndex
from incognote.document import Span

SOURCE = "known"
SCORE = 0.99

Finder = Callable[[NoteIndex], Iterator[Found]]

_NAMES = frozenset({"PATIENT", "DOCTOR"})
_PLACES = frozenset(
    "STREET CITY STATE COUNTRY ZIP LOCATION-OTHER HOSPITAL ORGANIZATION PROFESSION".split()
)
_PHONES = frozenset({"PHONE", "FAX"})
_LITERAL = frozenset({"EMAIL", "URL", "USERNAME", "IPADDR"})


class KnownValues:
    """The identifiers of one row, made ready to look for: all of them in one go over a note."""

    def __init__(self, pairs: Iterable[tuple[str, str]]) -> None:
        rows = dict.fromkeys(
            (type, value.strip()) for type, value in pairs if value and value.strip()
        )
        names = [(type, value) for type, value in rows if type in _NAMES]
        days = KnownDays()
        others = [pair for pair in rows if pair[0] not in _NAMES]
        sought = [each for pair in others for each in _sought(*pair, days)]
        self.finders: list[Finder] = [find_names(names)] if names else []
        self.finders += [days.find, *(search.find for search in searches(sought))]

    def find(self, note: NoteIndex) -> list[Span]:
        """Every mention, in order; mentions inside a longer one of the same type are left out."""
        found = sorted(
            {item for finder in self.finders for item in finder(note)},
            key=lambda item: (item[0], -item[1], item[2]),
        )
        kept: list[Span] = []
        reach: dict[str, int] = {}
        for start, end, type in found:
            if end > reach.get(type, -1):
                reach[type] = end
                kept.append(Span.of(note.text, start, end, type, score=SCORE, source=SOURCE))
        return kept


def _sought(type: str, value: str, days: KnownDays) -> Iterable[Sought]:
    if type == "DATE":
        return () if days.add(value) else (as_written(type, value),)
    if type in _PLACES:
        return places_of(type, value)
    if type in _PHONES:
        return phones_of(type, value)
    if type in _LITERAL:
        return (as_written(type, value),)
    return (age_of(value) if type == "AGE" else number_of(type, value),)


@lru_cache(maxsize=32)
def _prepared(pairs: tuple[tuple[str, str], ...]) -> KnownValues:
    return KnownValues(pairs)


def find_known(note: NoteIndex, known: tuple[tuple[str, str], ...]) -> list[Span]:
    """The mentions in a note of what its table row says."""
    return _prepared(known).find(note) if known else []


def as_known(text: str, spans: Iterable[Span], known: Sequence[Span]) -> list[Span]:
    """What others found, under the type that the table gives to the same place; but a doctor by
    title stays one, also of the patient's name.
    """
    if not known:
        return list(spans)
    sure = merge(text, known)
    return [_named(text, span, over(sure, span.start, span.end)) for span in spans]


def _named(text: str, span: Span, sure: Sequence[Span]) -> Span:
    if span.type == "DOCTOR" and is_titled(text, span.start):
        return span
    for other in sure:
        if other.type != span.type and alike(span, other):
            return replace(span, type=other.type, label=other.type)
    return span
