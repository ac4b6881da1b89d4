"""The ways in which a stretch of tokens can be read as one date, the likeliest first."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from incognote.replace.surrogate.dates import numeric
from incognote.replace.surrogate.dates.formats import fitting
from incognote.replace.surrogate.dates.found import Found
from incognote.replace.surrogate.dates.holidays import holiday_named
from incognote.replace.surrogate.dates.parsed import Context, Part, Point
from incognote.replace.surrogate.dates.tokens import Token

_YEAR_BEFORE = re.compile(
    r"(?i)\b(?:in|since|of|circa|quit|retired|relapsed?|around|until|from|year|back)\s{1,3}$"
)


def readings(tokens: Sequence[Token], start: int, end: int, context: Context) -> Iterator[Point]:
    """Every date that `tokens[start:end]` may be."""
    codes = "".join(token.code for token in tokens[start:end])
    for name, groups in fitting(codes):
        at = {group: start + place for group, place in groups.items()}
        yield from _READERS.get(name, _named)(Found(name, at, tokens, start, end, context))


def _named(found: Found) -> Iterator[Point]:
    """Formats whose parts are what their groups say."""
    at, context, year = found.at, found.context, found.year()
    month = next((found.value(group) + 1 for group in "mr" if group in at), None)
    if "d" not in at:
        yield Point("year" if month is None else "month", found.parts, year, month)
        return
    day, weekday = found.value("d"), found.weekday
    if "y" in at and len(found.token("y").text) == 1:
        return
    if 1 <= day <= 31:
        loose = weekday is None and month is None
        yield Point("day", found.parts, year, month, day, weekday=weekday, loose=loose)
    elif (
        "m" in at and year is None and found.token("d").code == "n" and not {"s", "w", "v"} & {*at}
    ):
        parts = (Part("month", at["m"]), Part("year", at["d"]))
        yield Point("month", parts, context.century(day), month)


def _alone(found: Found) -> Iterator[Point]:
    """A bare number: 14th is a day; 88 is a year; 14 may be either, or a month in a range."""
    token, index = found.token("d"), found.at["d"]
    if token.text == "Fourth":
        yield Point("holiday", (Part("holiday", index),), holiday=holiday_named("Fourth"))
    plain = token.code == "n" and "s" not in found.at
    if plain and len(token.text) == 2:
        is_day = 1 <= token.value <= 31 and token.text[0] != "0"
        loose = is_day and not _YEAR_BEFORE.search(found.context.before[-16:])
        year = Point(
            "year", (Part("year", index),), found.context.century(token.value), loose=loose
        )
        yield from () if loose else (year,)
    else:
        year = None
    if 1 <= token.value <= 31:
        yield Point(
            "day",
            found.parts,
            None,
            None,
            token.value,
            loose=token.code != "o" and "s" not in found.at,
        )
    if plain and 1 <= token.value <= 12:
        yield Point("month", (Part("month", index),), None, token.value, loose=True)
    if year and year.loose:
        yield year


def _holidays(found: Found) -> Iterator[Point]:
    index = found.at["h"] if "h" in found.at else found.at["h2"]
    holiday = holiday_named(found.tokens[index].text)
    if holiday:
        parts = (*found.parts, Part("holiday", index))
        yield Point("holiday", parts, found.year(), holiday=holiday)


def _weekdays(found: Found) -> Iterator[Point]:
    days = [i for i in range(found.start, found.end) if found.tokens[i].code in "Wm"]
    yield Point("weekdays", tuple(Part("weekday", i) for i in days))


def _seasons(found: Found) -> Iterator[Point]:
    index = next(found.at[group] for group in ("t", "t2", "t3") if group in found.at)
    parts = (*found.parts, Part("season", index))
    yield Point("season", parts, found.year(), place=found.tokens[index].value)


def _quarters(found: Found) -> Iterator[Point]:
    index = next(found.at[group] for group in ("q", "q2", "q3") if group in found.at)
    parts = (*found.parts, Part("quarter", index))
    yield Point("quarter", parts, found.year(), place=quarter_of(found.tokens[index].text))


def quarter_of(text: str) -> int:
    """Which quarter Q3 or "third quarter" is, counted from 0; the last one is the fourth."""
    digit = re.search(r"[1-4]", text)
    if digit:
        return int(digit[0]) - 1
    word = text.split()[0].lower()
    return 3 if word == "last" else ("first", "second", "third", "fourth").index(word)


def _decades(found: Found) -> Iterator[Point]:
    index = found.at["z"] if "z" in found.at else found.at["z2"]
    token = found.tokens[index]
    value = token.value * 10 if token.code == "K" else token.value
    if value % 10 == 0:
        yield Point("decade", (Part("decade", index),), found.context.century(value))


_READERS: Mapping[str, Callable[[Found], Iterator[Point]]] = {
    "a/b/c": numeric.triples,
    "a b c": numeric.triples,
    "abc": numeric.triples,
    "y/a/b": numeric.year_first,
    "y a b": numeric.year_first,
    "a/b": numeric.pairs,
    "n/year": numeric.number_and_year,
    "year-n": numeric.number_and_year,
    "day": _alone,
    "holiday": _holidays,
    "weekdays": _weekdays,
    "season": _seasons,
    "quarter": _quarters,
    "decade": _decades,
}
