"""Lists of single words by what they tell: the gazetteers of a feature-based tagger."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from incognote.knowledge import calendar, facilities, lexicon, occupations, people, places, streets

_SHORTEST = 2


def _single(*entries: Iterable[str]) -> frozenset[str]:
    """The words of entries in small letters, without full stops and what is too short to tell."""
    words = (
        word.strip(".,'").lower() for group in entries for each in group for word in each.split()
    )
    return frozenset(word for word in words if len(word) >= _SHORTEST)


def _names(*entries: Iterable[str]) -> frozenset[str]:
    """The same without words that are mostly something else."""
    return _single(*entries) - lexicon.ORDINARY - lexicon.NEVER_NAMES


GAZETTEERS: Mapping[str, frozenset[str]] = {
    "title": _single(people.TITLES),
    "kin": _single(people.KIN),
    "degree": _single(people.DEGREES, people.SUFFIXES),
    "particle": _single(people.PARTICLES, people.NAME_PARTICLES),
    "name": _single(lexicon.ALSO_NAMES),
    "region": _names(places.STATES, places.PROVINCES),
    "region-code": _single(places.STATE_CODES, places.PROVINCE_CODES),
    "country": _names(places.COUNTRIES, places.SMALL_COUNTRIES),
    "city": _names(places.CITIES),
    "street": _single(streets.STREET_TYPES, streets.STREET_TYPES_FIRST),
    "unit": _single(streets.UNITS, streets.DIRECTIONS),
    "facility": _single(facilities.HOSPITAL_HEADS, facilities.HOSPITAL_TAILS),
    "organization": _single(facilities.ORGANIZATION_HEADS, facilities.ORGANIZATION_TAILS),
    "occupation": _single(occupations.HEADS, occupations.ALONE),
    "calendar": _single(word.name for word in calendar.WORDS),
    "eponym": _single(lexicon.EPONYMS, lexicon.BARE_EPONYMS),
    "medicine": _single(lexicon.MEDICINES, lexicon.BRANDS),
    "never-name": _single(lexicon.NEVER_NAMES),
    "ordinary": _single(lexicon.ORDINARY),
}
"""By name; what a word of a note is looked up by is in small letters."""
