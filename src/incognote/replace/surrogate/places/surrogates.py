"""The places of one patient's notes: each under one fake, and those that stand together fitting."""

from __future__ import annotations

from collections.abc import Collection, Container, Mapping, Sequence
from dataclasses import dataclass, field

from incognote.replace.surrogate.banks.places import HOME, NEIGHBOR, PlaceBank, Region, place_bank
from incognote.replace.surrogate.keyed import Keyed
from incognote.replace.surrogate.places.reading import Part, Place, Read, read_places
from incognote.replace.surrogate.places.regions import (
    region_fakes,
    region_of,
    written_country,
    written_otherwise,
    written_region,
)
from incognote.replace.surrogate.places.segments import Segment
from incognote.replace.surrogate.places.towns import ANYWHERE, Town, town_fakes
from incognote.replace.surrogate.places.vocabulary import NUMBER_WORDS, ORDINAL_WORDS
from incognote.replace.surrogate.places.zips import Zip, written_zip, zip_fakes
from incognote.replace.surrogate.words.letters import cased, laid_out
from incognote.replace.surrogate.words.mention import Mention
from incognote.replace.surrogate.words.pieces import Piece, Word, words_in, write
from incognote.replace.surrogate.words.proper import inventor, never_same, proper_fakes
from incognote.replace.surrogate.words.scope import Consistent, check_consistent, keyed_for


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
            never_same(_write(read, fakes, keyed), mention.text, keyed)
            for mention, read in zip(mentions, reads, strict=False)
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
    places: set[Place] = {part.place for read in reads for part in read if isinstance(part, Part)}
    towns = {place for place in places if isinstance(place, Town)}
    zips = {place for place in places if isinstance(place, Zip)}
    named = {place.code for place in places if isinstance(place, Region)}
    strangers = {place for place in places if isinstance(place, str)}
    around = {town.region for town in towns} | {code.region for code in zips}
    wanted = named | strangers | (around - {"", ANYWHERE})
    stay = _staying(wanted, around)
    codes = region_fakes(wanted - stay, keyed, bank)
    codes |= {code: code for code in stay}
    words = {place for place in places if isinstance(place, Word)}
    for read in reads:
        words |= words_in(piece for piece in read if isinstance(piece, Piece))
    return _Fakes(
        {code: region_of(fake, bank) for code, fake in codes.items()},
        town_fakes(towns, codes, keyed, bank, avoid),
        zip_fakes(zips, codes, keyed, bank),
        proper_fakes(words, keyed, lambda kind: _pool(kind, bank), invent, avoid),
    )


def _staying(named: set[str], around: set[str]) -> set[str]:
    """The countries whose states or towns stand in the notes: those stay in them, so they stay.

    Such a country is written otherwise, and tells nothing that the fakes do not.
    """
    stay = {code for code in (HOME, NEIGHBOR) if any(n.startswith(f"{code}-") for n in named)}
    return named & (stay | ({HOME} if ANYWHERE in around else set()))


def _pool(kind: str, bank: PlaceBank) -> tuple[str, ...]:
    return {"numbers": NUMBER_WORDS, "ordinals": ORDINAL_WORDS}.get(kind) or bank.values(kind)


def _write(read: Read, fakes: _Fakes, keyed: Keyed) -> str:
    written = []
    for part in read:
        if isinstance(part, Piece):
            written.append(write([part], fakes.words, keyed))
        elif isinstance(part, Part):
            written.append(_written(part.segment, part.place, fakes, keyed))
        else:
            written.append(part)
    return "".join(written)


def _written(segment: Segment, place: Place, fakes: _Fakes, keyed: Keyed) -> str:
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
