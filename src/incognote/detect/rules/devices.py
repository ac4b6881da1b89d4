"""Serial, lot, UDI and IMEI numbers of implants and equipment.

They follow `S/N`, `serial`, `lot` and the like, or stand under such a heading in an implant table.
Model and catalogue numbers name a product, not a person's copy of it, and stay.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from incognote.detect.first_words import first_words
from incognote.detect.note_index import NoteIndex
from incognote.detect.pattern import DASH, SPACE, Pattern, WordPattern
from incognote.detect.rules.engine import Family, Finding, Rule

TYPE = "DEVICE"

_S = f"[{SPACE}]"
_TOKEN = (
    rf"(?=[A-Za-z&{DASH}/]{{0,12}}\d)[A-Za-z0-9](?:[A-Za-z0-9&]|[{DASH}/](?=[A-Za-z0-9])){{2,28}}"
)
_TAIL = rf"(?:{_S}(?:\d{{3}}(?=\b(?!{_S}?(?:m|c|%|V|D|J|x))){_S}[A-Z]\b|\d{{3}}\b(?!{_S}?(?:m|c|%|V|D|J|x|/|-|\.\d))|[A-Z]\b(?!{_S}?[A-Za-z0-9.])))?"
_GROUPED = rf"[A-Z]{{2,4}}{_S}\d{{3}}{_S}\d{{3}}(?:{_S}[A-Z]\b)?"
_AND_ANOTHER = Pattern(rf"{_S}?(?:/|,|&|;|and|\+){_S}?(?P<value>{_TOKEN})(?![A-Za-z0-9])")

_LABEL = "|".join(
    [
        "s/n",
        r"s\.n\.",
        "serials?",
        "ser",
        r"s\#",
        "sn",
        "lot",
        "batch",
        "imei",
        "meid",
        "esn",
        "udi(?:-[dp]i)?",
    ]
)
_LABELLED = WordPattern(
    rf"""(?<![A-Za-z0-9])(?P<label>(?i:{_LABEL}))(?i:{_S}?(?:\#|nos?\b\.?|numbers?\b|num\b|nbr\b))?
      [\s:\#=.({{_]{{0,24}}(?:(?i:is|was){_S})?(?P<value>{_GROUPED}|{_TOKEN}{_TAIL})(?![A-Za-z0-9]|[.]\d)""",
    re.VERBOSE,
    words=first_words(_LABEL),
)
_UDI = Pattern(r"\(01\)\s?[0-9]{6,14}(?:\s?\((?:1[0-7]|2[0-4]|240)\)\s?[A-Za-z0-9/.\-]{1,20}){0,5}")
_MACS = tuple(
    Pattern(
        rf"{mark}(?<=[0-9A-Fa-f]{{2}}.)(?<![\w:\-]...)[0-9A-Fa-f]{{2}}(?:{mark}[0-9A-Fa-f]{{2}}){{4}}(?![\w:\-])"
    )
    for mark in ":-"
)
"""From the first of its separators, which are rarer than the digits before."""
_DEVICE = "|".join(
    [
        *"""
    pump ipg generator leads? pacemaker ppm icd crt-[dp] monitor transmitter tx adapter recorder
    glucometer meter cuff valve hub controller tag implant loaner device unit ventilator
    concentrator modem sensor stimulator processor wheelchair paired
    """.split(),
        rf"lent{_S}to{_S}(?:him|her|them|pt)",
    ]
)
_GIVEN_DEVICE = WordPattern(
    rf"""(?<![A-Za-z])(?i:{_DEVICE})
        (?:{_S}?[(:.,]{{0,20}}{_S}?(?i:\#|no\.|id|\#:)?{_S}?)
        (?P<value>(?!SN\d)[A-Z]{{2,4}}[{DASH}]?\d{{5,8}}(?:{_S}?[A-Z]\b)?|[A-Z]{{3}}\d{{4,7}}[A-Z]|[A-Z]{{2}}[{DASH}]\d{{4}}[{DASH}]\d{{3,6}}
          |(?<=\#)\d{{3,6}}[{DASH}]\d{{4,6}}|[A-Z0-9]\d?[A-Z]\d?[{DASH}]\d{{4}}|(?<=[.]{{2}})[A-Z]\d{{3,5}}[{DASH}]\d{{2,5}}
          |(?<=[Tt]x{_S})\d[A-Z0-9]{{5}}(?<=[A-Z].|[A-Z].))(?![A-Za-z0-9]|[.]\d)""",
    re.VERBOSE,
    words=first_words(_DEVICE),
)
_DEVICE_NUMBER = Pattern(rf"{_S}{{1,3}}DN{_S}?\#?(\d{{3}})(?!\d)")
_NOT_A_LOT = Pattern(
    r"(?i:\b(?:a|the|whole|parking|car|visitor|empty|vacant|in|same|her|his|our|job|sand|corner))\s$"
)
_DRUG = Pattern(
    r"(?i:vaccin|\bvis\b|influenza|\bflu\b|fluzone|flucelvax|tdap|mmr|hpv|hep ?[ab]\b|prevnar|pneumovax|shingrix|covid"
    r"|toxoid|\bppd\b|tuberculin|botox|contrast|gadolin|heparin|saline|lidocaine|reagent|control|strips?|\bexp\b"
    r"|\bmg\b|\bmcg\b|\bunits?\b|drug|chemo|infus|injection|vial|mL\b|dose|agent|medroxy|depo)"
)
_HEADING = WordPattern(
    rf"(?<![A-Za-z])(?i:serial(?:{_S}?(?:no\.?|number|\#))?|s/n|ser{_S}?\#)"
    rf"(?={_S}{{0,80}}\r?\n|{_S}{{2}}|\t|{_S}?\|)"
)
_COLUMNS = Pattern(r"\S(?:  |\t|[ ]?\|)\s*\S")
_CELL = Pattern(rf"{_TOKEN}(?:{_S}\d{{3}}\b)?(?![A-Za-z0-9])")
_TABLE_ROWS = 25
_WIDEST = 240


def _labelled(note: NoteIndex) -> Iterator[Finding]:
    for match in _LABELLED.find(note):
        if _is_identifier(note.text, match):
            yield from _with_neighbours(note.text, *match.span("value"))


def _beside_device(note: NoteIndex) -> Iterator[Finding]:
    for match in _GIVEN_DEVICE.find(note):
        yield from _with_neighbours(note.text, *match.span("value"), score=0.7)


def _mac_addresses(note: NoteIndex) -> Iterator[Finding]:
    """Their patterns begin after the first two characters."""
    for pattern in _MACS:
        for match in pattern.find(note):
            yield Finding(match.start() - 2, match.end(), TYPE, 0.9)


def _with_neighbours(text: str, start: int, end: int, score: float = 0.88) -> Iterator[Finding]:
    """The number, a second one of like shape behind a slash, and ResMed's device number."""
    yield Finding(start, end, TYPE, score)
    shape = _shape(text[start:end])
    if (other := _AND_ANOTHER.match(text, end)) and _shape(other["value"]) == shape:
        yield Finding(*other.span("value"), TYPE, score - 0.1)
    if number := _DEVICE_NUMBER.match(text, end):
        yield Finding(*number.span(1), TYPE, score - 0.1)


def _shape(value: str) -> tuple[bool, bool, str]:
    return value[0].isalpha(), value[-1].isalpha(), re.sub(r"[^-]", "", value)


def _is_identifier(text: str, match: re.Match[str]) -> bool:
    value, label = match["value"], match["label"].lower()
    digits = sum(map(str.isdigit, value))
    if label in ("imei", "meid", "esn"):
        return digits >= 14
    if label.startswith("udi"):
        return digits >= 6
    if label in ("lot", "batch"):
        before = text[max(0, match.start() - 60) : match.start()]
        line = re.split(r"\n|[.;]\s", before)[-1]
        plain = len(value) < 4 or _looks_like_words_or_date(value)
        plain |= label == "batch" and not any(map(str.isalpha, value))
        return not (plain or _NOT_A_LOT.search(before[-12:]) or _DRUG.search(line))
    if label == "sn":
        if match.end("label") == match.start("value"):
            return re.fullmatch(r"\d{5,}", value) is not None
        return digits >= 5 or (digits >= 2 and any(map(str.isupper, value)) and len(value) > 4)
    if label in ("ser", "serial", "serials"):
        if re.fullmatch(r"(?:19|20)\d\d", value) and text[match.end("label")] == " ":
            return False
        return digits >= 4 or (digits >= 3 and any(map(str.isupper, value)))
    return digits >= 3


def _looks_like_words_or_date(value: str) -> bool:
    return (
        re.fullmatch(
            r"\d{1,2}[/-]\d{1,2}(?:[/-]\d{2,4})?|[a-z]+[-/]?\d{1,3}|\d{1,3}[-/]?[a-z]+", value
        )
        is not None
    )


def _table_cells(note: NoteIndex) -> Iterator[Finding]:
    """The cells under a column headed `Serial`, down to the first empty line."""
    text = note.text
    position = 0
    for heading in _HEADING.find(note):
        if heading.start() < position:
            continue
        line = text.rfind("\n", max(0, heading.start() - _WIDEST), heading.start()) + 1
        stop = text.find("\n", heading.end(), heading.end() + _WIDEST)
        if stop < 0 or (line == 0 and heading.start() > _WIDEST):
            continue
        if not _COLUMNS.search(text, line, stop):
            continue
        column = heading.start() - line
        position = stop + 1
        for _ in range(_TABLE_ROWS):
            stop = text.find("\n", position)
            stop = len(text) if stop < 0 else stop
            row = text[position:stop]
            if not row.strip():
                break
            if cell := _cell_at(row, column):
                yield Finding(position + cell[0], position + cell[1], TYPE, 0.8)
            position = stop + 1


def _cell_at(row: str, column: int) -> tuple[int, int] | None:
    """The value that starts within three characters of the column."""
    for start in range(max(0, column - 3), min(len(row), column + 4)):
        if row[start].isalnum() and (
            start == 0 or row[start - 1].isspace() or row[start - 1] == "|"
        ):
            match = _CELL.match(row, start)
            if match and sum(map(str.isdigit, match[0])) > 2:
                return match.span()
    return None


FAMILY = Family(
    "devices",
    frozenset({TYPE}),
    (
        _labelled,
        Rule(_UDI, TYPE, 0.97),
        _mac_addresses,
        _beside_device,
        _table_cells,
    ),
)
