"""Holidays and holy days: Thanksgiving, MLK Day, Eid, St. Patrick's Day, during Lent."""

from __future__ import annotations

import re
from collections.abc import Iterator

from incognote.detect.lexicon.holidays import AMBIGUOUS_HOLIDAYS, HOLIDAYS
from incognote.detect.pattern import Pattern
from incognote.detect.rules.dates.calendar import APOSTROPHE, GAP, Hit
from incognote.detect.rules.dates.context import around, words

_FIRST_WORD = Pattern(r"[^\W\d_]+")


def _pattern(phrase: str) -> str:
    return re.escape(phrase).replace(r"\ ", GAP).replace("'", APOSTROPHE + "?")


def _first_word(phrase: str) -> str:
    word = _FIRST_WORD.search(phrase)
    return word[0].lower() if word else ""


def _by_first_word() -> dict[str, Pattern]:
    """The holidays that begin with a word, the longest first."""
    phrases: dict[str, list[str]] = {}
    for phrase in sorted(HOLIDAYS, key=len, reverse=True):
        phrases.setdefault(_first_word(phrase), []).append(_pattern(phrase))
    return {
        word: Pattern(rf"(?:{'|'.join(patterns)})(?![^\W_])", re.IGNORECASE)
        for word, patterns in phrases.items()
    }


_PHRASES = _by_first_word()
_SAINT = Pattern(
    rf"(?:st\.?|saint){GAP}?[a-z]{{3,12}}(?:{APOSTROPHE}s|s{APOSTROPHE}|s)?{GAP}(?:day|eve)(?!\w)"
    rf"|st\.?{GAP}?(?:paddy|patrick|patty){APOSTROPHE}s(?!\w)",
    re.IGNORECASE,
)
_SUNDAY_OF = Pattern(
    rf"(?:[1-4](?:st|nd|rd|th)){GAP}(?:sunday|week){GAP}(?:of|in){GAP}(?:advent|lent)",
    re.IGNORECASE,
)
_AMBIGUOUS = frozenset(AMBIGUOUS_HOLIDAYS)
_CUE = words(
    """
    during of for since until till til before after over in at on through around last this next
    every each the by observes observing observed celebrating celebrate celebrated
    """
)
_CLAUSE_END = words(". , ; : ) and but with w/ she he they we -")
_NOT_A_DAY_AFTER = words(
    "tree trees disease factor seals seal island islands cactus rash pattern lily cruise health"
)

HEADS = frozenset(map(_first_word, HOLIDAYS + AMBIGUOUS_HOLIDAYS)) - {"th"} | {"st", "saint"}


def holiday_at(text: str, start: int, end: int) -> Iterator[Hit]:
    """The holiday whose first word this is."""
    if text[start - 1 : start] in ("-", "/") and start:
        return
    phrase = _PHRASES.get(text[start:end].lower(), _SAINT)
    match = phrase.match(text, start) or _SAINT.match(text, start)
    if not match:
        if text[start:end] in _AMBIGUOUS and _is_day(text, start, end):
            yield Hit(start, end, 0.75, "holiday")
        return
    if around(text, start, match.end()).next not in _NOT_A_DAY_AFTER:
        yield Hit(start, match.end(), 0.9, "holiday")


def sunday_of_season(text: str, start: int) -> Hit | None:
    """3rd Sunday of Advent, from its ordinal on."""
    match = _SUNDAY_OF.match(text, start)
    return Hit(*match.span(), 0.9, "holiday") if match else None


def _is_day(text: str, start: int, end: int) -> bool:
    context = around(text, start, end)
    if context.previous not in _CUE or context.next in _NOT_A_DAY_AFTER:
        return False
    if text[start:end] != "Fourth":
        return True
    return context.previous == "the" and (not context.next or context.next in _CLAUSE_END)
