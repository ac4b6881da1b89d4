"""Street addresses: the house number's shape, directions, types and units stay, the rest changes."""

from __future__ import annotations

from incognote.replace.surrogate.banks.places import PlaceBank
from incognote.replace.surrogate.places.vocabulary import (
    DIRECTIONS,
    KEPT,
    NUMBER_WORDS,
    ORDINAL_WORDS,
    ROADS,
    SPANISH_FIRST,
    STREET_TYPES,
    STREET_TYPES_FIRST,
    UNIT_ENDS,
    UNITS,
)
from incognote.replace.surrogate.words.pieces import Piece, pieces_of

_WHOLE = STREET_TYPES | UNITS | KEPT
_NUMBERS = frozenset(word.lower() for word in NUMBER_WORDS)
_ORDINALS = frozenset(word.lower() for word in ORDINAL_WORDS)


def street_pieces(text: str, bank: PlaceBank) -> list[Piece]:
    """The pieces of an address; at least one of them changes."""
    pieces = pieces_of(text, lambda key: key in _WHOLE)
    tokens = [place for place, piece in enumerate(pieces) if piece.kind != "gap"]
    words = [place for place in tokens if pieces[place].kind == "kept"]
    units = _units_from(pieces, words)
    kept_type = _type_of(pieces, [place for place in words if place < units])
    spanish = any(pieces[place].key in SPANISH_FIRST for place in words)
    for order, place in enumerate(tokens):
        piece = pieces[place]
        if piece.kind != "kept":
            continue
        previous = pieces[tokens[order - 1]].key if order else ""
        if len(piece.key) == 1 or _road_letters(piece, previous):
            pieces[place] = _letter(pieces, place, previous)
        elif order == 0 and len(tokens) > 2 and piece.key in _NUMBERS:
            pieces[place] = piece.as_word("numbers")
        elif piece.key in _ORDINALS:
            pieces[place] = piece.as_word("ordinals")
        elif not _stays(pieces, place, words, units, kept_type):
            pieces[place] = piece.as_word("spanish" if spanish else bank.kind_of(piece.key))
    return _changed(pieces, words, units, kept_type)


def _units_from(pieces: list[Piece], words: list[int]) -> int:
    """Where apartment, suite or floor begin; a unit's word is never the first of an address."""
    marks = [place for place in words[1:] if pieces[place].key in UNITS - STREET_TYPES]
    typed = False
    for place, piece in enumerate(pieces):
        typed = typed or (piece.kind == "kept" and piece.key in STREET_TYPES)
        if piece.kind == "gap" and (
            ("#" in piece.text and place > 1) or ("," in piece.text and typed)
        ):
            marks.append(place)
    return min(marks, default=len(pieces))


def _type_of(pieces: list[Piece], words: list[int]) -> int:
    types = [place for place in words if pieces[place].key in STREET_TYPES]
    return types[-1] if types else -1


def _stays(pieces: list[Piece], place: int, words: list[int], units: int, kept_type: int) -> bool:
    key = pieces[place].key
    if place == kept_type or key in DIRECTIONS or key in KEPT:
        return True
    before = [pieces[word].key for word in words if word < place]
    if key in STREET_TYPES_FIRST and DIRECTIONS.issuperset(before):
        return True
    if key in UNIT_ENDS or key in ROADS:
        return place > units
    if key == "st":
        return place < kept_type
    return key in UNITS and (place >= units or place == words[0])


def _road_letters(piece: Piece, previous: str) -> bool:
    return len(piece.text) == 2 and piece.text.isupper() and previous in ROADS


def _letter(pieces: list[Piece], place: int, previous: str) -> Piece:
    """A unit's or a road's letter changes; N, P.O. and the N of a rural house number stay."""
    piece = pieces[place]
    glued = place > 0 and pieces[place - 1].kind == "digits"
    before_digits = place + 1 < len(pieces) and pieces[place + 1].kind == "digits"
    if glued or previous in UNITS or _road_letters(piece, previous):
        return piece.changed("letter")
    if piece.key in DIRECTIONS or (piece.key in KEPT and not before_digits):
        return piece
    return piece.changed("letter")


def _changed(pieces: list[Piece], words: list[int], units: int, kept_type: int) -> list[Piece]:
    """`6801 S Broadway`: a type that is the whole name changes; so does what has no name at all."""
    named = any(piece.kind in ("word", "ordinal", "letter") for piece in pieces[:units])
    numbered = any(pieces[place].key in ROADS for place in words) and any(
        piece.kind == "digits" for piece in pieces[min(words) :]
    )
    if not named and kept_type >= 0 and not numbered:
        pieces[kept_type] = pieces[kept_type].as_word("made")
    elif not named and not any(piece.kind == "digits" for piece in pieces):
        if not words:
            return [
                *pieces,
                Piece("", "word", "".join(piece.text for piece in pieces)).as_word("made"),
            ]
        pieces[words[-1]] = pieces[words[-1]].as_word("made")
    return pieces
