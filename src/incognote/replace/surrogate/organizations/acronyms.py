"""Acronyms: of an institution that the notes name in full, those of its fake; else other letters."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from incognote.replace.surrogate.organizations.reading import LETTERS
from incognote.replace.surrogate.organizations.vocabulary import FUNCTION_WORDS
from incognote.replace.surrogate.people.keyed import Keyed
from incognote.replace.surrogate.words.claims import settle
from incognote.replace.surrogate.words.letters import fold
from incognote.replace.surrogate.words.pieces import Piece, Word

_ALPHABET = "ABCDEFGHJKLMNPRSTVW"
_TAILS = ("MC", "H", "C")
"""What tells that letters are of a medical center, a hospital or a clinic."""


def acronym_fakes(
    letters: Collection[Word],
    names: Iterable[tuple[Sequence[Piece], Sequence[str]]],
    taken: Collection[str],
    keyed: Keyed,
) -> dict[Word, str]:
    """Letters for each acronym. `names` are full names in pieces, and the same pieces as written."""
    wanted = {word.key: word for word in letters}
    told: dict[Word, set[str]] = {}
    for pieces, written in names:
        for key, fake in _initials(pieces, written).items():
            if key in wanted and fold(fake) not in wanted:
                told.setdefault(wanted[key], set()).add(fake)
    given = {word: min(fakes) for word, fakes in told.items()}
    used = {*given.values(), *(word.key.upper() for word in letters)}

    def wish(word: Word) -> Callable[[int], str]:
        return lambda turn: _drawn(word.key, turn, keyed)

    rest = settle(
        {word: wish(word) for word in letters if word not in given},
        rank=lambda word: keyed.number("rank", *word),
        refused=lambda word, fake: fake in used or fake in taken,
    )
    return given | rest


def _initials(pieces: Sequence[Piece], written: Sequence[str]) -> Mapping[str, str]:
    """The first letters of a name and of its fake, with and without its small words."""
    words = [
        (piece, fake)
        for piece, fake in zip(pieces, written, strict=True)
        if piece.key and piece.kind in ("kept", "word", "fixed") and fake[:1].isalpha()
    ]
    if len(words) < 2 or any(piece.word and piece.word.kind == LETTERS for piece, _ in words):
        return {}
    found: dict[str, str] = {}
    for small in (True, False):
        chosen = [each for each in words if small or each[0].key not in FUNCTION_WORDS]
        real = "".join(_first(piece.text) for piece, _ in chosen)
        fake = "".join(_first(text) for _, text in chosen)
        if real != fake:
            found[fold(real)] = fake.upper()
    return found


def _first(text: str) -> str:
    return "".join(word[0] for word in text.split())


def _drawn(key: str, turn: int, keyed: Keyed) -> str:
    """Other letters, as many; a tail that tells the kind stays."""
    tail = next(
        (tail for tail in _TAILS if len(key) > len(tail) + 1 and key.upper().endswith(tail)), ""
    )
    number = keyed.number("letters", key, turn)
    drawn = ""
    for letter in key[: len(key) - len(tail)].upper():
        number, place = divmod(number, len(_ALPHABET))
        other = _ALPHABET[place]
        drawn += other if other != letter else _ALPHABET[(place + 1) % len(_ALPHABET)]
    return drawn + tail
