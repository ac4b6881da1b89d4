"""A mention as pieces: words that are names, initials, what is kept, and what stands between."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from typing import Literal, NamedTuple

from incognote.replace.surrogate.people.vocabulary import (
    AMBIGUOUS_PARTICLES,
    APOSTROPHES,
    DEGREES,
    INFANTS,
    LINKS,
    PARTICLES,
    SUFFIXES,
    TITLES,
)

PieceKind = Literal["name", "initial", "particle", "digits", "kept", "gap"]
_LETTER = r"[^\W\d_]"
_MORE = r"(?:[^\W\d_]|[^\x00-\u02ff\s\d\u2000-\u206f\u3000-\u303f\uff00-\uff0f])"
_WORD = rf"{_LETTER}{_MORE}*(?:[{APOSTROPHES}]{_LETTER}{_MORE}*)*"
_PIECE = re.compile(
    rf"(?P<nth>[2-4](?:nd|rd|th)\b)|(?P<word>{_WORD})|(?P<digits>\d+)|(?P<gap>.)", re.S
)
_POSSESSIVE = re.compile(rf"[{APOSTROPHES}][sS]$")
_ELIDED = re.compile(rf"([^\W\d_oO][{APOSTROPHES}])(?={_LETTER}{{2}})")
_DOTTED = re.compile(r"(?:[A-Za-z]{1,4}\.){2,4}|[A-Za-z]+-[A-Za-z]{1,3}\b")
_PLAIN = str.maketrans({"ø": "o", "đ": "d", "ð": "d", "ł": "l", "ı": "i", "æ": "ae", "œ": "oe"})


class Piece(NamedTuple):
    """A part of a mention as it is written, and the letters that it is looked up by."""

    text: str
    kind: PieceKind
    key: str = ""


def key_of(word: str) -> str:
    """The letters of a word without accents, case or apostrophes.

    >>> key_of("O’Néill")
    'oneill'
    """
    plain = unicodedata.normalize("NFKD", word).casefold().translate(_PLAIN)
    return "".join(filter(str.isalpha, plain)) or plain


def pieces_of(text: str) -> list[Piece]:
    """The pieces of a mention, which joined are its text."""
    pieces: list[Piece] = []
    for match in _PIECE.finditer(text):
        if match["word"]:
            pieces += _word(match["word"])
        elif match["nth"]:
            pieces.append(Piece(match[0], "kept"))
        else:
            pieces.append(Piece(match[0], "digits" if match["digits"] else "gap"))
    _keep_degrees(pieces, text)
    _keep_words(pieces)
    return pieces


def _word(text: str) -> list[Piece]:
    """A word without its possessive; an elided particle (D'Angelo) is a piece of its own."""
    owner = _POSSESSIVE.search(text)
    tail = [Piece(owner[0], "gap")] if owner else []
    word = text[: owner.start()] if owner else text
    elided = _ELIDED.match(word)
    if elided:
        rest = word[elided.end() :]
        return [
            Piece(elided[0], "particle", elided[0][0].lower()),
            Piece(rest, "name", key_of(rest)),
            *tail,
        ]
    letters = key_of(word)
    kind: PieceKind = "initial" if len(letters) == 1 and len(word) == 1 else "name"
    return [Piece(word, kind, letters), *tail]


def _keep_degrees(pieces: list[Piece], text: str) -> None:
    """Degrees after the name, in one word (MD) or in several pieces (M.D., PA-C)."""
    start = 0
    starts = []
    for piece in pieces:
        starts.append(start)
        start += len(piece.text)
    named = False
    for place, piece in enumerate(pieces):
        if piece.kind not in ("name", "initial"):
            continue
        match = _DOTTED.match(text, starts[place])
        run = match[0] if match else piece.text
        after_name = named and pieces[place - 1].text[-1:] in " ,\n\t(/"
        if after_name and run.replace(".", "").lower() in DEGREES and _written_as_degree(run):
            end = starts[place] + len(run)
            for later in range(place, bisect_left(starts, end)):
                if pieces[later].kind != "gap":
                    pieces[later] = Piece(pieces[later].text, "kept")
        else:
            named = named or piece.kind == "name"


def _written_as_degree(run: str) -> bool:
    """MD and M.D., md in small letters, PhD; not the surnames Do, Ma and Pa."""
    return "." in run or not run.istitle() or len(run) > 3


def _keep_words(pieces: list[Piece]) -> None:
    names = [place for place, piece in enumerate(pieces) if piece.kind == "name"]
    for order, place in enumerate(names):
        piece = pieces[place]
        word = piece.text.lower()
        last = order == len(names) - 1
        if (
            word in INFANTS
            or (word in SUFFIXES and order)
            or (word in LINKS and order > 0 and not last)
        ):
            pieces[place] = Piece(piece.text, "kept")
        elif word in TITLES and not last and order == 0 and _title_like(pieces, place):
            pieces[place] = Piece(piece.text, "kept", word)
        elif word in PARTICLES and not last and _particle_like(pieces, place, order):
            pieces[place] = Piece(piece.text, "particle", word)


def _title_like(pieces: list[Piece], place: int) -> bool:
    after = pieces[place + 1].text if place + 1 < len(pieces) else ""
    return after == "." or pieces[place].text.lower() not in ("don", "lady", "dame", "mother", "pa")


def _particle_like(pieces: list[Piece], place: int, order: int) -> bool:
    word = pieces[place].text
    after = pieces[place + 1].text if place + 1 < len(pieces) else ""
    if after not in " -‐‑.'’\n":
        return False
    if word.lower() not in AMBIGUOUS_PARTICLES or word.islower() or after in "-‐‑":
        return True
    following = pieces[place + 2].text.lower() if place + 2 < len(pieces) else ""
    return order > 0 or following in PARTICLES or word.lower() in ("van", "la")
