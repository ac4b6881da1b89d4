"""The parts of a mention that are places of their own: `Minneapolis/St. Paul`, `Bangor, ME 04401`."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from incognote.replace.surrogate.banks.places import PlaceBank, Region
from incognote.replace.surrogate.places.vocabulary import ALIASES, COUNTY_WORDS, TOWN_PREFIXES
from incognote.replace.surrogate.words.letters import APOSTROPHES, fold, key_of

SegmentKind = Literal["town", "county", "region", "country", "zip", "people"]
_CUT = re.compile(r"(\s*(?:[,;/&()]|\band\b|\bor\b|\s-\s|\n\s*\n)\s*)", re.IGNORECASE)
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
    parts = _CUT.split(text)
    found: list[Segment | str] = []
    for place, part in enumerate(parts):
        if place % 2 or not part:
            found.append(part)
        else:
            found.append(_segment(part, type, place, bank))
    if not any(isinstance(each, Segment) for each in found):
        return [Segment(text, _KINDS[type], key_of(text))]
    return found


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
