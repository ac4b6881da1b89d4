"""The places of one patient's notes: each under one fake, and those that stand together fitting.

>>> from incognote.replace.surrogate.kernel import mention_at
>>> places = PlaceSurrogates(b"a secret of the site", "patient 17")
>>> note = "18 Quarry Ln, Bangor, ME 04401"
>>> places.replace_all([mention_at(note, 14, 20, "CITY"), mention_at(note, 22, 24, "STATE")])
['Mansfield', 'TX']
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Container, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from incognote.knowledge.letters import cased, key_of, laid_out
from incognote.knowledge.number_words import NUMBERS_IN_NAMES, ORDINALS_IN_NAMES
from incognote.replace.surrogate.banks.place_bank import (
    HOME,
    NEIGHBOR,
    PlaceBank,
    Region,
    place_bank,
)
from incognote.replace.surrogate.kernel import (
    Consistent,
    Keyed,
    Mention,
    check_consistent,
    keyed_for,
)
from incognote.replace.surrogate.place_parse import (
    Segment,
    landmark_pieces,
    region_after,
    region_before,
    region_in,
    segments_of,
    street_pieces,
)
from incognote.replace.surrogate.proper_words import (
    Piece,
    Word,
    inventor,
    never_same,
    proper_fakes,
    words_in,
    write,
)
from incognote.replace.surrogate.regions_towns_zips import (
    ANYWHERE,
    Town,
    Zip,
    likely_region,
    region_fakes,
    region_of,
    town_fakes,
    written_country,
    written_otherwise,
    written_region,
    written_zip,
    zip_fakes,
    zip_key,
    zip_region,
)


@dataclass(frozen=True)
class PlaceSettings:
    """Which bank the fakes are from, and whether a place keeps its fake over all patients."""

    locale: str = "en_US"
    consistent: Consistent = "patient"

    def __post_init__(self) -> None:
        check_consistent(self.consistent)


@dataclass(frozen=True)
class PlaceSurrogates:
    """One patient's streets, towns, states, countries, ZIPs and landmarks.

    `other_mentions` are further places of the patient's notes, which tell where a town is. `avoid`
    is anything that says whether it holds a word in small letters: no fake is one of them or has
    one, except the states and countries, of which there are too few.

    The same key, patient and place give the same fake in any call. What other mentions of a call
    may change: the state of a town that is written without one, and whether a country stays for the
    sake of its states.
    """

    key: bytes = field(repr=False)
    patient: str = field(repr=False)
    settings: PlaceSettings = field(default_factory=PlaceSettings)
    other_mentions: Collection[Mention] = field(default=(), repr=False)
    avoid: Container[str] = field(default=(), repr=False)

    def replace_all(self, mentions: Sequence[Mention]) -> list[str]:
        """What stands in each mention's place."""
        bank = place_bank(self.settings.locale)
        keyed = keyed_for(self.key, self.patient, self.settings.consistent, "places")
        reads = read_places([*mentions, *dict.fromkeys(self.other_mentions)], bank)
        fakes = _fakes_of(reads, keyed, self.settings.locale, self.avoid)
        return [
            never_same(_write(reading, fakes, keyed), mention.text, keyed)
            for mention, reading in zip(mentions, reads, strict=False)
        ]


@dataclass(frozen=True)
class _Fakes:
    regions: Mapping[str, Region]
    towns: Mapping[Town, str]
    zips: Mapping[Zip, str]
    words: Mapping[Word, str]


def _fakes_of(reads: Sequence[Read], keyed: Keyed, locale: str, avoid: Container[str]) -> _Fakes:
    """Regions first, then what lies in them."""
    bank, invent = place_bank(locale), inventor(locale)
    places: set[Place] = {
        part.place for reading in reads for part in reading if isinstance(part, Part)
    }
    towns = {place for place in places if isinstance(place, Town)}
    zips = {place for place in places if isinstance(place, Zip)}
    region_codes = {place.code for place in places if isinstance(place, Region)}
    strangers = {place for place in places if isinstance(place, str)}
    around = {town.region for town in towns} | {code.region for code in zips}
    originals = region_codes | strangers | (around - {"", ANYWHERE})
    stay = _staying(originals, around)
    codes = region_fakes(originals - stay, keyed, bank)
    codes |= {code: code for code in stay}
    words = {place for place in places if isinstance(place, Word)}
    for reading in reads:
        words |= words_in(piece for piece in reading if isinstance(piece, Piece))
    return _Fakes(
        {code: region_of(fake, bank) for code, fake in codes.items()},
        town_fakes(towns, codes, keyed, bank, avoid),
        zip_fakes(zips, codes, keyed, bank),
        proper_fakes(words, keyed, lambda kind: _pool(kind, bank), invent, avoid),
    )


def _staying(codes: set[str], around: set[str]) -> set[str]:
    """The countries whose states or towns stand in the notes: those stay in them, so they stay.

    Such a country is written otherwise, and tells nothing that the fakes do not.
    """
    stay = {code for code in (HOME, NEIGHBOR) if any(n.startswith(f"{code}-") for n in codes)}
    return codes & (stay | ({HOME} if ANYWHERE in around else set()))


def _pool(kind: str, bank: PlaceBank) -> tuple[str, ...]:
    return {"numbers": NUMBERS_IN_NAMES, "ordinals": ORDINALS_IN_NAMES}.get(kind) or bank.values(
        kind
    )


def _write(reading: Read, fakes: _Fakes, keyed: Keyed) -> str:
    parts = []
    for part in reading:
        if isinstance(part, Piece):
            parts.append(write([part], fakes.words, keyed))
        elif isinstance(part, Part):
            parts.append(_write_segment(part.segment, part.place, fakes, keyed))
        else:
            parts.append(part)
    return "".join(parts)


def _write_segment(segment: Segment, place: Place, fakes: _Fakes, keyed: Keyed) -> str:
    text = segment.text
    if isinstance(place, Zip):
        return segment.before + written_zip(text, fakes.zips[place], keyed) + segment.after
    if isinstance(place, Town):
        fake = cased(fakes.towns[place], text)
    elif isinstance(place, Word):
        fake = cased(fakes.words[place], text)
    elif isinstance(place, str):
        fake = written_country(fakes.regions[place], text)
    elif fakes.regions[place.code] is place:
        fake = written_otherwise(place.code, text)
    elif segment.kind == "country":
        fake = written_country(fakes.regions[place.code], text)
    else:
        fake = written_region(fakes.regions[place.code], place, text)
    return segment.before + laid_out(fake, text) + segment.after


# What mentions name: towns, regions, postal codes and words, each told apart once for all of them.

Place = Town | Zip | Word | Region | str
"""A country that the bank does not know is its key."""


class Part(NamedTuple):
    """A stretch of a mention that names a place."""

    segment: Segment
    place: Place


Read = list[Part | Piece | str]


def read_places(mentions: Sequence[Mention], bank: PlaceBank) -> list[Read]:
    """Each mention as parts, pieces and plain text. A town is where any of the mentions tells."""
    segments = [_segments(mention, bank) for mention in mentions]
    counts: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for mention, parts in dict(zip(mentions, segments, strict=True)).items():
        for place, part in enumerate(parts):
            region = _context(mention, parts, place, bank)
            if isinstance(part, Segment) and region:
                counts[part.kind, part.key][region.code] += 1
    likely = {key: min(regions, key=_rank(regions)) for key, regions in counts.items()}
    return [
        [
            Part(part, _place(part, _context(mention, parts, place, bank), likely, bank))
            if isinstance(part, Segment)
            else part
            for place, part in enumerate(parts)
        ]
        for mention, parts in zip(mentions, segments, strict=True)
    ]


def _rank(counts: Counter[str]) -> Callable[[str], tuple[bool, int, str]]:
    """A state tells more than a country does; then what is told most often."""
    return lambda code: ("-" not in code, -counts[code], code)


def _segments(mention: Mention, bank: PlaceBank) -> Sequence[Segment | Piece | str]:
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
