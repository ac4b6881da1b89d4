"""The parts of a mention of a place: towns and regions, what stands around them, streets, landmarks."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from incognote.knowledge.letters import APOSTROPHES, fold, key_of
from incognote.knowledge.number_words import NUMBERS_IN_NAMES, ORDINALS_IN_NAMES
from incognote.knowledge.places import ALIASES, COUNTY_WORDS, LANDMARKS, SHIPS, TOWN_PREFIXES
from incognote.knowledge.streets import (
    DIRECTIONS,
    KEPT,
    ROADS,
    SPANISH_FIRST,
    STREET_TYPES,
    STREET_TYPES_FIRST,
    UNIT_ENDS,
    UNITS,
)
from incognote.replace.surrogate.banks.place_bank import PlaceBank, Region
from incognote.replace.surrogate.kernel import Mention
from incognote.replace.surrogate.proper_words import Piece, pieces_of

SegmentKind = Literal["town", "county", "region", "country", "zip", "people"]
_SEPARATOR = re.compile(r"(\s*(?:[,;/&()]|\band\b|\bor\b|\s-\s|\n\s*\n)\s*)", re.IGNORECASE)
_ZIP = re.compile(r"\d{5}(?:-\d{4})?|[A-Z]\d[A-Z] ?\d[A-Z]\d", re.IGNORECASE)
_POSSESSIVE = re.compile(rf"(?:[{APOSTROPHES}][sS]|(?<=[sS])[{APOSTROPHES}])$")
_EDGE = re.compile(r"^(\W*)(.*?)(\W*)$", re.DOTALL)


class Segment(NamedTuple):
    """A place in a mention: its text, its key, and what is kept on either side of it."""

    text: str
    kind: SegmentKind
    key: str
    before: str = ""
    after: str = ""


def segments_of(text: str, type: str, bank: PlaceBank) -> list[Segment | str]:
    """Places, and as plain text what is between them."""
    if _one_name(text, type, bank):
        return [_segment(text, type, 0, bank)]
    parts = _SEPARATOR.split(text)
    segments: list[Segment | str] = []
    for place, part in enumerate(parts):
        if place % 2 or not part:
            segments.append(part)
        else:
            segments.append(_segment(part, type, place, bank))
    if not any(isinstance(each, Segment) for each in segments):
        return [Segment(text, _KINDS[type], key_of(text))]
    return segments


_KINDS: dict[str, SegmentKind] = {"CITY": "town", "STATE": "region", "COUNTRY": "country"}


def _one_name(text: str, type: str, bank: PlaceBank) -> bool:
    """Whether a text with a cut in it is one name: Trinidad and Tobago."""
    key = key_of(text)
    names = {"STATE": bank.region_names, "COUNTRY": bank.country_names}.get(type, {})
    return key in names or (type == "CITY" and bool(bank.town(key)))


def _segment(part: str, type: str, place: int, bank: PlaceBank) -> Segment:
    edge = _EDGE.match(part)
    before, core, after = edge.groups() if edge else ("", part, "")
    if core and core[-1:].isalpha() and after[:1] == "." and core + "." in bank.shortened:
        core, after = core + ".", after[1:]
    possessive = _POSSESSIVE.search(core)
    if possessive:
        core, after = core[: possessive.start()], possessive[0] + after
    if not core:
        return Segment(part, _KINDS[type], part.strip())
    return (
        _town(core, before, after, place, bank)
        if type == "CITY"
        else Segment(core, _kind(core, type, bank), key_of(core), before, after)
    )


def _kind(core: str, type: str, bank: PlaceBank) -> SegmentKind:
    key = key_of(core)
    if type == "COUNTRY":
        if key in bank.country_names:
            return "country"
        return "people" if key in bank.peoples else "country"
    if key not in bank.region_names and key in bank.country_names:
        return "country"
    return "region"


def _town(core: str, before: str, after: str, place: int, bank: PlaceBank) -> Segment:
    if _ZIP.fullmatch(core):
        return Segment(core, "zip", fold(core), before, after)
    if place and region_in(core, bank):
        return Segment(core, "region", key_of(core), before, after)
    if place and key_of(core) in bank.country_names and not bank.town(key_of(core)):
        return Segment(core, "country", key_of(core), before, after)
    prefix = next((each for each in TOWN_PREFIXES if fold(core).startswith(each)), "")
    before, core = before + core[: len(prefix)], core[len(prefix) :]
    words = core.split()
    if (
        len(words) > 1
        and fold(words[-1]).rstrip(".") in COUNTY_WORDS
        and not bank.town(key_of(core))
    ):
        name = core[: core.rindex(words[-1])].rstrip()
        return Segment(name, "county", key_of(name), before, core[len(name) :] + after)
    key = key_of(core)
    return Segment(core, "town", ALIASES.get(key, key), before, after)


def region_in(text: str, bank: PlaceBank) -> Region | None:
    """The state or province that a text names; its letters count in capitals only."""
    if len(text) == 2 and not text.isupper():
        return None
    return bank.region_names.get(key_of(text))


# What stands around a place tells where it is: the state after a town, the state before a ZIP.

_AFTER = re.compile(r"(\s*[,(]?\s*)((?:[^\W\d_]+[.'’]?[ \t]?){1,4})")
_BEFORE = re.compile(r"((?:[^\W\d_]+\.?[ \t]?){1,3})[\s,]*$")
_ZIP_NEXT = re.compile(r"\s*,?\s*\d{5}\b")
_WORD_LIKE = frozenset("IN OR ME HI OK OH PA MA MD AS DE LA AL CO ID MS MT ND".split())
"""Letters that mean something else in capitals: the state only after a comma or before a ZIP."""


def region_after(mention: Mention, bank: PlaceBank) -> Region | None:
    """The state, province or country that follows a town, or follows what follows it."""
    match = _AFTER.match(mention.after)
    if not match:
        return None
    region = _region_in(match, mention.after, bank)
    between = match[2].split()
    if region or "," not in match[1] or len(between) > 2 or not all(map(str.istitle, between)):
        return region
    later = mention.after[match.end() :]
    match = _AFTER.match(later)
    return _region_in(match, later, bank) if match and "," in match[1] else None


def _region_in(match: re.Match[str], after: str, bank: PlaceBank) -> Region | None:
    comma = "," in match[1] or "(" in match[1]
    words = match[2].split()
    for number in range(min(3, len(words)), 0, -1):
        text = " ".join(words[:number])
        region = region_in(text, bank)
        if region and text[0].isupper() and (comma or _sure(text, after, match)):
            return region
        if comma and text[0].isupper():
            country = bank.country_names.get(key_of(text))
            if country:
                return country
    return None


def _sure(text: str, after: str, match: re.Match[str]) -> bool:
    if not match[1]:
        return False
    end = match.end(1) + len(text)
    return bool(_ZIP_NEXT.match(after[end:])) or (len(text) == 2 and text not in _WORD_LIKE)


def region_before(mention: Mention, bank: PlaceBank) -> Region | None:
    """The state or province that stands just before a ZIP."""
    match = _BEFORE.search(mention.before)
    if not match:
        return None
    words = match[1].split()
    for number in range(min(3, len(words)), 0, -1):
        text = " ".join(words[-number:])
        region = region_in(text, bank) if text[0].isupper() else None
        if region:
            return region
    return None


# Street addresses: the house number's shape, directions, types and units stay, the rest changes.

_WHOLE = STREET_TYPES | UNITS | KEPT
_NUMBERS = frozenset(word.lower() for word in NUMBERS_IN_NAMES)
_ORDINALS = frozenset(word.lower() for word in ORDINALS_IN_NAMES)


def street_pieces(text: str, bank: PlaceBank) -> list[Piece]:
    """The pieces of an address; at least one of them changes."""
    pieces = pieces_of(text, lambda key: key in _WHOLE)
    tokens = [place for place, piece in enumerate(pieces) if piece.kind != "gap"]
    words = [place for place in tokens if pieces[place].kind == "kept"]
    units = _units_from(pieces, words)
    kept_type = _type_of(pieces, [place for place in words if place < units])
    spanish = any(pieces[place].key in SPANISH_FIRST for place in words)
    name = next((place for place in words if pieces[place].key not in DIRECTIONS), -1)
    for order, place in enumerate(tokens):
        piece = pieces[place]
        if piece.kind != "kept":
            continue
        previous = pieces[tokens[order - 1]].key if order else ""
        if len(piece.key) == 1 or _road_letters(piece, previous):
            pieces[place] = _letter(pieces, place, previous)
        elif order == 0 and len(tokens) > 2 and piece.key in _NUMBERS:
            pieces[place] = piece.as_word("numbers")
        elif piece.key in _ORDINALS:
            pieces[place] = piece.as_word("ordinals")
        elif not _stays(pieces[place].key, place, words[0], name, units, kept_type):
            pieces[place] = piece.as_word("spanish" if spanish else bank.kind_of(piece.key))
    return _changed(pieces, words, units, kept_type)


def _units_from(pieces: list[Piece], words: list[int]) -> int:
    """Where apartment, suite or floor begin; a unit's word is never the first of an address."""
    marks = [place for place in words[1:] if pieces[place].key in UNITS - STREET_TYPES]
    typed = False
    for place, piece in enumerate(pieces):
        typed = typed or (piece.kind == "kept" and piece.key in STREET_TYPES)
        if piece.kind == "gap" and (
            ("#" in piece.text and place > 1) or ("," in piece.text and typed)
        ):
            marks.append(place)
    return min(marks, default=len(pieces))


def _type_of(pieces: list[Piece], words: list[int]) -> int:
    types = [place for place in words if pieces[place].key in STREET_TYPES]
    return types[-1] if types else -1


def _stays(key: str, place: int, first: int, name: int, units: int, kept_type: int) -> bool:
    """`first` is the place of the first word, `name` of the first one that is no direction."""
    if place == kept_type or key in DIRECTIONS or key in KEPT:
        return True
    if key in STREET_TYPES_FIRST and place == name:
        return True
    if key in UNIT_ENDS or key in ROADS:
        return place > units
    if key == "st":
        return place < kept_type
    return key in UNITS and (place >= units or place == first)


def _road_letters(piece: Piece, previous: str) -> bool:
    return len(piece.text) == 2 and piece.text.isupper() and previous in ROADS


def _letter(pieces: list[Piece], place: int, previous: str) -> Piece:
    """A unit's or a road's letter changes; N, P.O. and the N of a rural house number stay."""
    piece = pieces[place]
    glued = place > 0 and pieces[place - 1].kind == "digits"
    before_digits = place + 1 < len(pieces) and pieces[place + 1].kind == "digits"
    if glued or previous in UNITS or _road_letters(piece, previous):
        return piece.changed("letter")
    if piece.key in DIRECTIONS or (piece.key in KEPT and not before_digits):
        return piece
    return piece.changed("letter")


def _changed(pieces: list[Piece], words: list[int], units: int, kept_type: int) -> list[Piece]:
    """`6801 S Broadway`: a type that is the whole name changes; so does what has no name at all."""
    has_name = any(piece.kind in ("word", "ordinal", "letter") for piece in pieces[:units])
    numbered = any(pieces[place].key in ROADS for place in words) and any(
        piece.kind == "digits" for piece in pieces[min(words) :]
    )
    if not has_name and kept_type >= 0 and not numbered:
        pieces[kept_type] = pieces[kept_type].as_word("made")
    elif not has_name and not any(piece.kind == "digits" for piece in pieces):
        if not words:
            return [
                *pieces,
                Piece("", "word", "".join(piece.text for piece in pieces)).as_word("made"),
            ]
        pieces[words[-1]] = pieces[words[-1]].as_word("made")
    return pieces


# Landmarks, roads, airports, ships, and nationalities and languages where they are marked.

_NO_WORDS = frozenset("of the and at on near de la del las los el st mt".split())
_CODE = 3


def landmark_pieces(text: str, bank: PlaceBank) -> list[Piece]:
    """The pieces of a landmark's name: what it is stays, which one it is changes."""
    pieces = pieces_of(text, lambda key: key in LANDMARKS)
    words = [place for place, piece in enumerate(pieces) if piece.kind == "kept"]
    spanish = any(pieces[place].key in SPANISH_FIRST for place in words)
    for place in words:
        piece = pieces[place]
        if key_of(piece.text) in bank.peoples:
            pieces[place] = piece.as_word(bank.peoples[key_of(piece.text)])
        elif len(piece.text) == _CODE and piece.text.isupper() and not text.isupper():
            pieces[place] = piece if piece.key in SHIPS else piece.as_word("airports")
        elif len(words) == 1 and len(piece.text) == _CODE and text.isupper():
            pieces[place] = piece.as_word("airports")
        elif len(piece.key) == 1:
            continue
        elif piece.key not in LANDMARKS:
            pieces[place] = piece.as_word("spanish" if spanish else bank.kind_of(piece.key))
    if any(piece.kind in ("word", "digits", "ordinal") for piece in pieces):
        return pieces
    for place in words:
        if pieces[place].key not in _NO_WORDS:
            pieces[place] = pieces[place].as_word(bank.kind_of(pieces[place].key))
    if any(piece.kind == "word" for piece in pieces):
        return pieces
    return [*pieces, Piece("", "word", text).as_word("made")]
