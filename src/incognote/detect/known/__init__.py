"""Finds what a table says of the patient: name, birth date, record number, address, phone.

The table's spelling is one of many: the same name in another order, case or with a slip of the
pen, the same day in another format, the same number with other separators.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache

from incognote.detect.decisions import alike, over
from incognote.detect.known.dates import find_dates
from incognote.detect.known.initials import is_titled
from incognote.detect.known.names import find_names
from incognote.detect.known.numbers import find_ages, find_literals, find_numbers, find_phones
from incognote.detect.known.places import find_places
from incognote.detect.merge import merge
from incognote.detect.reading import Reading
from incognote.document import Span

SOURCE = "known"
SCORE = 0.99

Found = tuple[int, int, str]
Finder = Callable[[Reading], Iterator[Found]]

_NAMES = frozenset({"PATIENT", "DOCTOR"})
_PLACES = frozenset(
    "STREET CITY STATE COUNTRY ZIP LOCATION-OTHER HOSPITAL ORGANIZATION PROFESSION".split()
)
_PHONES = frozenset({"PHONE", "FAX"})
_LITERAL = frozenset({"EMAIL", "URL", "USERNAME", "IPADDR"})


class KnownValues:
    """The identifiers of one row, made ready to look for."""

    def __init__(self, pairs: Iterable[tuple[str, str]]) -> None:
        rows = [(type, value.strip()) for type, value in pairs if value and value.strip()]
        names = [(type, value) for type, value in rows if type in _NAMES]
        self.finders: list[Finder] = [find_names(names)] if names else []
        self.finders += [_finder(type, value) for type, value in rows if type not in _NAMES]

    def find(self, note: Reading) -> list[Span]:
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


def _finder(type: str, value: str) -> Finder:
    if type == "DATE":
        return find_dates(value)
    if type in _PLACES:
        return find_places(type, value)
    if type in _PHONES:
        return find_phones(type, value)
    if type in _LITERAL:
        return find_literals(type, value)
    if type == "AGE":
        return find_ages(value)
    return find_numbers(type, value)


@lru_cache(maxsize=32)
def _prepared(pairs: tuple[tuple[str, str], ...]) -> KnownValues:
    return KnownValues(pairs)


def find_known(note: Reading, known: tuple[tuple[str, str], ...]) -> list[Span]:
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
