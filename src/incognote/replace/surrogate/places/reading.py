"""What mentions name: towns, regions, postal codes and words, each told apart once for all of them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from typing import NamedTuple

from incognote.replace.surrogate.banks.places import HOME, PlaceBank, Region
from incognote.replace.surrogate.places.context import region_after, region_before
from incognote.replace.surrogate.places.landmarks import landmark_pieces
from incognote.replace.surrogate.places.segments import Segment, region_in, segments_of
from incognote.replace.surrogate.places.streets import street_pieces
from incognote.replace.surrogate.places.towns import ANYWHERE, Town, likely_region
from incognote.replace.surrogate.places.zips import Zip, zip_key, zip_region
from incognote.replace.surrogate.words.letters import key_of
from incognote.replace.surrogate.words.mention import Mention
from incognote.replace.surrogate.words.pieces import Piece, Word

Place = Town | Zip | Word | Region | str
"""A country that the bank does not know is its key."""


class Part(NamedTuple):
    """A stretch of a mention that names a place."""

    segment: Segment
    place: Place


Read = list[Part | Piece | str]


def read_places(mentions: Sequence[Mention], bank: PlaceBank) -> list[Read]:
    """Each mention as parts, pieces and plain text. A town is where any of the mentions tells."""
    cut = [_cut(mention, bank) for mention in mentions]
    told: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for mention, parts in dict(zip(mentions, cut, strict=True)).items():
        for place, part in enumerate(parts):
            region = _context(mention, parts, place, bank)
            if isinstance(part, Segment) and region:
                told[part.kind, part.key][region.code] += 1
    likely = {key: min(found, key=_rank(found)) for key, found in told.items()}
    return [
        [
            Part(part, _place(part, _context(mention, parts, place, bank), likely, bank))
            if isinstance(part, Segment)
            else part
            for place, part in enumerate(parts)
        ]
        for mention, parts in zip(mentions, cut, strict=True)
    ]


def _rank(found: Counter[str]) -> Callable[[str], tuple[bool, int, str]]:
    """A state tells more than a country does; then what is told most often."""
    return lambda code: ("-" not in code, -found[code], code)


def _cut(mention: Mention, bank: PlaceBank) -> Sequence[Segment | Piece | str]:
    if mention.type in ("CITY", "STATE", "COUNTRY"):
        return segments_of(mention.text, mention.type, bank)
    if mention.type == "ZIP":
        return [Segment(mention.text, "zip", zip_key(mention.text))]
    if mention.type == "STREET":
        return street_pieces(mention.text, bank)
    return landmark_pieces(mention.text, bank)


def _context(
    mention: Mention, parts: Sequence[Segment | Piece | str], place: int, bank: PlaceBank
) -> Region | None:
    """The region that stands beside a town or a ZIP, in the mention or in the note."""
    part = parts[place]
    if not isinstance(part, Segment) or part.kind not in ("town", "county", "zip"):
        return None
    others = parts[place + 1 :] if part.kind != "zip" else parts[:place][::-1]
    beside = next((each for each in others if isinstance(each, Segment)), None)
    if beside is not None:
        return region_in(beside.text, bank) or bank.country_names.get(key_of(beside.text))
    return region_before(mention, bank) if part.kind == "zip" else region_after(mention, bank)


def _place(
    part: Segment,
    region: Region | None,
    likely: dict[tuple[str, str], str],
    bank: PlaceBank,
) -> Place:
    if part.kind == "people":
        return Word(part.key, bank.peoples[part.key])
    if part.kind == "country":
        return bank.country_names.get(part.key) or part.key
    if part.kind == "region":
        return bank.region_names.get(part.key) or Word(part.key, "abroad")
    code = likely.get((part.kind, part.key), "")
    if region and not code.startswith(f"{region.code}-"):
        code = region.code
    if part.kind == "zip":
        return Zip(part.key, code if code.startswith("US-") else zip_region(part.key, bank))
    county = part.kind == "county"
    if code in ("", HOME):
        known = likely_region(part.key, county, bank)
        code = known if not code or known.startswith(f"{HOME}-") else ANYWHERE
    return Town(part.key, code, county)
