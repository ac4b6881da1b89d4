"""How a note looks: case, wrapping, spacing, line ends, slips of the keyboard and of the scanner.

Every edit works piece by piece, so that marks stay exactly around their values.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from random import Random

from generator.pieces import Pieces

_CONFUSED = {
    "l": "1",
    "O": "0",
    "0": "O",
    "1": "l",
    "5": "S",
    "rn": "m",
    "e": "c",
    "I": "l",
    "B": "8",
    "h": "b",
}
_UNCUT = frozenset(
    ("PHONE", "FAX", "SSN", "MEDICALRECORD", "HEALTHPLAN", "ACCOUNT", "ZIP", "STATE")
)
"""Types that a line end does not cut; names, places and dates in words it does."""
_BREAK = re.compile(r"([ \n])")


def restyle(pieces: Pieces, rng: Random) -> Pieces:
    """The note in a look of its own; about two in five stay as they are."""
    chance = rng.random()
    if chance < 0.09:
        pieces = _each(pieces, str.upper)
    elif chance < 0.17:
        pieces = _each(pieces, str.lower)
    elif chance < 0.20:
        pieces = _each(pieces, flatten)
    chance = rng.random()
    if chance < 0.14:
        pieces = wrap(pieces, rng.randint(56, 84))
    elif chance < 0.18:
        pieces = _each_outside(pieces, lambda text: text.replace("\n\n", "\n"))
    elif chance < 0.22:
        pieces = _each_outside(pieces, lambda text: re.sub(r"[.,;](?=\s)", "", text))
    elif chance < 0.25:
        pieces = _each_outside(pieces, lambda text: re.sub(r"(?<=\S) (?=\S)", "  ", text))
    elif chance < 0.27:
        pieces = _each_outside(pieces, lambda text: re.sub(r" {3,}", "\t", text))
    elif chance < 0.30:
        pieces = _each_outside(pieces, lambda text: text.replace("\n", "  "))
    if rng.random() < 0.10:
        pieces = slips(pieces, rng, 0.004)
    if rng.random() < 0.03:
        pieces = scanned(pieces, rng, 0.01)
    if rng.random() < 0.03:
        pieces = _each(pieces, lambda text: text.replace("\n", "\r\n"))
    return pieces


def _each(pieces: Pieces, edit: Callable[[str], str]) -> Pieces:
    return [(edit(text), type) for text, type in pieces]


def _each_outside(pieces: Pieces, edit: Callable[[str], str]) -> Pieces:
    return [(text if type else edit(text), type) for text, type in pieces]


def flatten(text: str) -> str:
    """Without accents, as old systems print."""
    if text.isascii():
        return text
    plain = unicodedata.normalize("NFKD", text)
    return "".join(char for char in plain if not unicodedata.combining(char))


def wrap(pieces: Pieces, width: int) -> Pieces:
    """Lines broken at spaces before `width` columns; a name may be cut by a line end."""
    out: Pieces = []
    column = 0
    for text, type in pieces:
        parts: list[str] = []
        for part in _BREAK.split(text):
            if part == "\n":
                column = 0
            elif part == " " and column >= width - 8 and type not in _UNCUT:
                part, column = "\n", 0
            else:
                column += len(part)
            parts.append(part)
        out.append(("".join(parts), type))
    return out


def slips(pieces: Pieces, rng: Random, rate: float) -> Pieces:
    """Letters left out, doubled or swapped, in words of four letters or more."""
    return [(_slip(text, rng, rate) if _wordy(text, type) else text, type) for text, type in pieces]


def _wordy(text: str, type: str) -> bool:
    return (
        type in ("", "PATIENT", "DOCTOR", "CITY", "HOSPITAL", "ORGANIZATION", "PROFESSION", "DATE")
        and len(text) > 4
    )


def _slip(text: str, rng: Random, rate: float) -> str:
    out = list(text)
    for _ in range(round(len(text) * rate + rng.random() * 0.5)):
        at = rng.randrange(1, len(out) - 1) if len(out) > 4 else 0
        if not at or not (out[at].isalpha() and out[at - 1].isalpha() and out[at + 1].isalpha()):
            continue
        kind = rng.random()
        if kind < 0.35:
            out[at] = ""
        elif kind < 0.6:
            out[at] *= 2
        elif len(out[at]) == len(out[at + 1]) == 1:
            out[at], out[at + 1] = out[at + 1], out[at]
        out = list("".join(out))
    return "".join(out)


def scanned(pieces: Pieces, rng: Random, rate: float) -> Pieces:
    """Letters misread as a scanner does."""

    def misread(text: str) -> str:
        return "".join(
            _CONFUSED[char] if char in _CONFUSED and rng.random() < rate else char for char in text
        )

    return _each(pieces, misread)
