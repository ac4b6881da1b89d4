"""Values of a table other than names and dates, looked for together: in one pass, whatever their number.

A value is a sequence of symbols. Where it stands is told by an automaton of all of them; what must
be before and after it, by its own `Check`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import product
from operator import add
from typing import NamedTuple

from incognote.detect.note_index import NoteIndex, lazy
from incognote.detect.pattern import Pattern
from incognote.detect.sequences import Automaton, Stream
from incognote.knowledge.lexicon import is_ordinary

TypedPlace = tuple[int, int, str]
Place = tuple[int, int]

Check = Callable[[str, int, int, int], Place | None]
"""The place of a mention in a text, given where its symbols start and end, and the place that it
may not begin before; None if what stands around says that it is none.
"""


class Notation(NamedTuple):
    """How values of one kind are written: as symbols of a stream.

    `beginnings` gives the places in a note, in order, where one of some symbols may be.
    """

    stream: Stream
    beginnings: Callable[[NoteIndex, Iterable[str]], list[int]]


class KnownValue(NamedTuple):
    """A value: the type that its mentions get, how it is written, its symbols, and its check."""

    type: str
    notation: Notation
    symbols: tuple[str, ...]
    check: Check


class Search:
    """Finds values of one notation."""

    def __init__(self, notation: Notation, values: Iterable[KnownValue]) -> None:
        self._notation = notation
        self._values: dict[tuple[str, ...], list[KnownValue]] = {}
        for value in values:
            self._values.setdefault(value.symbols, []).append(value)

    @lazy
    def _automaton(self) -> Automaton:
        return Automaton(self._values)

    @lazy
    def _alike(self) -> list[list[KnownValue]]:
        return list(self._values.values())

    def find(self, note: NoteIndex) -> Iterator[TypedPlace]:
        """Every mention; two of one value never overlap."""
        reached: dict[int, int] = {}
        stream, beginnings = self._notation
        places = beginnings(note, self._automaton.firsts)
        for number, start, end in self._automaton.find(note.text, stream, places):
            for value in self._alike[number]:
                before = reached.get(id(value), 0)
                place = value.check(note.text, start, end, before) if start >= before else None
                if place is not None:
                    reached[id(value)] = place[1]
                    yield *place, value.type


def searches(values: Iterable[KnownValue]) -> list[Search]:
    """One search for all values of a notation."""
    by_notation: dict[Notation, list[KnownValue]] = {}
    for value in dict.fromkeys(values):
        by_notation.setdefault(value.notation, []).append(value)
    return [Search(notation, some) for notation, some in by_notation.items()]


@lru_cache(maxsize=20_000)
def folded(run: str) -> str:
    """What spellings of a run in capitals and small letters share."""
    return run.lower() if run.isascii() else run.casefold().replace("ı", "i").replace("\u0307", "")


def beginnings(note: NoteIndex, symbols: Iterable[str]) -> list[int]:
    """Where words, numbers and signs begin that count as one of the symbols."""
    firsts = set(symbols)
    firsts |= {word for word in note.accented if folded(word) in firsts}
    return note.beginnings(firsts)


LITERAL = Notation(
    Stream(
        re.compile(r"[^\W\d_]+|\d+|\s+|.", re.DOTALL),
        lambda run: " " if run.isspace() else folded(run),
    ),
    beginnings,
)
"""Words, numbers and signs as they stand, in any case, with any blanks between them."""


def literal(type: str, value: str, check: Check | None = None) -> KnownValue:
    """The value itself; unless there is another check, with nothing glued to it."""
    return KnownValue(type, LITERAL, LITERAL.stream.symbols(value), check or is_whole)


def is_whole(text: str, start: int, end: int, _: int = 0) -> Place | None:
    """The place itself, if nothing is glued to it."""
    glued = _is_word(text[start - 1 : start]) or _is_word(text[end : end + 1])
    return None if glued else (start, end)


def _is_word(character: str) -> bool:
    """Whether it may be part of a word, as in regular expressions."""
    return character.isalnum() or character == "_"


# Numbers with other separators, phones in other formats, an age beside its words

FEWEST_CHARACTERS = 4
FEWEST_DIGITS = 7
LOCAL = 7
"""Digits of a phone number without its area code."""

ZEROS = Pattern(r"(?<![^\W_])(?<!\d[.,-])(?:0[-–. /_]?){0,8}+")
FREE = Pattern(r"(?<![^\W_])(?<!\d[.,-])")
MOST_ZEROS = 16
"""Characters that added zeros have at most, their separators too."""

ABROAD = Pattern(r"(?<![\d.])\(?(?:\+|00)?\(?")
AT_HOME = Pattern(r"(?<![\d.])\(?(?:\+?1[-–. /()\t\xa0]{0,3})?\(?")
LONGEST_PREFIX = 8
EXTENSION = Pattern(r"(?:,?[ ]?(?:x|ext\.?|extension)[ ]?\d{1,6})?(?!\d)", re.IGNORECASE)
NO_AREA = Pattern(r"(?<![\d.)-])(?<!\d[ ])\d{3}[-–. ]\d{4}(?!\d)")

AGED = Pattern(r"(?<![\d.])(?:(?<=age )|(?<=aged )|(?<=age: ))", re.IGNORECASE)
NO_FIGURE = Pattern(r"(?![\d.])")
NOT_COUNTED_ON = Pattern(r"(?<![\d.])")
YEARS = Pattern(r"(?=[ -]?(?:y\b|y/?o\b|y\.o|yrs?\b|years?\b))", re.IGNORECASE)


def number_of(type: str, value: str) -> KnownValue:
    """The same letters and digits with any separators; leading zeros may be missing or added."""
    core = re.sub(r"[\W_]", "", value).lstrip("0")
    if len(core) < FEWEST_CHARACTERS or not any(c.isdigit() for c in core):
        return literal(type, value)
    check = _with_zeros if core[0].isdigit() else _separated
    return KnownValue(type, WITH_SEPARATORS, tuple(map(folded, core)), check)


def _number_beginnings(note: NoteIndex, symbols: Iterable[str]) -> list[int]:
    """Where letters and digits begin, zeros before them left out."""
    firsts = frozenset(symbols)
    starts = [
        place + len(figures) - len(rest)
        for figures, places in note.numbers.items()
        if (rest := figures.lstrip("0")) and rest[0] in firsts
        for place in places
    ]
    for word, places in note.words.items():
        if folded(word[0]) in firsts:
            starts += places
    starts.sort()
    return starts


WITH_SEPARATORS = Notation(Stream(re.compile(r"[-–. /_]?([^\W_])"), folded), _number_beginnings)
"""Letters and digits, each with a separator before it or not."""


def _with_zeros(text: str, start: int, end: int, lowest: int) -> Place | None:
    """A number that begins with a digit, and the zeros before it."""
    if text[end : end + 1].isalnum():
        return None
    for place in range(max(lowest, start - MOST_ZEROS), start + 1):
        if ZEROS.fullmatch(text, place, start):
            return place, end
    return None


def _separated(text: str, start: int, end: int, _: int) -> Place | None:
    """One that begins with a letter."""
    glued = text[end : end + 1].isalnum()
    return None if glued or not FREE.match(text, start) else (start, end)


def phones_of(type: str, value: str) -> Iterator[KnownValue]:
    """The same subscriber with or without country code, brackets, dots, or area code."""
    base, _, extension = value.lower().partition("x")
    digits = re.sub(r"\D", "", base)
    abroad = base.strip().startswith(("+", "00"))
    if len(digits) == 11 and digits[0] == "1":
        digits = digits[1:]
        abroad = False
    if len(digits) < FEWEST_DIGITS:
        yield literal(type, value)
        return
    tail = bool(extension) or not abroad
    yield KnownValue(type, PHONE, tuple(digits), _DIALLED[abroad, tail])
    if len(digits) == 10:
        yield KnownValue(type, PHONE, tuple(digits[-LOCAL:]), _WITHOUT_AREA[tail])


def _phone_beginnings(note: NoteIndex, symbols: Iterable[str]) -> list[int]:
    """Where numbers begin, and where they go on after a country code."""
    firsts = frozenset(symbols)
    starts: list[int] = []
    for figures, places in note.numbers.items():
        for code in ("", "1", "00"):
            size = len(code)
            if figures.startswith(code) and figures[size : size + 1] in firsts:
                starts += [place + size for place in places]
    starts.sort()
    return starts


PHONE = Notation(Stream(re.compile(r"[-–. /()\t\xa0]{0,3}(\d)"), str), _phone_beginnings)
"""Digits, and what may stand between those of a phone number."""


def _dialled(
    text: str, start: int, end: int, lowest: int, *, prefix: Pattern, tail: bool
) -> Place | None:
    """A whole number, with what may be dialled before it and its extension."""
    finish = _dialled_end(text, end, tail=tail)
    if finish is None:
        return None
    for place in range(max(lowest, start - LONGEST_PREFIX), start + 1):
        if prefix.fullmatch(text, place, start):
            return place, finish
    return None


def _without_area(text: str, start: int, end: int, _: int, *, tail: bool) -> Place | None:
    """555-0137 alone."""
    finish = _dialled_end(text, end, tail=tail) if NO_AREA.match(text, start) else None
    return None if finish is None else (start, finish)


def _dialled_end(text: str, end: int, *, tail: bool) -> int | None:
    if not tail:
        return None if text[end : end + 1].isdecimal() else end
    extension = EXTENSION.match(text, end)
    return extension.end() if extension else None


_DIALLED: dict[tuple[bool, bool], Check] = {
    (abroad, tail): partial(_dialled, prefix=ABROAD if abroad else AT_HOME, tail=tail)
    for abroad in (False, True)
    for tail in (False, True)
}
_WITHOUT_AREA: dict[bool, Check] = {
    tail: partial(_without_area, tail=tail) for tail in (False, True)
}


def age_of(value: str) -> KnownValue:
    """An age where the words around it say that it is one."""
    return literal("AGE", value, _age)


def _age(text: str, start: int, end: int, _: int) -> Place | None:
    if AGED.match(text, start) and NO_FIGURE.match(text, end):
        return start, end
    counted_on = not NOT_COUNTED_ON.match(text, start)
    return None if counted_on or not YEARS.match(text, end) else (start, end)


# Addresses, part by part, and other places and bodies by name

STATE_ZIP = Pattern(r"(?P<state>[A-Za-z][A-Za-z. ]{1,20}?)[ ]+(?P<zip>\d{5}(?:-\d{4})?)$")
ZIP = Pattern(r"\d{5}(?:-\d{4})?|[A-Za-z]\d[A-Za-z] ?\d[A-Za-z]\d")
WITHIN_A_BUILDING = Pattern(
    r"(?:apt|apartment|unit|suite|ste|floor|fl|#|lot|bldg)\b|#", re.IGNORECASE
)
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
    _merged = _group.union(*(_GROUPS[form] for form in _group if form in _GROUPS))
    _GROUPS.update(dict.fromkeys(_merged, _merged))
_ONE_OF = {form: min(group) for form, group in _GROUPS.items()}
"""What all spellings of a word count as; those of "st", street and saint, as one."""


def _symbol(run: str) -> str:
    if run[0] in ",." or run[0].isspace():
        return " "
    return "'" if run == "’" else _ONE_OF.get(folded(run), folded(run))


def _beginnings_of_places(note: NoteIndex, symbols: Iterable[str]) -> list[int]:
    forms = {form for symbol in symbols for form in _GROUPS.get(symbol, (symbol,))}
    return beginnings(note, forms | {"’"} if "'" in forms else forms)


PLACE_NAME = Notation(
    Stream(re.compile(r"[^\W\d_]+|\d+|[\s,.]+|.", re.DOTALL), _symbol), _beginnings_of_places
)
"""Words, numbers and signs, and blanks, commas and full stops between them as one."""

MOST_APOSTROPHES = 3
"""Of which each may be missing. A value with more is sought with all of them."""


def places_of(type: str, value: str) -> Iterator[KnownValue]:
    """A place; an address in one value is taken apart first."""
    for part_type, part in _address_parts(type, value):
        yield from _spelled(part_type, part)


def _address_parts(type: str, value: str) -> Iterator[tuple[str, str]]:
    """18 Quarry Ln, Apt 4, Dunmore, PA 18512 as street, city, state and zip."""
    parts = [part.strip() for part in re.split(r"[,\n;]", value) if part.strip()]
    if type != "STREET" or len(parts) < 2:
        yield type, value
        return
    size = 1
    while size < len(parts) and WITHIN_A_BUILDING.match(parts[size]):
        size += 1
    street, rest = parts[:size], parts[size:]
    yield "STREET", " ".join(street)
    yield from (("STREET", part) for part in street[:1] if len(street) > 1)
    for place, part in enumerate(rest):
        both = STATE_ZIP.match(part)
        if both:
            yield "STATE", both["state"]
            yield "ZIP", both["zip"]
        elif ZIP.fullmatch(part):
            yield "ZIP", part
        elif place == 0:
            yield "CITY", part
        else:
            yield "STATE" if len(part) <= 3 or place == 1 else "COUNTRY", part


def _spelled(type: str, value: str) -> Iterator[KnownValue]:
    words = re.findall(r"[\w'’&#-]+", value)
    if type == "ZIP" or not words:
        yield literal(type, value)
    elif type == "STATE" and len(value) == 2:
        yield KnownValue(type, PLACE_NAME, PLACE_NAME.stream.symbols(value), _State(value.upper()))
    else:
        check = _Spelled(tuple(words))
        for form in _forms(" ".join(words)):
            yield KnownValue(type, PLACE_NAME, PLACE_NAME.stream.symbols(form), check)


def _forms(value: str) -> Iterator[str]:
    """The value with and without each of its apostrophes."""
    parts = value.split("'")
    if len(parts) > MOST_APOSTROPHES + 1:
        parts = [value]
    for joints in product(("'", ""), repeat=len(parts) - 1):
        yield "".join(map(add, parts, (*joints, "")))


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
