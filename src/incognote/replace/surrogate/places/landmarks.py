"""Landmarks, roads, airports, ships, and nationalities and languages where they are marked."""

from __future__ import annotations

from incognote.replace.surrogate.banks.places import PlaceBank
from incognote.replace.surrogate.places.vocabulary import LANDMARKS, SHIPS, SPANISH_FIRST
from incognote.replace.surrogate.words.letters import key_of
from incognote.replace.surrogate.words.pieces import Piece, pieces_of

_NO_WORDS = frozenset("of the and at on near de la del las los el st mt".split())
_CODE = 3


def landmark_pieces(text: str, bank: PlaceBank) -> list[Piece]:
    """The pieces of a landmark's name: what it is stays, which one it is changes."""
    pieces = pieces_of(text, lambda key: key in LANDMARKS)
    words = [place for place, piece in enumerate(pieces) if piece.kind == "kept"]
    spanish = any(pieces[place].key in SPANISH_FIRST for place in words)
    for place in words:
        piece = pieces[place]
        if key_of(piece.text) in bank.peoples:
            pieces[place] = piece.as_word(bank.peoples[key_of(piece.text)])
        elif len(piece.text) == _CODE and piece.text.isupper() and not text.isupper():
            pieces[place] = piece if piece.key in SHIPS else piece.as_word("airports")
        elif len(words) == 1 and len(piece.text) == _CODE and text.isupper():
            pieces[place] = piece.as_word("airports")
        elif len(piece.key) == 1:
            continue
        elif piece.key not in LANDMARKS:
            pieces[place] = piece.as_word("spanish" if spanish else bank.kind_of(piece.key))
    if any(piece.kind in ("word", "digits", "ordinal") for piece in pieces):
        return pieces
    for place in words:
        if pieces[place].key not in _NO_WORDS:
            pieces[place] = pieces[place].as_word(bank.kind_of(pieces[place].key))
    if any(piece.kind == "word" for piece in pieces):
        return pieces
    return [*pieces, Piece("", "word", text).as_word("made")]
