"""A date as tokens with one-letter codes, and the formats of a date as patterns over the codes.

`Mon, March 14th` has the codes `W,_M_ns`. Whatever is not part of a date gets the code `X`, which
no format allows: a date is never half understood.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

from incognote.knowledge.calendar import (
    DECADE_NAMES,
    MONTH_NAMES,
    ROMAN_NAMES,
    SEASON_NAMES,
    WEEKDAY_LETTERS,
    WEEKDAY_NAMES,
)
from incognote.knowledge.holidays import holiday_at
from incognote.knowledge.number_words import (
    DAY_WORDS,
    ORDINAL_WORDS,
    YEAR_WORDS,
    read_number,
    read_ordinal,
    read_year,
)

FIRST_YEAR, LAST_YEAR = 1700, 2299
"""Four digits outside these are no year; records for research may be shifted into the 2100s."""


class Token(NamedTuple):
    """A stretch of the text, its code, and its number if it has one."""

    text: str
    code: str
    value: int = 0


_END = r"(?![^\W_])"
_ZONE = r"(?:\s?(?:Z|UTC|GMT|[ECMP][SD]?T|[+-]\d{2}:?\d{2}))?"
_HOUR = r"(?:\s?(?:[ap]\.?m\.?|[ap](?=\W|$)|hrs?|hours|h))"
_TOKEN = re.compile(
    rf"""
    (?P<y>\b{YEAR_WORDS})
  | (?P<Q>\b(?:Q[1-4](?!\d)|[1-4]Q|(?:first|second|third|fourth|last|1st|2nd|3rd|4th)\s{{1,12}}(?:quarter|qtr\b)))
  | (?P<o>\b{ORDINAL_WORDS})
  | (?P<k>\b{DAY_WORDS})
  | (?P<T>(?:(?<=\d)T|\bat\s{{1,3}}|@\s?|(?<![^\W_]))\d{{1,2}}:\d{{2}}(?::\d{{2}}(?:[.,]\d{{1,9}})?)?{_HOUR}?{_ZONE}{_END}
      | (?<=\d)T\d{{2,6}}(?:[.,]\d{{1,9}})?{_ZONE}{_END}
      | (?:\bat\s{{1,3}}|@\s?)\d{{3,4}}{_HOUR}?{_END}
      | (?<![^\W_])(?:\d{{3,4}}\s?(?:hrs?|hours|h)|\d{{1,2}}\s?[ap]\.?m\.?){_END})
  | (?P<number>[0-9]+)
  | (?P<s>(?<=\d)\s?(?:st|nd|rd|th|er){_END})
  | (?P<z>(?<=\d)['’‘`´]?s{_END})
  | (?P<p>(?<=[^\W\d_])['’]s{_END})
  | (?P<F>(?<![^\W\d_])(?:FY|AY|SY|CY)(?=[\s'’‘-]{{0,3}}\d))
  | (?P<word>[^\W\d_]+)
  | (?P<blank>\s+)
  | (?P<other>.)
    """,
    re.IGNORECASE | re.VERBOSE,
)  # fmt: skip

_WORD_CODES = {
    word: code
    for code, words in {
        "f": "of de del du in",
        "h": "the el le la",
        "a": "day year month",
        "v": "early mid middle late beginning end start fin debut",
        "i": "on since around circa ca about approximately approx before after by until till til "
        "last next this every each dated date from between during week",
        ">": "to through thru au al",
        "+": "and or et y",
        "p": "morning afternoon evening night noon midnight weekend am pm",
        "e": "school academic fiscal financial calendar flu influenza season semester term quarter "
        "years yr",
    }.items()
    for word in words.split()
}
_MARKS = {mark: mark for mark in "/.,;:()@"} | {"&": "+", "+": "+"}
_MARKS |= dict.fromkeys("-‐‑‒–—−", "-") | dict.fromkeys("'’‘`´", "'")
_READ = {"y": read_year, "o": read_ordinal, "k": read_number}


def tokenise(text: str) -> list[Token]:
    """The tokens of a text; joined, they are the text."""
    return list(_tokenised(text))


@lru_cache(maxsize=512)
def _tokenised(text: str) -> tuple[Token, ...]:
    """A note's dates are read twice, once for each other and once to be moved."""
    tokens: list[Token] = []
    position = 0
    while position < len(text):
        if not (position and text[position - 1].isalpha()):
            end = holiday_at(text, position)
            if end > position:
                tokens.append(Token(text[position:end], "H"))
                position = end
                continue
        match = _TOKEN.match(text, position)
        if match is None:
            return (*tokens, Token(text[position:], "X"))
        position = match.end()
        group, value = match.lastgroup or "", match[0]
        if group == "number":
            tokens += _numbers(value)
        elif group == "word":
            token = _word(value)
            if token.code in "MW" and text.startswith(".", position):
                token = token._replace(text=value + ".")
                position += 1
            tokens.append(token)
        elif group == "blank":
            tokens.append(Token(value, "_"))
        elif group == "other":
            tokens.append(Token(value, _MARKS.get(value, "X")))
        else:
            tokens.append(Token(value, group, _READ[group](value) if group in _READ else 0))
    return tuple(tokens)


def _word(word: str) -> Token:
    lower = word.lower()
    for code, names in (
        ("M", MONTH_NAMES),
        ("W", WEEKDAY_NAMES),
        ("S", SEASON_NAMES),
        ("K", DECADE_NAMES),
        ("R", ROMAN_NAMES),
    ):
        if lower in names:
            return Token(word, code, names[lower].place)
    if lower in _WORD_CODES:
        return Token(word, _WORD_CODES[lower])
    return Token(word, "m" if WEEKDAY_LETTERS.fullmatch(word) else "X")


def _numbers(digits: str) -> Iterator[Token]:
    """One number, or the parts of a date that is written without separators."""
    if len(digits) in (12, 14) and _year_first(digits[:8]):
        yield from _split(digits[:8], (4, 2, 2))
        yield Token(digits[8:], "T")
    elif len(digits) == 8:
        yield from _split(digits, (4, 2, 2) if _year_first(digits) else (2, 2, 4))
    elif len(digits) == 6:
        parts = (int(digits[:2]), int(digits[2:4]))
        year_and_month = min(parts) > 12 or max(parts) > 31
        yield from _split(digits, (4, 2) if year_and_month else (2, 2, 2))
    else:
        yield _number(digits)


def _split(digits: str, widths: tuple[int, ...]) -> Iterator[Token]:
    start = 0
    for width in widths:
        yield _number(digits[start : start + width])
        start += width


def _year_first(digits: str) -> bool:
    year, month, day = int(digits[:4]), int(digits[4:6]), int(digits[6:])
    return FIRST_YEAR <= year <= LAST_YEAR and 1 <= month <= 12 and 1 <= day <= 31


def _number(digits: str) -> Token:
    value = int(digits) if len(digits) <= 4 else 0
    if len(digits) <= 2:
        return Token(digits, "n", value)
    year = len(digits) == 4 and FIRST_YEAR <= value <= LAST_YEAR
    return Token(digits, "Y" if year else "X", value)


# The formats of a single date, as patterns over token codes.
#
# Named groups are the parts; `a`, `b` and `c` are numbers whose meaning the order of the note's
# dates decides. Codes: n one or two digits, Y a year of four, y a year in words, o and k a day in
# words, M month, R roman month, W weekday, m weekdays by letter, S season, Q quarter, H holiday,
# z the s of a decade, K a decade in words, s an ordinal's ending, T a time of day, F fiscal year,
# f of, h the, v early or late, i on or since, p night, e school (year), + and, > to.

_BEFORE = r"[hvifaeF>+_(.,\-]*?"
_AFTER = r"(?:[_,ih]*T)?[_.,;:)pe@a]*"
_GLUE = r"[_,./\-fha(]{0,6}"
_LOOSE = r"[_,.fhae]{0,6}"
_SEPARATOR = r"_?(?P<{}>[-/.])_?"
_AGAIN = r"_?(?P={})_?"
_WEEKDAY = rf"(?:(?P<w>W){_GLUE}|)"
_WEEKDAY_AFTER = r"(?:[_,(\-]{1,3}(?P<v>W)|)"
_DAY = r"(?P<d>[nok])(?P<s>s)?"
_MONTH = r"(?P<m>M)"
_YEAR = r"'?(?P<y>[Yyn])"
_MARKED_YEAR = r"(?:'(?P<yq>n)|(?P<y>[Yy]))"

_PATTERNS = {
    "month day year": f"{_WEEKDAY}{_MONTH}{_LOOSE}{_DAY}{_LOOSE}{_YEAR}{_WEEKDAY_AFTER}",
    "month-day-year": f"{_WEEKDAY}{_MONTH}{_SEPARATOR.format('g')}{_DAY}{_AGAIN.format('g')}{_YEAR}",
    "day month year": f"{_WEEKDAY}{_DAY}{_GLUE}{_MONTH}{_GLUE}{_YEAR}{_WEEKDAY_AFTER}",
    "year month day": f"(?P<y>Y){_GLUE}{_MONTH}{_GLUE}{_DAY}{_WEEKDAY_AFTER}",
    "month year": f"{_MONTH}(?:{_GLUE}{_MARKED_YEAR}|[-/](?P<yn>n))",
    "month day": f"{_WEEKDAY}{_MONTH}{_LOOSE}{_DAY}{_WEEKDAY_AFTER}",
    "day month": f"{_WEEKDAY}{_DAY}{_GLUE}{_MONTH}{_WEEKDAY_AFTER}",
    "year month": f"(?P<y>Y){_GLUE}{_MONTH}",
    "month": _MONTH,
    "a/b/c": f"{_WEEKDAY}(?P<a>n){_SEPARATOR.format('g')}(?P<b>n){_AGAIN.format('g')}'?(?P<c>[Yn]){_WEEKDAY_AFTER}",
    "a b c": f"{_WEEKDAY}(?P<a>n)_(?P<b>n)_(?P<c>Y)",
    "abc": "(?P<a>n)(?P<b>n)(?P<c>[Yn])",
    "y/a/b": f"{_WEEKDAY}(?P<y>Y){_SEPARATOR.format('g')}(?P<a>n){_AGAIN.format('g')}(?P<b>n){_WEEKDAY_AFTER}",
    "y a b": "(?P<y>Y)_?(?P<a>n)_?(?P<b>n)",
    "roman": f"(?P<d>n){_SEPARATOR.format('g')}(?P<r>R){_AGAIN.format('g')}(?P<y>[Yn])",
    "n/year": "(?P<n>n)_?[-/.]_?(?:'(?P<yq>n)|(?P<y>Y))",
    "year-n": "(?P<y>Y)(?:_?[-/.]_?)?(?P<n>n)",
    "a/b": f"{_WEEKDAY}(?P<a>n)_?[-/.]_?(?P<b>n){_WEEKDAY_AFTER}",
    "season": f"(?P<t>S){_LOOSE}{_YEAR}(?:[-/](?P<y2>[Yn]))?|(?P<y3>Y)_(?P<t2>S)|(?P<t3>S)",
    "quarter": f"(?P<q>Q)[_,/\\-fh]{{0,5}}F?_?{_YEAR}|(?P<y3>Y)_?-?(?P<q2>Q)|(?P<q3>Q)",
    "decade": "'?(?P<z>[Yn])z|(?P<z2>K)",
    "holiday": f"(?P<h>H)(?:{_LOOSE}{_MARKED_YEAR})?|(?P<y3>Y)_(?P<h2>H)",
    "weekday day": f"(?P<w>W){_LOOSE}{_DAY}",
    "weekdays": r"[Wm](?:[_,/\-+>]{1,3}[Wm])*",
    "year": _MARKED_YEAR,
    "fiscal year": r"[ea_]*F[_\-]*(?:'?(?P<yn>n)|(?P<y>Y))",
    "day, year": r"(?P<d>[no])(?P<s>s)?[_,.]{1,3}(?P<y>[Yy])",
    "day": _DAY,
}  # fmt: skip

_FORMATS = {
    name: re.compile(f"{_BEFORE}(?:{pattern}){_AFTER}") for name, pattern in _PATTERNS.items()
}


@lru_cache(maxsize=4096)
def fitting(codes: str) -> tuple[tuple[str, Mapping[str, int]], ...]:
    """The formats that fit, in order, with where each group was found.

    Notes repeat few shapes, and codes tell nothing of a date, so that they may be remembered.
    """
    formats = []
    for name, pattern in _FORMATS.items():
        match = pattern.fullmatch(codes)
        if match:
            groups = match.groupdict().items()
            at = {group: match.start(group) for group, code in groups if code and group != "g"}
            formats.append((name, at))
    return tuple(formats)
