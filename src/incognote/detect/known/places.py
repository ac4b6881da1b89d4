"""A given address, part by part, and other places and bodies by name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import product
from operator import add

from incognote.detect.known.search import (
    Notation,
    Place,
    Sought,
    as_written,
    beginnings,
    folded,
)
from incognote.detect.note_index import NoteIndex, lazy
from incognote.detect.pattern import Pattern
from incognote.detect.sequences import Stream
from incognote.knowledge.lexicon import is_ordinary

STATE_ZIP = Pattern(r"(?P<state>[A-Za-z][A-Za-z. ]{1,20}?)[ ]+(?P<zip>\d{5}(?:-\d{4})?)$")
ZIP = Pattern(r"\d{5}(?:-\d{4})?|[A-Za-z]\d[A-Za-z] ?\d[A-Za-z]\d")
UNIT = Pattern(r"(?:apt|apartment|unit|suite|ste|floor|fl|#|lot|bldg)\b|#", re.IGNORECASE)
SPELLINGS = tuple(
    frozenset(group.split("|"))
    for group in (
        "street|str|st",
        "avenue|ave|av",
        "road|rd",
        "lane|ln",
        "drive|dr",
        "court|ct",
        "boulevard|blvd",
        "place|pl",
        "terrace|ter|terr",
        "circle|cir",
        "highway|hwy",
        "parkway|pkwy",
        "square|sq",
        "apartment|apt|unit|#",
        "suite|ste",
        "floor|fl",
        "north|n",
        "south|s",
        "east|e",
        "west|w",
        "northwest|nw",
        "northeast|ne",
        "southwest|sw",
        "southeast|se",
        "saint|st",
        "mount|mt",
        "fort|ft",
    )
)


_GROUPS: dict[str, frozenset[str]] = {}
for _group in SPELLINGS:
    _joined = _group.union(*(_GROUPS[form] for form in _group if form in _GROUPS))
    _GROUPS.update(dict.fromkeys(_joined, _joined))
_ONE_OF = {form: min(group) for form, group in _GROUPS.items()}
"""What all spellings of a word count as; those of "st", street and saint, as one."""


def _symbol(run: str) -> str:
    if run[0] in ",." or run[0].isspace():
        return " "
    return "'" if run == "’" else _ONE_OF.get(folded(run), folded(run))


def _beginnings(note: NoteIndex, symbols: Iterable[str]) -> list[int]:
    forms = {form for symbol in symbols for form in _GROUPS.get(symbol, (symbol,))}
    return beginnings(note, forms | {"’"} if "'" in forms else forms)


NAMED = Notation(Stream(re.compile(r"[^\W\d_]+|\d+|[\s,.]+|.", re.DOTALL), _symbol), _beginnings)
"""Words, numbers and signs, and blanks, commas and full stops between them as one."""

MOST_APOSTROPHES = 3
"""Of which each may be missing. A value with more is sought with all of them."""


def places_of(type: str, value: str) -> Iterator[Sought]:
    """A place; an address in one value is taken apart first."""
    for part_type, part in _address_parts(type, value):
        yield from _spelled(part_type, part)


def _address_parts(type: str, value: str) -> Iterator[tuple[str, str]]:
    """18 Quarry Ln, Apt 4, Dunmore, PA 18512 as street, city, state and zip."""
    pieces = [piece.strip() for piece in re.split(r"[,\n;]", value) if piece.strip()]
    if type != "STREET" or len(pieces) < 2:
        yield type, value
        return
    size = 1
    while size < len(pieces) and UNIT.match(pieces[size]):
        size += 1
    street, rest = pieces[:size], pieces[size:]
    yield "STREET", " ".join(street)
    yield from (("STREET", piece) for piece in street[:1] if len(street) > 1)
    for place, piece in enumerate(rest):
        both = STATE_ZIP.match(piece)
        if both:
            yield "STATE", both["state"]
            yield "ZIP", both["zip"]
        elif ZIP.fullmatch(piece):
            yield "ZIP", piece
        elif place == 0:
            yield "CITY", piece
        else:
            yield "STATE" if len(piece) <= 3 or place == 1 else "COUNTRY", piece


def _spelled(type: str, value: str) -> Iterator[Sought]:
    words = re.findall(r"[\w'’&#-]+", value)
    if type == "ZIP" or not words:
        yield as_written(type, value)
    elif type == "STATE" and len(value) == 2:
        yield Sought(type, NAMED, NAMED.stream.symbols(value), _State(value.upper()))
    else:
        check = _Spelled(tuple(words))
        for form in _forms(" ".join(words)):
            yield Sought(type, NAMED, NAMED.stream.symbols(form), check)


def _forms(value: str) -> Iterator[str]:
    """The value with and without each of its apostrophes."""
    pieces = value.split("'")
    if len(pieces) > MOST_APOSTROPHES + 1:
        pieces = [value]
    for joints in product(("'", ""), repeat=len(pieces) - 1):
        yield "".join(map(add, pieces, (*joints, "")))


@dataclass(frozen=True)
class _State:
    """Two capitals after a comma or before a postcode."""

    capitals: str

    @lazy
    def pattern(self) -> re.Pattern[str]:
        capitals = re.escape(self.capitals)
        return re.compile(rf"(?<=, ){capitals}(?![\w.])|(?<!\w){capitals}(?=[ ]{{1,2}}\d{{5}})")

    def __call__(self, text: str, start: int, _end: int, _lowest: int) -> Place | None:
        match = self.pattern.match(text, start)
        return match.span() if match else None


@dataclass(frozen=True)
class _Spelled:
    """The words of a place in any spelling; a plain word alone is none in small letters."""

    words: tuple[str, ...]

    @lazy
    def pattern(self) -> re.Pattern[str]:
        spelled = r"[\s,.]{1,4}".join(map(_spellings, self.words))
        return re.compile(rf"(?<!\w){spelled}(?!\w)", re.IGNORECASE)

    @lazy
    def plain(self) -> bool:
        return len(self.words) == 1 and is_ordinary(self.words[0].lower())

    def __call__(self, text: str, start: int, _end: int, _lowest: int) -> Place | None:
        match = self.pattern.match(text, start)
        if match is None or (self.plain and match[0].islower()):
            return None
        return match.span()


def _spellings(word: str) -> str:
    forms = {re.escape(word)}
    for group in SPELLINGS:
        if word.lower() in group:
            forms |= {re.escape(form) for form in group}
    apostrophes = "|".join(sorted(forms, key=lambda form: (-len(form), form)))
    return f"(?:{apostrophes.replace(chr(39), '[' + chr(39) + '’]?')})"
