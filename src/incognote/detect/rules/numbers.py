"""Numbers of things that lead back to a person: accessions, orders, cases, rooms, specimens."""

from __future__ import annotations

import re
from collections.abc import Iterator

from incognote.detect.rules.family import Family
from incognote.detect.rules.identifier_value import (
    any_value,
    coded,
    digits_of,
    like_date,
    like_phone,
    value_end,
)
from incognote.detect.rules.labelled import Labels, labelled
from incognote.detect.rules.labels_numbers import (
    BIOMETRICS,
    CODES,
    DOCUMENTS,
    LOOSE,
    NOT_BEFORE_HASH,
    SURE,
)
from incognote.detect.rules.rooms import find_rooms
from incognote.document import Span

IDNUM = "IDNUM"
BIOID = "BIOID"
SOURCE = "rules.numbers"

_FORMS = re.compile(
    r"(?<![A-Za-z0-9./-])(?:"
    r"[A-Z]{1,3}-?\d\d-\d{3,8}(?:-[A-Z])?"  # S23-9215, SP07-30442, CT-22-0098143
    r"|\d\d-?[A-Z]{1,3}-\d{3,7}"  # 04-S-5512, 13-SP-20981
    r"|(?:19|20)\d\d-[A-Z]{2}-\d{3,6}"  # 2011-DR-2204, a court's file
    r"|[A-Z]\d\d-\d{3}-\d{4,5}"  # X23-051-65334
    r"|\d\d-[0-3]\d\d-\d{4,5}"  # 24-033-1107: year, day of the year, sequence
    r"|\d\d-\d{5,7}"  # 19-03155
    r"|[A-Z]{2,5}-\d{2,4}-\d{3,7}(?:-[A-Z0-9]{1,3})?"  # VNN-18-10943
    r"|(?:INC|REF|ORD|TKT|AUTH|RMA|REQ)-?\d{5,10}"
    r"|W\d{4} \d\d \d{6}"  # donation number of a blood product
    r")(?![A-Za-z0-9]|[-/.]\d)"
)
_ALONE = re.compile(
    r"^[ \t]{0,60}+(?P<value>[A-Z]{1,3}-?\d{5,9}|[A-Z]{1,3}\d{2,4}/\d{3,5})[ \t]{0,20}+\r?$", re.M
)
_LOT_FOLLOWS = re.compile(r"[,;]?[ \t]{1,3}(?i:lot)\b")
_HASH = re.compile(r"([A-Za-z]{2,20})\.?[ \t\xa0]?(?:#|(?:[Nn]o\.|[Nn]umber|NO\.|NUMBER)[:#]?)[ \t\xa0]{0,3}+(?=[A-Z0-9])")
_ID = re.compile(r"(?<![^\W_])(?-i:ID|Id|id)(?![A-Za-z/])[ \t\xa0:#]{1,12}+(?=[A-Za-z0-9])")

_FIND_LABELLED = labelled(
    (
        Labels(BIOID, BIOMETRICS, coded, 0.85, spaced=True),
        Labels(IDNUM, SURE, any_value, 0.9),
        Labels(IDNUM, DOCUMENTS, any_value, 0.88, spaced=True),
        Labels(IDNUM, LOOSE, coded, 0.8),
    ),
    SOURCE,
)
_CODE = re.compile(
    r"\b(?i:" + "|".join(CODES) + r")\b(?i: is)?[ \t:#.]{0,12}+"
    r"(?P<value>\d{3,4}(?: \d{3} \d\d)?(?![\w/.-])|[A-Z0-9]{4,5}(?:-[A-Z0-9]{4,5}){1,3}(?![\w-]))"
)


def _span(text: str, start: int, end: int, type: str, score: float) -> Span:
    return Span.of(text, start, end, type, score=score, source=SOURCE)


def _by_hash(text: str) -> Iterator[Span]:
    """Any other word with a number sign: `voucher # 55102`, `card no. IN-33817`."""
    for match in _HASH.finditer(text):
        start = match.end()
        end = value_end(text, start)
        if match[1].lower() not in NOT_BEFORE_HASH and end > start and coded(text[start:end]):
            yield _span(text, start, end, IDNUM, 0.65)


def _by_id(text: str) -> Iterator[Span]:
    for match in _ID.finditer(text):
        start = match.end()
        end = value_end(text, start, spaced=True)
        value = text[start:end]
        if end > start and digits_of(value) >= 3 and not (like_date(value) or like_phone(value)):
            yield _span(text, start, end, IDNUM, 0.7)


def _by_form(text: str) -> Iterator[Span]:
    """What is no label's: codes to doors and portals, then forms, then any word with a number."""
    for match in _CODE.finditer(text):
        yield _span(text, *match.span("value"), IDNUM, 0.85)
    for match in _FORMS.finditer(text):
        if not like_date(match[0]):
            yield _span(text, *match.span(), IDNUM, 0.7)
    for match in _ALONE.finditer(text):
        yield _span(text, *match.span("value"), IDNUM, 0.6)
    yield from _by_hash(text)
    yield from _by_id(text)


def find(text: str) -> Iterator[Span]:
    """Accession, order, case, room and biometric numbers in a note."""
    taken: set[int] = set()
    for span in (*_FIND_LABELLED(text), *find_rooms(text), *_by_form(text)):
        if taken.isdisjoint((span.start, span.end)) and not _LOT_FOLLOWS.match(text, span.end):
            taken.update(range(span.start, span.end + 1))
            yield span


FAMILY = Family("numbers", frozenset({IDNUM, BIOID}), find)
