"""Numbers of things that lead back to a person: accessions, orders, cases, rooms, specimens."""

from __future__ import annotations

import re
from collections.abc import Iterator
from string import ascii_uppercase, digits

from incognote.detect.lexicon.numbers import (
    BIOMETRICS,
    CAPITALS,
    CODES,
    DOCUMENTS,
    LOOSE,
    NOT_BEFORE_HASH,
    NUMBERED,
    SURE,
)
from incognote.detect.pattern import CodePattern, LinePattern, Pattern, WordPattern
from incognote.detect.reading import Reading
from incognote.detect.rules.family import Family
from incognote.detect.rules.identifiers.labelled import Labels, labelled
from incognote.detect.rules.identifiers.rooms import find_rooms
from incognote.detect.rules.identifiers.value import (
    any_value,
    coded,
    digits_of,
    donation,
    lettered,
    like_date,
    like_phone,
    value_end,
)
from incognote.detect.rules.word_trie import heads, trie
from incognote.document import Span

IDNUM = "IDNUM"
BIOID = "BIOID"
SOURCE = "rules.numbers"

_HYPHENED = Pattern(
    r"[A-Z0-9](?<![A-Za-z0-9./-].)[A-Z0-9]{0,6}+-[A-Z0-9]{1,8}+(?:-[A-Z0-9]{1,8}+){0,4}(?![A-Za-z0-9]|[-/.]\d)"
)
_SEVERAL = frozenset(range(3, 9))
_OF_CODES = frozenset(ascii_uppercase + digits + "-")
_FORMS = Pattern(
    r"[A-Z]{1,3}-?\d\d-\d{3,8}(?:-[A-Z])?"  # S23-9215, SP07-30442, CT-22-0098143
    r"|\d\d-?[A-Z]{1,3}-\d{3,7}"  # 04-S-5512, 13-SP-20981
    r"|(?:19|20)\d\d-[A-Z]{2}-\d{3,6}"  # 2011-DR-2204, a court's file
    r"|[A-Z]\d\d-\d{3}-\d{4,5}"  # X23-051-65334
    r"|\d\d-[0-3]\d\d-\d{4,5}"  # 24-033-1107: year, day of the year, sequence
    r"|\d\d-\d{5,7}"  # 19-03155
    r"|[A-Z]{2,5}-\d{2,4}-\d{3,7}(?:-[A-Z0-9]{1,3})?"  # VNN-18-10943
)
_PREFIXED = WordPattern(
    r"(?<![A-Za-z0-9./-])(?:INC|RE[FQ]|RMA|ORD|TKT|AUTH)-?\d{5,10}(?![A-Za-z0-9])"
)
_DONATION = CodePattern(r"W(?<![A-Za-z0-9./-].)\d{4} \d\d \d{6}(?!\d)")
_ALONE = LinePattern(
    r"^[ \t]{0,60}+(?P<value>[A-Z]{1,3}-?\d{5,9}|[A-Z]{1,3}\d{2,4}/\d{3,5})[ \t]{0,20}+\r?$",
    re.M,
    first=ascii_uppercase,
)
_LOT_FOLLOWS = Pattern(r"[,;]?[ \t]{1,3}(?i:lot)\b")
_HASH = Pattern(r"#[:#]?[ \t\xa0]{0,3}+(?=[A-Z0-9])")
_NO = WordPattern(
    r"(?<![A-Za-z])(?:[Nn]o\.|[Nn]O\.|[Nn]umber|[Nn]UMBER)[:#]?[ \t\xa0]{0,3}+(?=[A-Z0-9])",
    words=frozenset({"no", "number"}),
)
_WORD_BEFORE = Pattern(r"([A-Za-z]{2,20})\.?[ \t\xa0]?\Z")
_ID = WordPattern(r"(?<![^\W_])[Ii][Dd](?![A-Za-z/])[ \t\xa0:#]{1,12}+(?=[A-Za-z0-9])")

_FIND_LABELLED = labelled(
    (
        Labels(BIOID, BIOMETRICS, coded, 0.85, spaced=True),
        Labels(BIOID, "tube,serum", lettered, 0.8),
        Labels(IDNUM, "unit,units,prbc unit", donation, 0.9, spaced=True),
        Labels(IDNUM, DOCUMENTS, any_value, 0.88, spaced=True),
        Labels(IDNUM, SURE, any_value, 0.9),
        Labels(IDNUM, CAPITALS, any_value, 0.9, spaced=True, capitals=True),
        Labels(IDNUM, NUMBERED, any_value, 0.88, numbered=True),
        Labels(IDNUM, LOOSE, coded, 0.8),
        Labels(IDNUM, "batch", any_value, 0.7),
    ),
    SOURCE,
)
_CODE = WordPattern(
    trie(CODES) + r"\b(?: is)?[ \t:#.]{0,12}+"
    r"(?P<value>\d{3,4}(?: \d{3} \d\d)?(?![\w/.-])|[A-Z0-9]{4,5}(?:-[A-Z0-9]{4,5}){1,3}(?![\w-]))",
    words=heads(CODES),
)


def _span(text: str, start: int, end: int, type: str, score: float) -> Span:
    return Span.of(text, start, end, type, score=score, source=SOURCE)


def _by_hash(note: Reading) -> Iterator[Span]:
    """Any other word with a number sign: `voucher # 55102`, `card no. IN-33817`."""
    text = note.text
    signs = sorted((*_HASH.find(note), *_NO.find(note)), key=lambda match: match.start())
    for match in signs:
        word = _WORD_BEFORE.search(text, max(0, match.start() - 24), match.start())
        start = match.end()
        end = value_end(text, start)
        if (
            end > start
            and word
            and word[1].lower() not in NOT_BEFORE_HASH
            and coded(text[start:end])
        ):
            yield _span(text, start, end, IDNUM, 0.65)


def _by_id(note: Reading) -> Iterator[Span]:
    text = note.text
    for match in _ID.find(note):
        start = match.end()
        end = value_end(text, start, spaced=True)
        value = text[start:end]
        if end > start and digits_of(value) >= 3 and not (like_date(value) or like_phone(value)):
            yield _span(text, start, end, IDNUM, 0.7)


def _hyphened(note: Reading) -> list[int]:
    """Where the words begin that hold a hyphen and, after it, three digits or more."""
    text = note.text
    starts = set()
    for place in note.figures_of(_SEVERAL):
        start = place
        while text[start - 1 : start] in _OF_CODES and place - start < 24:
            start -= 1
        if text[place - 1 : place] == "-":
            starts.add(start)
    return sorted(starts)


def _by_form(note: Reading) -> Iterator[Span]:
    """What is no label's: codes to doors and portals, then forms, then any word with a number."""
    text = note.text
    for match in _CODE.find(note):
        yield _span(text, *match.span("value"), IDNUM, 0.85)
    for match in _HYPHENED.at(text, _hyphened(note)):
        if _FORMS.fullmatch(match[0]) and not like_date(match[0]):
            yield _span(text, *match.span(), IDNUM, 0.7)
    for pattern in (_PREFIXED, _DONATION):
        for match in pattern.find(note):
            yield _span(text, *match.span(), IDNUM, 0.75)
    for match in _ALONE.find(note):
        yield _span(text, *match.span("value"), IDNUM, 0.6)
    yield from _by_hash(note)
    yield from _by_id(note)


def find(note: Reading) -> Iterator[Span]:
    """Accession, order, case, room and biometric numbers in a note."""
    text = note.text
    taken: set[int] = set()
    for span in (*_FIND_LABELLED(note), *find_rooms(note), *_by_form(note)):
        if taken.isdisjoint((span.start, span.end)) and not _LOT_FOLLOWS.match(text, span.end):
            taken.update(range(span.start, span.end + 1))
            yield span


FAMILY = Family("numbers", frozenset({IDNUM, BIOID}), find)
