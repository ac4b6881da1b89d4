"""An age as pieces with one-letter codes, as dates are tokens.

Codes: n a number, t a decade (60s), g a word for an age (octogenarian), y a unit of years, s a
smaller unit, h and e what tells a number more exactly (and a half, 90th; late), j the rest.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from incognote.replace.surrogate.dates.number_words import NUMBER_WORDS, read_number

_LONGEST = 80
_DECADES = "twenties thirties forties fifties sixties seventies eighties nineties".split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_GENARIANS = {
    "quadragenarian": 40, "quinquagenarian": 50, "sexagenarian": 60, "septuagenarian": 70,
    "octogenarian": 80, "nonagenarian": 90, "supercentenarian": 110, "centenarian": 100,
}  # fmt: skip
_PER_YEAR = {"m": 12.0, "w": 52.1775, "d": 365.2425, "h": 8765.82}
_PIECE = re.compile(
    rf"""
    (?P<g>(?:{'|'.join(_GENARIANS)})s?\b)
  | (?P<roughly>(?:{'|'.join(_TENS)})(?:something|ish)s?\b)
  | (?P<t>\b(?:{'|'.join(_DECADES)}|teens)\b|(?<!\d)[0-9]{{0,2}}0['’]?s\b)
  | (?P<part>(?<!\d)[0-9]{{1,3}}/(?P<of>52|12|7)(?![\d/]))
  | (?P<n>(?<![\d.])[0-9]{{1,5}}(?:\.[0-9]{{1,2}})?(?:\s?[½¼¾]|[\s-]1/[234](?!\d))?(?![\d/.]*\d)
      |(?<![^\W_]){NUMBER_WORDS})
  | (?P<y>(?:years?|yrs?|y(?![^\W\d_])|yo\b|yom\b|yof\b|ans\b|años?)\.?)
  | (?P<s>(?:months?|mths?|mos?\b|weeks?|wks?|days?|hours?|hrs?|[mwdh](?=[ /-]?o\b|[ -]old\b))\.?)
  | (?P<letter>(?<=[\d\s])[mwdh]\b)
  | (?P<e>\b(?:early|mid|late)\b)
  | (?P<h>\b(?:half|quarter|somethings?|ish)\b|(?<=\d)(?:st|nd|rd|th|ish)\b|(?<=\d)[½¼¾])
  | (?P<j>(?<![^\W\d_])(?:old|olds|o|of|age|aged|ages|and|or|to|a|about|approx|approximately|almost|nearly|over
      |under|just|young|male|female|man|woman|boy|girl|m|f|between|through|plus
      |corrected|at|in)\b|[\s\-‐‑–—.,;/()+~<>≥≤=&'’"?:])
    """,
    re.IGNORECASE | re.VERBOSE,
)  # fmt: skip


class Piece(NamedTuple):
    """A part of an age, and the number of years (of `unit` for s and n) that it says."""

    text: str
    code: str
    value: float = 0.0


def pieces_of(text: str) -> list[Piece] | None:
    """The pieces of an age, or nothing if it says what no age does."""
    if len(text) > _LONGEST:
        return None
    found: list[Piece] = []
    position = 0
    while position < len(text):
        match = _PIECE.match(text, position)
        if match is None:
            return None
        position = match.end()
        after_years = any(piece.code == "y" for piece in found)
        found.append(_letter(match[0], after_years) if match["letter"] else _piece(match))
    return found if any(piece.code in "ntgx" for piece in found) else None


def _piece(match: re.Match[str]) -> Piece:
    text, lower = match[0], match[0].lower()
    if match["g"]:
        return Piece(text, "g", _GENARIANS[lower.removesuffix("s")])
    if match["roughly"]:
        return Piece(
            text, "t", next(10.0 * i for i, ten in enumerate(_TENS, 2) if lower.startswith(ten))
        )
    if match["t"]:
        digits = re.match(r"\d+", text)
        worded = {"teens": 13.0} | {word: 10.0 * i for i, word in enumerate(_DECADES, 2)}
        return Piece(text, "t", float(digits[0]) if digits else worded[lower])
    if match["part"]:
        per_year = {"52": 52.0, "12": 12.0, "7": 365.0}[match["of"]]
        return Piece(text, "x", int(text.split("/")[0]) / per_year)
    if match["n"]:
        digits = re.match(r"\d+", text)
        return Piece(text, "n", float(int(digits[0])) if digits else float(read_number(text)))
    if match["s"]:
        return Piece(text, "s", _PER_YEAR[lower[0]])
    return Piece(text, match.lastgroup or "j", 1.0)


def _letter(letter: str, after_years: bool) -> Piece:
    """The m of 12 y 3 m is months, but that of 94 M is a man."""
    if after_years or letter in "wdh":
        return Piece(letter, "s", _PER_YEAR[letter.lower()])
    return Piece(letter, "j")


def years_at(pieces: list[Piece], place: int) -> float:
    """How many years the piece at a place says; a number has the next unit, or years."""
    piece = pieces[place]
    if piece.code in "tgx":
        return piece.value
    if piece.code != "n":
        return 0.0
    unit = next((later for later in pieces[place + 1 :] if later.code in "ys"), None)
    return piece.value / (unit.value if unit else 1.0)
