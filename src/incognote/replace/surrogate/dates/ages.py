"""Ages: over 89 become 90+ in the same wording, under 90 stay or move a little."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Literal

from incognote.replace.surrogate.dates.age_pieces import Piece, pieces_of, years_at
from incognote.replace.surrogate.dates.age_shift import OLDEST, age_shift, shifted_age
from incognote.replace.surrogate.dates.letters import in_case_of
from incognote.replace.surrogate.dates.number_words import write_number
from incognote.replace.surrogate.dates.patient_shift import DateSettings

AgeKind = Literal["kept", "shifted", "capped", "tag"]
TAG = "[AGE]"
CAPPED = f"{OLDEST + 1}+"

_OVER = re.compile(
    r"(?:ej{0,2})?(?P<age>C)(?P<unit>j{0,3}[ys])?(?:j{0,3}nj{0,3}s|jn(?![ys])|j{0,5}h|j{0,5}C)*"
)
"""A capped number, its unit, and what would tell it more exactly: months, halves, a range's end."""


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

    def replace(self, text: str) -> AgeReplacement:
        """What replaces an AGE span."""
        pieces = pieces_of(text)
        if pieces is None:
            return AgeReplacement(TAG, "tag")
        over = [years_at(pieces, place) > OLDEST for place in range(len(pieces))]
        if any(over):
            return AgeReplacement(_capped(pieces, over), "capped")
        years = age_shift(self.key, self.patient, self.settings)
        new = _shifted(pieces, years) if years else text
        return AgeReplacement(new, "kept" if new == text else "shifted")


def _capped(pieces: list[Piece], over: list[bool]) -> str:
    codes = "".join("C" if old else piece.code for piece, old in zip(pieces, over, strict=True))
    written: list[str] = []
    done = 0
    for match in _OVER.finditer(codes):
        written += (piece.text for piece in pieces[done : match.start()])
        written.append(_as_capped(pieces[match.start("age")]))
        if match["unit"]:
            *between, unit = pieces[match.start("unit") : match.end("unit")]
            written += (piece.text for piece in between)
            written.append(unit.text if unit.code == "y" else _years(unit.text))
        done = match.end()
    written += (piece.text for piece in pieces[done:])
    return "".join(written)


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
        _moved(piece, years) if piece.code == "n" and _counts_years(pieces, place) else piece.text
        for place, piece in enumerate(pieces)
    )


def _counts_years(pieces: list[Piece], place: int) -> bool:
    """Whether a number is of whole years, not the months of 7;4 or 7 yrs 4 mos."""
    if place >= 2 and pieces[place - 1].text == ";":
        return False
    return years_at(pieces, place) == pieces[place].value


def _moved(piece: Piece, years: int) -> str:
    new = shifted_age(int(piece.value), years)
    if new == piece.value:
        return piece.text
    if not piece.text[0].isdigit():
        return write_number(new, piece.text)
    digits = re.match(r"\d+", piece.text)
    width = len(digits[0]) if digits and digits[0][0] == "0" else 0
    return f"{new:0{width}}" + piece.text[len(digits[0]) if digits else 0 :]
