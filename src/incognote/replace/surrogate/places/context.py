"""What stands around a place tells where it is: the state after a town, the state before a ZIP."""

from __future__ import annotations

import re

from incognote.replace.surrogate.banks.places import PlaceBank, Region
from incognote.replace.surrogate.places.segments import region_in
from incognote.replace.surrogate.words.letters import key_of
from incognote.replace.surrogate.words.mention import Mention

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
    found = _named(match, mention.after, bank)
    between = match[2].split()
    if found or "," not in match[1] or len(between) > 2 or not all(map(str.istitle, between)):
        return found
    later = mention.after[match.end() :]
    match = _AFTER.match(later)
    return _named(match, later, bank) if match and "," in match[1] else None


def _named(match: re.Match[str], after: str, bank: PlaceBank) -> Region | None:
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
