"""A name or an address cut into pieces, each kept or to be changed, and written anew."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Literal, NamedTuple

from incognote.replace.surrogate.keyed import Keyed
from incognote.replace.surrogate.words.letters import (
    APOSTROPHES,
    cased,
    fold,
    laid_out,
    split_possessive,
)
from incognote.replace.surrogate.words.numbers import digits_like, ordinal_like

PieceKind = Literal["gap", "kept", "word", "digits", "ordinal", "letter", "fixed"]
_TOKEN = re.compile(
    rf"\d+(?:st|nd|rd|th)\b|\d+|[^\W\d_]+(?:[{APOSTROPHES}][^\W\d_]+)*[{APOSTROPHES}]?",
    re.IGNORECASE,
)
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_PREFIXES = ("Mac", "Van", "Del", "Von", "San", "Fitz")
_ROUND = "ABCDEFGHJKLMNPRSTVW"


class Word(NamedTuple):
    """A word to be changed: its letters, and the kind of words that it is exchanged for."""

    key: str
    kind: str


class Piece(NamedTuple):
    """A stretch of text. A `word` has the word it stands for; what is `fixed` has its fake."""

    text: str
    kind: PieceKind
    key: str = ""
    word: Word | None = None

    def changed(self, kind: PieceKind) -> Piece:
        """The piece as one of another kind."""
        return self._replace(kind=kind)

    def as_word(self, kind: str) -> Piece:
        """The piece as a word that is exchanged for one of a kind."""
        return self._replace(kind="word", word=Word(self.key, kind))


def pieces_of(text: str, whole: Callable[[str], bool]) -> list[Piece]:
    """Words, numbers and what is between. `whole` knows words that keep their 's: children's."""
    pieces: list[Piece] = []
    read = 0
    for match in _TOKEN.finditer(text):
        if match.start() > read:
            pieces.append(Piece(text[read : match.start()], "gap"))
        read = match.end()
        token = match[0]
        if token[0].isdecimal():
            kind: PieceKind = "digits" if token[-1].isdecimal() else "ordinal"
            pieces.append(Piece(token, kind, token.lower()))
        else:
            pieces += _word(token, whole)
    if read < len(text):
        pieces.append(Piece(text[read:], "gap"))
    return pieces


def _word(token: str, whole: Callable[[str], bool]) -> Iterable[Piece]:
    if whole(_key(token)):
        yield Piece(token, "kept", _key(token))
        return
    token, ending = split_possessive(token)
    for part in _camel(token):
        yield Piece(part, "kept", _key(part))
    if ending:
        yield Piece(ending, "gap")


def _camel(token: str) -> list[str]:
    """`BayPath` in two, `McAllen` and `MacDonald` in one."""
    first, *rest = _CAMEL.split(token)
    if not rest or len(first) < 3 or first in _PREFIXES:
        return [token]
    return [first, *rest]


def _key(word: str) -> str:
    return fold(re.sub(rf"[{APOSTROPHES}]", "", word))


def words_in(pieces: Iterable[Piece]) -> set[Word]:
    """The words that need a fake."""
    return {piece.word for piece in pieces if piece.kind == "word" and piece.word}


def write(pieces: Iterable[Piece], fakes: Mapping[Word, str], keyed: Keyed) -> str:
    """The text with every changed piece in the case of the old one."""
    return "".join(_written(piece, fakes, keyed) for piece in pieces)


def _written(piece: Piece, fakes: Mapping[Word, str], keyed: Keyed) -> str:
    if piece.kind == "word" and piece.word:
        return laid_out(cased(fakes[piece.word], piece.text), piece.text)
    if piece.kind == "digits":
        return digits_like(piece.text, keyed)
    if piece.kind == "ordinal":
        return ordinal_like(piece.text, keyed)
    if piece.kind == "letter":
        return "".join(letter_like(letter, keyed) for letter in piece.text)
    return piece.key if piece.kind == "fixed" else piece.text


def letter_like(letter: str, keyed: Keyed) -> str:
    """Another letter for a unit, a ward or a road, in the same case."""
    other = _ROUND[keyed.number("letter", letter.upper()) % len(_ROUND)]
    if other == letter.upper():
        other = _ROUND[(_ROUND.index(other) + 1) % len(_ROUND)]
    return other.lower() if letter.islower() else other
