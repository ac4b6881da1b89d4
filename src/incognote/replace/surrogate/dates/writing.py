"""Writing a moved date in the format of the original."""

from __future__ import annotations

import re
from datetime import date

from incognote.replace.surrogate.dates.letters import in_case_of
from incognote.replace.surrogate.dates.moving import Moved, move
from incognote.replace.surrogate.dates.names import (
    DECADE_NAMES,
    MONTH_NAMES,
    MONTHS,
    ROMAN_NAMES,
    SEASON_NAMES,
    WEEKDAY_NAMES,
    WEEKDAYS,
    rename,
)
from incognote.replace.surrogate.dates.number_words import write_number, write_ordinal, write_year
from incognote.replace.surrogate.dates.parsed import ParsedDate, Point
from incognote.replace.surrogate.dates.readings import quarter_of
from incognote.replace.surrogate.dates.schedules import later_days
from incognote.replace.surrogate.dates.tokens import Token

_QUARTERS = ("first", "second", "third", "fourth")
_YEAR_FIRST = re.compile(r"[^nY]*Y_?[-/.]?_?n")
_DAY_AND_NAMED_MONTH = re.compile(r"n[-/]?M[-/]?[nY]")
"""Formats that are written with zeros unless they show otherwise: ISO, 14-Mar-2019."""
_WEEKDAY_BEFORE = re.compile(r"(?i)\b(?:mon|tues?|wed|thur?s?|fri|sat|sun)[a-z]{0,6}\.?\W{1,3}$")
_SUFFIXES = {1: "st", 2: "nd", 3: "rd"}


def shift(parsed: ParsedDate, days: int) -> str:
    """The date so many days later, as the original is written."""
    texts = [token.text for token in parsed.tokens]
    moved = [move(point, days, parsed.context, parsed.points) for point in parsed.points]
    for point, new in zip(parsed.points, moved, strict=True):
        _write(parsed, point, new, days, texts)
    for point, new in zip(parsed.points, moved, strict=True):
        if point.lender is not None and moved[point.lender].month != new.month:
            _write_month_of_its_own(parsed, point, new, texts)
    return "".join(texts[parsed.first : parsed.last])


def _write(parsed: ParsedDate, point: Point, new: Moved, days: int, texts: list[str]) -> None:
    tokens = parsed.tokens
    for part in point.parts:
        token = tokens[part.token]
        if part.role == "month":
            text = _month(parsed, part.token, new.month)
        elif part.role == "day":
            text = _day(parsed, part.token, new.day)
        elif part.role == "suffix":
            text = _suffix(token.text, point.day, new.day)
        elif part.role == "year":
            text = _year(token, new.year)
        elif part.role == "second year":
            text = _year(token, token.value + new.year - (point.year or new.year))
        elif part.role == "weekday":
            text = _weekday(token, days)
        elif part.role == "season":
            text = rename(token.text, SEASON_NAMES, new.place)
        elif part.role == "quarter":
            text = _quarter(token.text, new.place)
        elif part.role == "decade":
            text = _decade(token, new.year)
        else:
            text = _holiday(parsed, point, part.token, new) if days else token.text
        texts[part.token] = text


def _month(parsed: ParsedDate, index: int, month: int) -> str:
    token = parsed.tokens[index]
    if token.code == "n":
        return _padded(parsed, index, month)
    if token.code == "R":
        return rename(token.text, ROMAN_NAMES, month - 1)
    return rename(token.text, MONTH_NAMES, month - 1, short=_short_months(parsed, index))


def _short_months(parsed: ParsedDate, index: int) -> bool:
    """Whether May is an abbreviation: by its full stop, a digit or dash beside it, or the note."""
    others = [token.text.rstrip(".").lower() for token in parsed.tokens if token.code == "M"]
    full = {name.lower() for name in MONTHS} - {"may"}
    if any(name != "may" for name in others):
        return not any(name in full for name in others)
    if parsed.context.short_months is not None:
        return parsed.context.short_months
    beside = {token.code for token in parsed.tokens[max(0, index - 1) : index + 2]}
    return parsed.tokens[index].text.endswith(".") or bool(beside & {"n", "Y", "-", "/"})


def _day(parsed: ParsedDate, index: int, day: int) -> str:
    token = parsed.tokens[index]
    if token.value == day:
        return token.text
    if token.code == "n":
        return _padded(parsed, index, day)
    return write_ordinal(day, token.text) if token.code == "o" else write_number(day, token.text)


def _padded(parsed: ParsedDate, index: int, value: int) -> str:
    """One digit or two: as this number shows, or its neighbours, or the note, or the custom."""
    text = parsed.tokens[index].text
    if len(text) == 1:
        return str(value)
    if text[0] == "0":
        return f"{value:02}"
    codes = "".join(token.code for token in parsed.tokens)
    glued = "n" in (codes[index - 1 : index], codes[index + 1 : index + 2])
    if glued or _YEAR_FIRST.match(codes):
        return f"{value:02}"
    padded = _DAY_AND_NAMED_MONTH.search(codes) is not None
    if "M" not in codes:
        shown = _neighbours(parsed)
        padded = shown[0][0] == "0" if shown else bool(parsed.context.padded)
    return f"{value:02}" if padded else str(value)


def _neighbours(parsed: ParsedDate) -> list[str]:
    """Months and days that show whether zeros are written."""
    parts = (part for point in parsed.points for part in point.parts)
    numbers = [parsed.tokens[part.token].text for part in parts if part.role in ("month", "day")]
    return [number for number in numbers if number[0] == "0" or len(number) == 1]


def _suffix(written: str, old: int | None, day: int) -> str:
    if old == day:
        return written
    ending = "th" if day in (11, 12, 13) else _SUFFIXES.get(day % 10, "th")
    blank = written[: len(written) - len(written.lstrip())]
    return blank + (ending.upper() if written.isupper() else ending)


def _year(token: Token, year: int) -> str:
    if token.code == "y":
        return token.text if token.value == year else write_year(year, token.text)
    if len(token.text) == 4:
        return f"{year:04}"
    return str(year % 100) if len(token.text) == 1 else f"{year % 100:02}"


def _weekday(token: Token, days: int) -> str:
    if token.code == "m":
        return later_days(token.text, days)
    return rename(token.text, WEEKDAY_NAMES, (token.value + days) % 7)


def _quarter(written: str, place: int) -> str:
    old = quarter_of(written)
    if old == place:
        return written
    digit = re.search(r"[1-4]", written)
    if digit is None:
        word, rest = re.split(r"(?=\s)", written, maxsplit=1)
        return in_case_of(_QUARTERS[place], word) + rest
    suffix = re.match(r"(?i)[1-4](st|nd|rd|th)", written)
    if suffix:
        return f"{place + 1}{_suffix(suffix[1], old + 1, place + 1)}{written[3:]}"
    return written.replace(digit[0], str(place + 1), 1)


def _decade(token: Token, year: int) -> str:
    if token.code == "K":
        return rename(token.text, DECADE_NAMES, year % 100 // 10)
    return f"{year:04}" if len(token.text) == 4 else f"{year % 100:02}"


def _holiday(parsed: ParsedDate, point: Point, index: int, new: Moved) -> str:
    """The plain day or, for a season, month; the weekday where the day stands beside it already."""
    written = parsed.tokens[index].text
    month = in_case_of(MONTHS[new.month - 1], written)
    if point.holiday and point.holiday.days > 1:
        return month
    year = point.token("year")
    if new.beside and year is None and not _WEEKDAY_BEFORE.search(parsed.context.before):
        weekday = date(new.year, new.month, new.day).weekday()
        return in_case_of(WEEKDAYS[weekday], written)
    following = parsed.tokens[index + 1 : index + 2]
    comma = (
        "," if year is not None and year > index and following and following[0].code == "_" else ""
    )
    return f"{month} {new.day}{comma}"


def _write_month_of_its_own(parsed: ParsedDate, point: Point, new: Moved, texts: list[str]) -> None:
    """March 30-31 a week later is April 6-7, but a day later it is March 31-April 1."""
    lender = parsed.points[point.lender or 0]
    month, day, own = lender.token("month"), lender.token("day"), point.token("day")
    if month is None or day is None or own is None:
        return
    written = _month(parsed, month, new.month)
    if month < day:
        texts[own] = written + "".join(t.text for t in parsed.tokens[month + 1 : day]) + texts[own]
    else:
        after = lender.token("suffix") or day
        between = "".join(token.text for token in parsed.tokens[after + 1 : month])
        last = point.token("suffix") or own
        texts[last] += between + written
