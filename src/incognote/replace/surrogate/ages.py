"""Ages: over 89 become 90+ in the same wording, under 90 stay or move a little."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from incognote.knowledge.letters import in_case_of
from incognote.knowledge.number_words import NUMBER_WORDS, read_number, write_number
from incognote.replace.surrogate.date_shift import OLDEST, DateSettings, age_shift, shifted_age

AgeKind = Literal["kept", "shifted", "capped", "tag"]
TAG = "[AGE]"
_SPLIT = re.compile(r"\d[\s,'’]{1,3}(?!\d{1,3}/\d)\d")
CAPPED = f"{OLDEST + 1}+"

_OVER = re.compile(
    r"(?:ej{0,2})?(?P<age>C)(?P<unit>j{0,3}[ys])?(?:j{0,3}nj{0,3}s|jn(?![ys])|j{0,5}h|j{0,5}C)*"
)
"""A capped number, its unit, and what would tell it more exactly: months, halves, a range's end."""


_RANGE = re.compile(r"\s*(?:[-‐‑–—/]|to|or)\s*", re.IGNORECASE)


@dataclass(frozen=True)
class AgeReplacement:
    """What stands in an age's place, and what the audit counts it as."""

    text: str = field(repr=False)
    kind: AgeKind


@dataclass(frozen=True)
class AgeSurrogates:
    """The ages in one patient's notes: the patient's and those of the people around them."""

    key: bytes = field(repr=False)
    patient: str = field(repr=False)
    settings: DateSettings = field(default_factory=DateSettings)

    def replace(self, text: str, *, alone: bool = False) -> AgeReplacement:
        """What replaces an AGE span; `alone` it is the value of a column."""
        pieces = None if alone and is_split(text) else pieces_of(text)
        if pieces is None or is_doubtful(pieces):
            return AgeReplacement(TAG, "tag")
        over = [years_at(pieces, place) > OLDEST for place in range(len(pieces))]
        if any(over):
            new = _capped(pieces, over)
            return AgeReplacement(TAG, "tag") if _tells_more(new) else AgeReplacement(new, "capped")
        years = age_shift(self.key, self.patient, self.settings)
        new = _shifted(pieces, years) if years else text
        return AgeReplacement(new, "kept" if new == text else "shifted")


def is_doubtful(pieces: list[Piece]) -> bool:
    """Whether a number over 89 is taken for one of months or days, but may be years: 93 and 4 months."""
    for place, piece in enumerate(pieces):
        if piece.code != "n" or piece.value <= OLDEST or years_at(pieces, place) > OLDEST:
            continue
        later = pieces[place + 1 :]
        end = next((at for at, other in enumerate(later) if other.code in "nxs"), len(later))
        between = "".join(other.text for other in later[:end])
        if end < len(later) and later[end].code != "s" and not _RANGE.fullmatch(between):
            return True
    return False


def _tells_more(new: str) -> bool:
    """Whether an age over 89, or what makes it more exact, still stands beside the 90+."""
    before, _, after = new.partition(CAPPED)
    is_exact = any(letter.isdigit() for letter in after.replace(CAPPED, ""))
    return is_exact or any(int(number) > OLDEST for number in re.findall(r"\d+", before))


def is_split(text: str) -> bool:
    """Whether figures are apart, as in 1,101 or 93,5: in a column that is one number, not two."""
    return _SPLIT.search(text) is not None


def _capped(pieces: list[Piece], over: list[bool]) -> str:
    codes = "".join("C" if old else piece.code for piece, old in zip(pieces, over, strict=True))
    parts: list[str] = []
    end = 0
    for match in _OVER.finditer(codes):
        parts += (piece.text for piece in pieces[end : match.start()])
        parts.append(_as_capped(pieces[match.start("age")]))
        if match["unit"]:
            *between, unit = pieces[match.start("unit") : match.end("unit")]
            parts += (piece.text for piece in between)
            parts.append(unit.text if unit.code == "y" else _years(unit.text))
        end = match.end()
    parts += (piece.text for piece in pieces[end:])
    return "".join(parts)


def _as_capped(piece: Piece) -> str:
    if piece.code != "g":
        return CAPPED
    words = "-year-olds" if piece.text.lower().endswith("s") else "-year-old"
    return CAPPED + (words.upper() if piece.text.isupper() else words)


def _years(unit: str) -> str:
    """The unit of years in the number of a smaller one: months becomes years."""
    return in_case_of("years" if unit.lower().rstrip(".").endswith("s") else "year", unit)


def _shifted(pieces: list[Piece], years: int) -> str:
    return "".join(
        _shift(piece, years) if piece.code == "n" and _counts_years(pieces, place) else piece.text
        for place, piece in enumerate(pieces)
    )


def _counts_years(pieces: list[Piece], place: int) -> bool:
    """Whether a number is of whole years, not the months of 7;4 or 7 yrs 4 mos."""
    if place >= 2 and pieces[place - 1].text == ";":
        return False
    return years_at(pieces, place) == pieces[place].value


def _shift(piece: Piece, years: int) -> str:
    new = shifted_age(int(piece.value), years)
    if new == piece.value:
        return piece.text
    if not piece.text[0].isdigit():
        return write_number(new, piece.text)
    digits = re.match(r"\d+", piece.text)
    width = len(digits[0]) if digits and digits[0][0] == "0" else 0
    return f"{new:0{width}}" + piece.text[len(digits[0]) if digits else 0 :]


# An age as pieces with one-letter codes, as dates are tokens.
#
# Codes: n a number, t a decade (60s), g a word for an age (octogenarian), y a unit of years, s a
# smaller unit, h and e what tells a number more exactly (and a half, 90th; late), j the rest.

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
  | (?P<n>(?<![\d.,])[0-9]{{1,3}}(?:,[0-9]{{3}}){{1,2}}(?![\d/.,]*\d)
      |(?<![\d.])[0-9]{{1,5}}(?:\.[0-9]{{1,2}})?(?:\s?[½¼¾]|[\s-]1/[234](?!\d))?(?![\d/.]*\d)
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
    pieces: list[Piece] = []
    position = 0
    while position < len(text):
        match = _PIECE.match(text, position)
        if match is None:
            return None
        position = match.end()
        after_years = any(piece.code == "y" for piece in pieces)
        pieces.append(_letter(match[0], after_years) if match["letter"] else _piece(match))
    return pieces if any(piece.code in "ntgx" for piece in pieces) else None


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
        digits = re.match(r"\d+", text.replace(",", ""))
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


def ages_of(text: str) -> list[tuple[int, int]] | None:
    """The lowest and the highest age in full years of each part of an age, as in 62-66."""
    pieces = pieces_of(text)
    return None if pieces is None else list(_ages(pieces))


def _ages(pieces: list[Piece]) -> Iterable[tuple[int, int]]:
    """The ages of the pieces; the months of 7 yrs 4 mos are none."""
    in_years = False
    for place, piece in enumerate(pieces):
        years = years_at(pieces, place)
        if piece.code in "tg":
            yield int(years), max(int(years), int(years) // 10 * 10 + 9)
        elif piece.code == "n" and years == piece.value:
            if place and pieces[place - 1].text == ";":
                continue
            in_years = True
            yield int(years), int(years)
        elif piece.code in "nx" and not in_years:
            high = OLDEST + 1 if years > OLDEST else int(years)
            yield high, high
