"""A given address, part by part, and other places and bodies by name."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from incognote.detect.known.numbers import Found, find_literals
from incognote.detect.lexicon import is_ordinary
from incognote.detect.pattern import Pattern
from incognote.detect.reading import Reading

STATE_ZIP = Pattern(r"(?P<state>[A-Za-z][A-Za-z. ]{1,20}?)[ ]+(?P<zip>\d{5}(?:-\d{4})?)$")
ZIP = Pattern(r"\d{5}(?:-\d{4})?|[A-Za-z]\d[A-Za-z] ?\d[A-Za-z]\d")
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


def find_places(type: str, value: str) -> Callable[[Reading], Iterator[Found]]:
    """A finder for a place; an address in one value is taken apart first."""
    parts = list(_address_parts(type, value))
    finders = [_finder_of(part_type, part) for part_type, part in parts]

    def find(note: Reading) -> Iterator[Found]:
        for finder in finders:
            yield from finder(note)

    return find


def _address_parts(type: str, value: str) -> Iterator[tuple[str, str]]:
    """18 Quarry Ln, Apt 4, Dunmore, PA 18512 as street, city, state and zip."""
    pieces = [piece.strip() for piece in re.split(r"[,\n;]", value) if piece.strip()]
    if type != "STREET" or len(pieces) == 1:
        yield type, value
        return
    street = [pieces[0]]
    rest = pieces[1:]
    while rest and re.match(
        r"(?:apt|apartment|unit|suite|ste|floor|fl|#|lot|bldg)\b|#", rest[0], re.I
    ):
        street.append(rest.pop(0))
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


def _finder_of(type: str, value: str) -> Callable[[Reading], Iterator[Found]]:
    if type == "ZIP":
        return find_literals(type, value)
    words = re.findall(r"[\w'’&#-]+", value)
    if not words:
        return find_literals(type, value)
    if type == "STATE" and len(value) == 2:
        pattern = re.compile(
            rf"(?<=, ){re.escape(value.upper())}(?![\w.])|(?<!\w){re.escape(value.upper())}(?=[ ]{{1,2}}\d{{5}})"
        )
        return lambda note: ((m.start(), m.end(), type) for m in pattern.finditer(note.text))
    spelled = r"[\s,.]{1,4}".join(map(_spellings, words))
    pattern = re.compile(rf"(?<!\w){spelled}(?!\w)", re.IGNORECASE)
    plain = len(words) == 1 and is_ordinary(words[0].lower())

    def find(note: Reading) -> Iterator[Found]:
        for match in pattern.finditer(note.text):
            if not (plain and match[0].islower()):
                yield match.start(), match.end(), type

    return find


def _spellings(word: str) -> str:
    folded = word.lower().rstrip(".")
    forms = {re.escape(word)}
    for group in SPELLINGS:
        if folded in group:
            forms |= {re.escape(form) for form in group}
    apostrophes = "|".join(sorted(forms, key=lambda form: (-len(form), form)))
    return f"(?:{apostrophes.replace(chr(39), '[' + chr(39) + '’]?')})"
