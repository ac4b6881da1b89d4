"""The name of an institution in pieces: what it is stays, which one it is changes."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from incognote.replace.surrogate.banks.organizations import OrganizationBank
from incognote.replace.surrogate.banks.places import PlaceBank
from incognote.replace.surrogate.organizations.vocabulary import (
    DENOMINATIONS,
    DEVOUT,
    DIRECTIONS,
    FUNCTION_WORDS,
    GENERIC,
    KINDS,
    LEGAL,
    LETTERS_KEPT,
    QUARTERS,
    SAINT_WORDS,
    SAINTES,
    SPANISH,
    SWAPS,
    WARDS,
    WOMEN_SAINTS,
)
from incognote.replace.surrogate.places.vocabulary import NUMBER_WORDS, ORDINAL_WORDS
from incognote.replace.surrogate.words.letters import cased, key_of, word_keys
from incognote.replace.surrogate.words.pieces import Piece, pieces_of

LETTERS = "letters"
STATE = "state"
RINGS = {
    "directions": DIRECTIONS, "quarters": QUARTERS, "wards": WARDS, "numbers": NUMBER_WORDS,
    "ordinals": ORDINAL_WORDS,
}  # fmt: skip
_RING_OF = {word.lower(): ring for ring, words in RINGS.items() for word in words}
RINGS["saintes"] = SAINTES
_VOWEL = re.compile(r"[aeiouy]")
_ALONE, _LONGEST = 5, 6
_DOTTED = re.compile(r"\s*(?:[^\W\d_]\.\s?){2,6}\W*")


def initials_of(texts: Iterable[str]) -> frozenset[str]:
    """The first letters of full names, so that `OSUWMC` is known for an acronym."""
    found = set()
    for text in texts:
        words = word_keys(text)
        large = [word for word in words if word not in FUNCTION_WORDS]
        if len(large) > 1:
            found |= {"".join(word[0] for word in each) for each in (words, large)}
    return frozenset(found)


def organization_pieces(
    text: str, bank: OrganizationBank, places: PlaceBank, initials: Collection[str] = ()
) -> list[Piece]:
    """The pieces of a name; at least one of them changes. `initials` are those of full names."""
    if bank.kind_of.get(key_of(text)) == "services":
        return [Piece(text, "kept", key_of(text)).as_word("services")]
    pieces = _joined(pieces_of(text, lambda key: key in GENERIC), text, places)
    tokens = [place for place, piece in enumerate(pieces) if piece.kind != "gap"]
    words = [place for place in tokens if pieces[place].kind == "kept"]
    spanish = any(pieces[place].key in SPANISH for place in words)
    for order, place in enumerate(words):
        before = [pieces[each].key for each in words[:order]]
        kind = _kind(pieces, place, before, len(words), text, bank)
        if len(words) == 1 and len(pieces[place].key) > 2 and pieces[place].key in initials:
            kind = LETTERS
        last = place == words[-1]
        if not kind and not _stays(pieces, place, len(words), last, places):
            kind = "spanish" if spanish else places.kind_of(pieces[place].key)
        if kind:
            pieces[place] = pieces[place].as_word(kind)
    return _changed(pieces, words)


def _joined(pieces: list[Piece], text: str, places: PlaceBank) -> list[Piece]:
    """States in one piece (`New Jersey`), and so letters with full stops (`M.G.H.`)."""
    if _DOTTED.fullmatch(text):
        core = text.strip()
        return [Piece(core, "kept", "".join(letter for letter in core.lower() if letter.isalpha()))]
    joined: list[Piece] = []
    place = 0
    while place < len(pieces):
        for width in (3, 1):
            some = pieces[place : place + width]
            name = "".join(piece.text for piece in some)
            whole = bool(some[0].key and some[-1].key) and len(name) > 3
            region = places.region_names.get(key_of(name)) if whole else None
            if region and region.code.startswith("US-") and key_of(name) == key_of(region.names[0]):
                joined.append(Piece(name, "kept", region.code).as_word(STATE))
                break
        else:
            width = 1
            joined.append(pieces[place])
        place += width
    return joined


def _kind(
    pieces: list[Piece],
    place: int,
    before: list[str],
    words: int,
    text: str,
    bank: OrganizationBank,
) -> str:
    """The kind of a word that its place or its own meaning tells; none if neither does."""
    piece = pieces[place]
    if piece.kind == "word":
        return STATE
    if len(piece.key) == 1:
        return _single(pieces, place)
    if before and before[-1] in SAINT_WORDS and piece.key not in SAINT_WORDS:
        return "saintes" if before[-1] in WOMEN_SAINTS else "saints"
    if before and before[-1] in DEVOUT:
        return "devotions"
    if len(before) > 1 and before[:2] == ["our", "lady"] and piece.key not in FUNCTION_WORDS:
        return "" if piece.key in KINDS else "ladies"
    known = bank.kind_of.get(piece.key) or _RING_OF.get(piece.key, "")
    if known:
        return known
    return LETTERS if _is_acronym(piece, words, text) else ""


def _single(pieces: list[Piece], place: int) -> str:
    """A letter: of a ward (5W), of a company's form (P.C.), or an initial."""
    piece = pieces[place]
    if place and pieces[place - 1].kind == "digits":
        return "wards" if piece.key in "nesw" else LETTERS
    start = end = place
    while start > 1 and pieces[start - 1].text == "." and len(pieces[start - 2].key) == 1:
        start -= 2
    while end + 2 < len(pieces) and pieces[end + 1].text == "." and len(pieces[end + 2].key) == 1:
        end += 2
    run = "".join(each.key for each in pieces[start : end + 1])
    return "" if run in LEGAL or piece.key in FUNCTION_WORDS | LETTERS_KEPT else LETTERS


def _is_acronym(piece: Piece, words: int, text: str) -> bool:
    length = len(piece.key)
    if not 2 <= length <= _LONGEST or not piece.key.isalpha():
        return False
    if words > 1 and piece.key in SAINT_WORDS:
        return False
    if words == 1 and length <= _ALONE and (piece.text.isupper() or not _VOWEL.search(piece.key)):
        return True
    if piece.key in LETTERS_KEPT or piece.key in KINDS or not piece.text.isupper():
        return "." in piece.text
    return not text.isupper() or not _VOWEL.search(piece.key)


def _stays(pieces: list[Piece], place: int, words: int, last: bool, places: PlaceBank) -> bool:
    """Whether a word only says what an institution is. `Mill` does at the end, not before."""
    key = pieces[place].key
    if len(key) == 1:
        return True
    if words == 1 and key in DENOMINATIONS | SAINT_WORDS:
        return False
    if key in places.word_kinds and not last:
        return False
    compound = place + 1 < len(pieces) and pieces[place + 1].kind == "kept"
    return key in GENERIC and not compound


def _changed(pieces: list[Piece], words: list[int]) -> list[Piece]:
    """`University Hospital` has no word of its own: then one that says what it is changes."""
    if any(piece.kind in ("word", "digits", "ordinal") for piece in pieces):
        return pieces
    swapped = [place for place in words if pieces[place].key in SWAPS]
    own = [place for place in words if pieces[place].key not in FUNCTION_WORDS] or words
    if swapped:
        piece = pieces[swapped[0]]
        pieces[swapped[0]] = Piece(piece.text, "fixed", cased(SWAPS[piece.key], piece.text))
    elif own:
        pieces[own[0]] = pieces[own[0]].as_word("made")
    else:
        text = "".join(piece.text for piece in pieces)
        return [*pieces, Piece("", "word", text).as_word("made")]
    return pieces
