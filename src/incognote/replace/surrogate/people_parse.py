"""Reading a person's name: its pieces, which are given names and which surnames, whose gender they tell."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Final, Literal, NamedTuple

from incognote.knowledge.letters import NAME_APOSTROPHES
from incognote.knowledge.people import (
    AMBIGUOUS_PARTICLES,
    DEGREES,
    GENDER_TITLES,
    INFANTS,
    KEPT_SUFFIXES,
    KIN,
    LEFT_BEHIND,
    LINKS,
    PARTICLES,
    SURNAME_TITLES,
    Gender,
)
from incognote.replace.surrogate.banks.name_bank import NameBank

_WIDTH_BEFORE = 32
_WIDTH_AFTER = 24


@dataclass(frozen=True)
class PersonMention:
    """The text of a PATIENT or DOCTOR span, and what stands around it, for titles and kin words.

    `start` is where it stands in the note (or in all the notes of a patient, one after another):
    of two persons that a mention fits, the one named last before it is meant.
    """

    text: str = field(repr=False)
    type: str = "PATIENT"
    start: int = 0
    before: str = field(default="", repr=False)
    after: str = field(default="", repr=False)


def mention_at(note: str, start: int, end: int, type: str, offset: int = 0) -> PersonMention:
    """The mention that a span marks; `offset` is where the note begins among the patient's."""
    before = note[max(0, start - _WIDTH_BEFORE) : start]
    return PersonMention(
        note[start:end], type, offset + start, before, note[end : end + _WIDTH_AFTER]
    )


@dataclass(frozen=True)
class Person:
    """Someone a note speaks of: the parts of the name as they are best known, in small letters.

    `spelt` leads from a misspelt part to the part that is meant. `mentions` are the places, in the
    list that was linked, of the mentions of this person.
    """

    type: str
    given_names: tuple[str, ...] = field(repr=False)
    surnames: tuple[str, ...] = field(repr=False)
    initials: str = field(repr=False)
    gender: Gender
    mentions: tuple[int, ...]
    spelt: Mapping[str, str] = field(repr=False, default_factory=dict)


# A mention as pieces: words that are names, initials, what is kept, and what stands between.

PieceKind = Literal["name", "initial", "particle", "digits", "kept", "gap"]
_LETTER = r"[^\W\d_]"
_MORE = r"(?:[^\W\d_]|[^\x00-\u02ff\s\d\u2000-\u206f\u3000-\u303f\uff00-\uff0f])"
_WORD = rf"{_LETTER}{_MORE}*(?:[{NAME_APOSTROPHES}]{_LETTER}{_MORE}*)*"
_PIECE = re.compile(
    rf"(?P<nth>[2-4](?:nd|rd|th)\b)|(?P<word>{_WORD})|(?P<digits>\d+)|(?P<gap>.)", re.S
)
_POSSESSIVE = re.compile(rf"[{NAME_APOSTROPHES}][sS]$")
_ELIDED = re.compile(rf"([^\W\d_oO][{NAME_APOSTROPHES}])(?={_LETTER}{{2}})")
_DOTTED = re.compile(r"(?:[A-Za-z]{1,4}\.){2,4}|[A-Za-z]+-[A-Za-z]{1,3}\b")
_PLAIN = str.maketrans({"ø": "o", "đ": "d", "ð": "d", "ł": "l", "ı": "i", "æ": "ae", "œ": "oe"})


class Piece(NamedTuple):
    """A part of a mention as it is written, and the letters that it is looked up by."""

    text: str
    kind: PieceKind
    key: str = ""


def name_key(word: str) -> str:
    """The letters of a word without accents, case or apostrophes.

    >>> name_key("O’Néill")
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
            Piece(rest, "name", name_key(rest)),
            *tail,
        ]
    letters = name_key(word)
    kind: PieceKind = "initial" if len(letters) == 1 and len(word) == 1 else "name"
    return [Piece(word, kind, letters), *tail]


def _keep_degrees(pieces: list[Piece], text: str) -> None:
    """Degrees after the name, in one word (MD) or in several pieces (M.D., PA-C)."""
    start = 0
    starts = []
    for piece in pieces:
        starts.append(start)
        start += len(piece.text)
    after_name_word = False
    for place, piece in enumerate(pieces):
        if piece.kind not in ("name", "initial"):
            continue
        match = _DOTTED.match(text, starts[place])
        run = match[0] if match else piece.text
        after_name = after_name_word and pieces[place - 1].text[-1:] in " ,\n\t(/"
        if after_name and run.replace(".", "").lower() in DEGREES and _written_as_degree(run):
            end = starts[place] + len(run)
            for later in range(place, bisect_left(starts, end)):
                if pieces[later].kind != "gap":
                    pieces[later] = Piece(pieces[later].text, "kept")
        else:
            after_name_word = after_name_word or piece.kind == "name"


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
            or (word in KEPT_SUFFIXES and order)
            or (word in LINKS and order > 0 and not last)
        ):
            pieces[place] = Piece(piece.text, "kept")
        elif word in GENDER_TITLES and not last and order == 0 and _title_like(pieces, place):
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


# Which words of a mention are given names, which surnames, and which particles go with them.

Role = Literal["given", "surname", "unknown"]
GIVEN: Final[Role] = "given"
SURNAME: Final[Role] = "surname"
_QUOTED = frozenset('"“”‘(')


def roles_of(pieces: list[Piece], bank: NameBank, title: str) -> dict[int, Role]:
    """By the comma of OKAFOR, NGOZI; else the last word, with what is hyphenated, is the surname."""
    places = [place for place, piece in enumerate(pieces) if piece.kind in ("name", "initial")]
    quoted = [place for place in places if place and pieces[place - 1].text in _QUOTED]
    outside = [place for place in places if place not in quoted]
    roles: dict[int, Role] = {}
    if outside:
        places = outside
        roles |= dict.fromkeys(quoted, GIVEN)
    comma = next((place for place, piece in enumerate(pieces) if piece.text == ","), len(pieces))
    first = [place for place in places if place < comma]
    rest = [place for place in places if place > comma]
    if first and rest:
        roles |= dict.fromkeys(first, SURNAME) | dict.fromkeys(rest, GIVEN)
        return dict(sorted(roles.items()))
    groups = _hyphenated(pieces, places)
    if len(groups) == 1:
        after_particle = (
            places[0] > 0
            and pieces[places[0] - 1].text in (" ", "-")
            and any(piece.kind == "particle" for piece in pieces[: places[0]])
        )
        alone: Role = "surname" if title in SURNAME_TITLES or after_particle else "unknown"
        roles |= dict.fromkeys(groups[0], alone)
    elif groups:
        *before, last = groups
        if _reversed(pieces, groups, bank):
            last, *before = groups
        roles |= dict.fromkeys(last, SURNAME)
        for order, group in enumerate(before):
            inner = order > 0 and len(before) > 1 and _is_surname(pieces, group, bank)
            roles |= dict.fromkeys(group, SURNAME if inner else GIVEN)
    return dict(sorted(roles.items()))


def _hyphenated(pieces: list[Piece], places: list[int]) -> list[list[int]]:
    groups: list[list[int]] = []
    for place in places:
        if groups and groups[-1][-1] == place - 2 and pieces[place - 1].text in "-‐‑":
            groups[-1].append(place)
        else:
            groups.append([place])
    return groups


def _reversed(pieces: list[Piece], groups: list[list[int]], bank: NameBank) -> bool:
    """OKAFOR NGOZI, without a comma."""
    if any(pieces[place].kind == "initial" for place in groups[0]):
        return False
    last = bank.find(pieces[groups[-1][-1]].key)
    ends_as_given = pieces[groups[-1][-1]].kind == "initial" or (last and last.of.home == "given")
    return bool(ends_as_given) and _is_surname(pieces, groups[0], bank)


def _is_surname(pieces: list[Piece], group: list[int], bank: NameBank) -> bool:
    entry = bank.find(pieces[group[0]].key)
    return entry is not None and entry.of.home == "surname"


def particles_of(pieces: list[Piece]) -> dict[int, str]:
    particles: dict[int, str] = {}
    waiting: list[str] = []
    for place, piece in enumerate(pieces):
        if piece.kind == "particle":
            waiting.append(piece.key)
        elif piece.kind == "name":
            if waiting:
                particles[place] = " ".join(waiting)
            waiting = []
    return particles


# Reading a mention: which words are given names and which surnames, and whose gender they tell.

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
        entries = self._by_kind.get(kind, ())
        return tuple([key for role, key in entries if role in roles])

    @cached_property
    def _by_kind(self) -> dict[str, list[tuple[Role, str]]]:
        by_kind: dict[str, list[tuple[Role, str]]] = {}
        for place, role in self.roles.items():
            piece = self.pieces[place]
            by_kind.setdefault(piece.kind, []).append((role, piece.key))
        return by_kind

    @cached_property
    def words(self) -> tuple[str, ...]:
        """All the words that are names."""
        return self.keys("given", "surname", "unknown")

    @cached_property
    def letters(self) -> str:
        """All the initials, in order."""
        return "".join(self.keys("given", "surname", "unknown", kind="initial"))


def parse_all(mentions: Sequence[PersonMention], bank: NameBank) -> list[Parsed]:
    """Read mentions together: CAB is initials where someone is called Carol Ann Byrd."""
    parsed_mentions = [parse(mention, bank) for mention in mentions]
    initials: dict[str, set[str]] = defaultdict(set)
    for mention, parsed in zip(mentions, parsed_mentions, strict=True):
        initials[mention.type] |= _initials_of(parsed)
    return [
        _as_initials(parsed)
        if _short_word(parsed.pieces) in initials[mention.type] and not _capital_first(mention.text)
        else parsed
        for mention, parsed in zip(mentions, parsed_mentions, strict=True)
    ]


def parse(mention: PersonMention, bank: NameBank) -> Parsed:
    """Read a mention by its own form and by what stands before it."""
    pieces = pieces_of(mention.text)
    title, kin, gender = _context(mention, pieces)
    roles = roles_of(pieces, bank, title)
    parsed = Parsed(tuple(pieces), roles, particles_of(pieces), gender, kin)
    word = _short_word(pieces)
    if word and not title and not kin and not _capital_first(mention.text):
        entry = bank.find(word)
        vowels = set(word) & set("aeiouy")
        if (len(word) < 4 or not vowels) and (not entry or entry.of.band == 3 or not vowels):
            return _as_initials(parsed)
    return parsed


def _short_word(pieces: Iterable[Piece]) -> str:
    """The one word of a mention in two to four plain letters, in small ones."""
    names = [piece for piece in pieces if piece.kind in ("name", "initial")]
    word = names[0].key if len(names) == 1 else ""
    return word if 2 <= len(word) <= 4 and word.isascii() else ""


def _capital_first(text: str) -> bool:
    letters = [letter for letter in text if letter.isalpha()]
    return len(letters) > 1 and letters[0].isupper() and letters[1].islower()


def _initials_of(parsed: Parsed) -> set[str]:
    """How a full name is abbreviated: all its letters, or the first and the last."""
    letters = [
        parsed.pieces[place].key[0] for place, role in parsed.roles.items() if role == "given"
    ] + [word[0] for word in parsed.keys("surname")]
    if not parsed.keys("surname") or not parsed.keys("given"):
        return set()
    return {"".join(letters), letters[0] + letters[-1]}


def _as_initials(parsed: Parsed) -> Parsed:
    pieces = [part for piece in parsed.pieces for part in _letters(piece)]
    places = [place for place, piece in enumerate(pieces) if piece.kind == "initial"]
    roles = {place: SURNAME if place == places[-1] else GIVEN for place in places}
    return replace(parsed, pieces=tuple(pieces), roles=roles, particles={})


def _letters(piece: Piece) -> list[Piece]:
    if piece.kind != "name":
        return [piece]
    return [Piece(letter, "initial", letter.lower()) for letter in piece.text]


def _context(mention: PersonMention, pieces: Iterable[Piece]) -> tuple[str, bool, Gender]:
    """The title before the name, whether a kin word is beside it, and the gender that they tell."""
    title = next((piece.key for piece in pieces if piece.kind == "kept" and piece.key), "")
    before = mention.before[-_BEFORE:]
    word, rest = _last_word(before)
    if not title and word in GENDER_TITLES and word not in KIN:
        title = word
        line = rest.rpartition("\n")[2]
        word, _ = _last_word(line)
    if word in LEFT_BEHIND and before.endswith("("):
        return title, True, GENDER_TITLES.get(title, "U")
    if word not in KIN:
        after = _KIN_AFTER.match(mention.after)
        word = (after[1] or after[2]).lower() if after else ""
    gender = GENDER_TITLES.get(title, "U")
    kin = word in KIN
    if gender == "U" and kin:
        gender = KIN[word]
    return title, kin, gender


def _last_word(text: str) -> tuple[str, str]:
    match = _LAST_WORD.search(text)
    return (match[1].lower(), text[: match.start()]) if match else ("", "")
