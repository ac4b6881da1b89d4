"""The shape of a value: what is a digit stays one, what is a letter stays one, all else stays."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain

from incognote.knowledge.check_digits import is_card
from incognote.replace.surrogate.kernel import Keyed

Writer = Callable[[str, Keyed, int], str]
"""From a mention's text, the keyed source and the turn to the text in its place."""


@dataclass(frozen=True)
class NumberMention:
    """The text of a span, its type, and what stands before it, for labels such as NPI."""

    text: str = field(repr=False)
    type: str
    before: str = field(default="", repr=False)

    @cached_property
    def plain(self) -> str:
        """Its letters and digits."""
        return compact(self.text)


@dataclass(frozen=True)
class Value:
    """Mentions of one kind and core are of one thing, however they are punctuated."""

    kind: str
    core: str = field(repr=False)
    write: Writer = field(repr=False, compare=False)


# The shape of a value: what is a digit stays one, what is a letter stays one, all else stays.

LETTERS = "abcdefghijklmnopqrstuvwxyz"
_DIGITS = "0123456789"
_SMALL = bytes(range(256)).lower()
_MARKS = bytes(code for code in range(128) if not chr(code).isalnum())
_RUN = re.compile(r"[a-z]+|[0-9]+")
_PIECE, _FARTHEST = 40, 400
_LIKE_DATE = re.compile(
    r"(?:19|20)[0-9]{2}|(?=[0-9]{3,4}$)(?:0?[1-9]|1[0-2])(?:0?[1-9]|[12][0-9]|3[01])"
)
_MASK = re.compile(r"x{2,}")
_APART = re.compile(r"(?P<head>[a-z]{0,6})(?P<digits>[0-9]{4,})(?P<tail>[a-z]{0,2})")
"""A number with a prefix or a suffix: its figures have their own fake, with and without those."""


def compact(text: str) -> str:
    """The letters and digits of a value, plain and small: what makes two values the same.

    >>> compact("307-74-18"), compact("E 20881746")
    ('3077418', 'e20881746')
    """
    if text.isascii():
        return text.encode().translate(_SMALL, _MARKS).decode()
    return "".join(chain.from_iterable(map(_plain, text)))


def pour(text: str, characters: Iterable[str]) -> str:
    """The text with other characters in the places of its letters and digits, in their case."""
    remaining = iter(characters)
    parts: list[str] = []
    for character in text:
        plain = character if character.isascii() else _plain(character)
        if not (plain and plain.isalnum()):
            parts.append(character)
            continue
        new = "".join(next(remaining, "") for _ in plain)
        parts.append(new.upper() if character.isupper() else new)
    return "".join(parts)


def reshaped(plain: str, keyed: Keyed, turn: int, letters: str = LETTERS) -> str:
    """Another value of the same shape for a compact one; different ones stay different.

    A first figure of zero stays zero, and another stays another. Two or more x are a mask that
    hides part of a number: they stay.
    """
    apart = _APART.fullmatch(plain)
    if apart:
        parts = (
            part if not part or _MASK.fullmatch(part) else _run(part, keyed, turn, letters)
            for part in apart.groups()
        )
        return "".join(parts)
    masks = [match.span() for match in _MASK.finditer(plain)]
    if not masks:
        return _run(plain, keyed, turn, letters)
    runs = [_run(part, keyed, turn, letters) for part in _MASK.split(plain)]
    for place, (start, end) in enumerate(masks):
        runs[place] += plain[start:end]
    return "".join(runs)


def _run(part: str, keyed: Keyed, turn: int, letters: str) -> str:
    """Another run of the same shape, which looks like a year, a day or a card only if this does.

    It is the next such run on the ring of all, so that different ones stay different.
    """
    kind = _kind(part)
    fake = part
    for _ in range(_FARTHEST):
        fake = _next_run(fake, keyed, turn, letters)
        if _kind(fake) == kind:
            break
    return fake


def _kind(part: str) -> tuple[bool, bool]:
    if not part.isdigit():
        return False, False
    return _LIKE_DATE.fullmatch(part) is not None, is_card(part)


def _next_run(part: str, keyed: Keyed, turn: int, letters: str) -> str:
    """What follows on the ring; a run of very many characters goes in pieces of some dozens.

    What a piece becomes depends on the piece before it as well, so that different runs stay
    different.
    """
    pieces = [part[start : start + _PIECE] for start in range(0, len(part), _PIECE)]
    parts: list[str] = []
    before: tuple[object, ...] = ()
    for place, piece in enumerate(pieces):
        parts.append(_piece(piece, keyed, turn, letters, *before))
        before = (place, piece)
    return "".join(parts)


def _piece(part: str, keyed: Keyed, turn: int, letters: str, *before: object) -> str:
    """One draw for the whole: a number whose places count to ten, or to the letters there are."""
    alphabets = [_alphabet(place, part, letters) for place in range(len(part))]
    size = 1
    value = 0
    for character, alphabet in zip(part, alphabets, strict=True):
        size *= len(alphabet)
        value = value * len(alphabet) + max(0, alphabet.find(character))
    if size == 1:
        return part
    shape = _RUN.sub(lambda run: f"{'9' if run[0][0].isdigit() else 'a'}{len(run[0])}", part)
    neighbour = keyed.next_on_ring(value, size, "shape", shape, alphabets[0][0], turn, *before)
    value = value if neighbour is None else neighbour
    characters: list[str] = []
    for alphabet in reversed(alphabets):
        value, place = divmod(value, len(alphabet))
        characters.append(alphabet[place])
    return "".join(reversed(characters))


def _alphabet(place: int, part: str, letters: str) -> str:
    character = part[place]
    if not character.isdigit():
        return letters
    if place or len(part) == 1:
        return _DIGITS
    return "0" if character == "0" else _DIGITS[1:]


def _plain(character: str) -> str:
    """The plain letter or digit of a character; another alphabet's letter counts as an e."""
    if not character.isalnum():
        return ""
    plain = unicodedata.normalize("NFKD", character).casefold()
    letters = "".join(filter(str.isalnum, filter(str.isascii, plain)))
    if letters:
        return letters
    digit = unicodedata.digit(character, None)
    return "e" if digit is None else str(digit)
