"""Acronyms: of an institution that the notes name in full, those of its fake; else other letters."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from incognote.replace.surrogate.keyed import Keyed
from incognote.replace.surrogate.organizations.reading import LETTERS
from incognote.replace.surrogate.organizations.vocabulary import FUNCTION_WORDS
from incognote.replace.surrogate.words.choice import apart
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
            if key in wanted and fold(fake) != key:
                told.setdefault(wanted[key], set()).add(fake)

    def wish(word: Word) -> Callable[[int], str | None]:
        def fitting(turn: int) -> str | None:
            fake = _drawn(word.key, turn, keyed)
            return fake if fold(fake) != word.key and fake not in taken else None

        return fitting

    drawn = {word: wish(word) for word in letters if word not in told}
    rest = apart(drawn, lambda word: keyed.number("rank", *word), fold)
    for word in drawn:
        rest.setdefault(word, _drawn(word.key, 0, keyed))
    return {word: min(fakes) for word, fakes in told.items()} | rest


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
