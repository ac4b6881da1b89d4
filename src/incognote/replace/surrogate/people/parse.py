"""Reading a mention: which words are given names and which surnames, and whose gender they tell."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from incognote.replace.surrogate.banks.names import Gender, NameBank
from incognote.replace.surrogate.people.mention import Mention
from incognote.replace.surrogate.people.pieces import Piece, pieces_of
from incognote.replace.surrogate.people.roles import GIVEN, SURNAME, Role, particles_of, roles_of
from incognote.replace.surrogate.people.vocabulary import KIN, LEFT_BEHIND, TITLES

_BEFORE = 48
_LAST_WORD = re.compile(r"([^\W\d_][\w’'-]*)[.:,]?[\s(\"“'-]*$")
_KIN_AFTER = re.compile(
    r"(?:[’'][sS])?\s?(?:\((?:his|her|their|pt[’']?s?|the)?\s?([a-z-]+)(?=[),;:/\s]*(?:\)|\d))"
    r"|,\s(?:his|her|their)\s([a-z-]+)\b)",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Parsed:
    """A mention's pieces, and the role of each that is a name or an initial, by its place."""

    pieces: tuple[Piece, ...] = field(repr=False)
    roles: dict[int, Role] = field(repr=False)
    particles: dict[int, str] = field(repr=False)
    """The particles before a surname, by the place of the surname: van der, al."""
    gender: Gender = "U"
    kin: bool = False

    def keys(self, *roles: Role, kind: str = "name") -> tuple[str, ...]:
        """The words, or the initials, that have one of the roles."""
        named = self._by_kind.get(kind, ())
        return tuple([key for role, key in named if role in roles])

    @cached_property
    def _by_kind(self) -> dict[str, list[tuple[Role, str]]]:
        found: dict[str, list[tuple[Role, str]]] = {}
        for place, role in self.roles.items():
            piece = self.pieces[place]
            found.setdefault(piece.kind, []).append((role, piece.key))
        return found

    @cached_property
    def words(self) -> tuple[str, ...]:
        """All the words that are names."""
        return self.keys("given", "surname", "unknown")

    @cached_property
    def letters(self) -> str:
        """All the initials, in order."""
        return "".join(self.keys("given", "surname", "unknown", kind="initial"))


def parse_all(mentions: Sequence[Mention], bank: NameBank) -> list[Parsed]:
    """Read mentions together: CAB is initials where someone is called Carol Ann Byrd."""
    found = [parse(mention, bank) for mention in mentions]
    initials: dict[str, set[str]] = defaultdict(set)
    for mention, read in zip(mentions, found, strict=True):
        initials[mention.type] |= _initials_of(read)
    return [
        _as_initials(read)
        if _short_word(read.pieces) in initials[mention.type] and not _capital_first(mention.text)
        else read
        for mention, read in zip(mentions, found, strict=True)
    ]


def parse(mention: Mention, bank: NameBank) -> Parsed:
    """Read a mention by its own form and by what stands before it."""
    pieces = pieces_of(mention.text)
    title, kin, gender = _context(mention, pieces)
    roles = roles_of(pieces, bank, title)
    read = Parsed(tuple(pieces), roles, particles_of(pieces), gender, kin)
    word = _short_word(pieces)
    if word and not title and not kin and not _capital_first(mention.text):
        entry = bank.find(word)
        vowels = set(word) & set("aeiouy")
        if (len(word) < 4 or not vowels) and (not entry or entry.of.band == 3 or not vowels):
            return _as_initials(read)
    return read


def _short_word(pieces: Iterable[Piece]) -> str:
    """The one word of a mention in two to four plain letters, in small ones."""
    names = [piece for piece in pieces if piece.kind in ("name", "initial")]
    word = names[0].key if len(names) == 1 else ""
    return word if 2 <= len(word) <= 4 and word.isascii() else ""


def _capital_first(text: str) -> bool:
    letters = [letter for letter in text if letter.isalpha()]
    return len(letters) > 1 and letters[0].isupper() and letters[1].islower()


def _initials_of(read: Parsed) -> set[str]:
    """How a full name is abbreviated: all its letters, or the first and the last."""
    letters = [
        read.pieces[place].key[0] for place, role in read.roles.items() if role == "given"
    ] + [word[0] for word in read.keys("surname")]
    if not read.keys("surname") or not read.keys("given"):
        return set()
    return {"".join(letters), letters[0] + letters[-1]}


def _as_initials(read: Parsed) -> Parsed:
    pieces = [part for piece in read.pieces for part in _letters(piece)]
    places = [place for place, piece in enumerate(pieces) if piece.kind == "initial"]
    roles = {place: SURNAME if place == places[-1] else GIVEN for place in places}
    return replace(read, pieces=tuple(pieces), roles=roles, particles={})


def _letters(piece: Piece) -> list[Piece]:
    if piece.kind != "name":
        return [piece]
    return [Piece(letter, "initial", letter.lower()) for letter in piece.text]


def _context(mention: Mention, pieces: Iterable[Piece]) -> tuple[str, bool, Gender]:
    """The title before the name, whether a kin word is beside it, and the gender that they tell."""
    title = next((piece.key for piece in pieces if piece.kind == "kept" and piece.key), "")
    before = mention.before[-_BEFORE:]
    word, rest = _last_word(before)
    if not title and word in TITLES and word not in KIN:
        title = word
        line = rest.rpartition("\n")[2]
        word, _ = _last_word(line)
    if word in LEFT_BEHIND and before.endswith("("):
        return title, True, TITLES.get(title, "U")
    if word not in KIN:
        after = _KIN_AFTER.match(mention.after)
        word = (after[1] or after[2]).lower() if after else ""
    gender = TITLES.get(title, "U")
    kin = word in KIN
    if gender == "U" and kin:
        gender = KIN[word]
    return title, kin, gender


def _last_word(text: str) -> tuple[str, str]:
    match = _LAST_WORD.search(text)
    return (match[1].lower(), text[: match.start()]) if match else ("", "")
