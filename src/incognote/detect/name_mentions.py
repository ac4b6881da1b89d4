"""The words of a note, the names of people, and the runs of words that mention them.

Known names and propagated names are found in the same way: each word of the note is looked up
among the parts of the names; neighbouring parts make one mention, in whatever order they stand.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Set
from dataclasses import dataclass
from string import ascii_lowercase
from typing import NamedTuple

from incognote.detect.note_index import NoteIndex, lazy
from incognote.detect.pattern import Pattern
from incognote.knowledge.letters import fold_name
from incognote.knowledge.lexicon import is_ordinary
from incognote.knowledge.people import JOINING_PARTICLES, SUFFIXES, TITLES

WORD = Pattern(r"[^\W\d_](?:[^\W\d_]|[\u0300-\u036f]|['’ʻ](?=[^\W\d_]))*+")
GAP = Pattern(r"[ \t\xa0,.'’\"“”()‐‑-]{0,4}|[ \t\xa0,]{0,3}\r?\n[ \t\xa0]{0,40}")
BESIDE_NAMES = TITLES | SUFFIXES | JOINING_PARTICLES
JOINING = JOINING_PARTICLES | SUFFIXES
"""What stands between the parts of a name, besides initials."""
LETTERS = frozenset(ascii_lowercase)
COMBINING = Pattern("[\u0300-\u036f]")
APOSTROPHE = Pattern(r"['’ʻ](?<=[^\W\d_].)(?=[^\W\d_])")


class Token(NamedTuple):
    """A word of the note without its possessive ending, and the key it is looked up by."""

    start: int
    end: int
    key: str


def key_of(word: str) -> str:
    """What spellings of one name share: no case, accents or apostrophes."""
    return fold_name(word).replace("'", "")


def tokens(note: NoteIndex, vocabulary: Set[str]) -> Iterator[Token]:
    """The words of a note that a name may be made of, hyphenated ones in parts.

    These are the words of the `vocabulary`, those that join them, initials, and words with accents or
    apostrophes, whose keys cannot be told from their letters alone.
    """
    text = note.text
    reached = 0
    for place in _places(note, vocabulary):
        match = WORD.match(text, place) if place >= reached else None
        if match is None:
            continue
        end = reached = match.end()
        if text[end - 1] in "sS" and text[end - 2 : end - 1] in ("'", "’"):
            end -= 2
        yield Token(place, end, key_of(text[place:end]))


def _places(note: NoteIndex, vocabulary: Set[str]) -> list[int]:
    text = note.text
    if not text.isascii() and COMBINING.search(text):
        return [match.start() for match in WORD.finditer(text)]
    places = [*note.at(vocabulary | JOINING | note.accented), *note.once(_initials_and_apostrophes)]
    places.sort()
    return places


def _initials_and_apostrophes(note: NoteIndex) -> list[int]:
    """Where letters stand alone in capitals, and where words with an apostrophe begin."""
    text = note.text
    places = [place for place in note.at(LETTERS) if text[place].isupper()]
    for apostrophe in APOSTROPHE.finditer(text):
        start = apostrophe.start()
        while start and text[start - 1].isalpha():
            start -= 1
        places.append(start)
    return places


@dataclass(frozen=True)
class Person:
    """One name as it was found or given, taken apart."""

    name: str
    type: str
    score: float

    @lazy
    def words(self) -> tuple[str, ...]:
        """Keys of the name's words in their order, particles and titles left out."""
        keys = [key_of(match[0]) for match in WORD.finditer(self.name)]
        return tuple(key for key in keys if key not in BESIDE_NAMES)

    @lazy
    def parts(self) -> frozenset[str]:
        """The words that can stand for the person, initials left out."""
        return frozenset(word for word in self.words if len(word) > 1)

    @lazy
    def initials(self) -> frozenset[str]:
        """First letters of all its words."""
        return frozenset(word[0] for word in self.words)


class NameMention(NamedTuple):
    """A run of neighbouring parts of one person's name."""

    start: int
    end: int
    person: Person
    parts: tuple[Token, ...]


def index_of(people: Iterable[Person]) -> dict[str, Person]:
    """Each part, and the first person who bears it."""
    index: dict[str, Person] = {}
    for person in people:
        for part in person.parts:
            index.setdefault(part, person)
    return index


def mentions(
    note: NoteIndex, vocabulary: Set[str], lookup: Callable[[Token], Person | None]
) -> Iterator[NameMention]:
    """Runs of words that `lookup` knows, with initials, particles and suffixes between them.

    It knows none but the words of the `vocabulary`.
    """
    text = note.text
    run: list[Token] = []
    keys: set[str] = set()
    loose: list[Token] = []
    person: Person | None = None
    for token in tokens(note, vocabulary):
        bearer = lookup(token)
        repeated = bearer is not None and token.key in keys
        if repeated or not _continues(text, run, loose, token, known=bearer is not None):
            if person:
                yield _mention(text, run, loose, person)
            run, loose, person = [], [], None
            keys.clear()
        if bearer is not None:
            more = [*(loose if run else _leading_initials(loose, bearer)), token]
            keys.update(other.key for other in more)
            run += more
            loose = []
            person = person or bearer
        elif _may_join(text, token, person):
            loose.append(token)
        else:
            if person:
                yield _mention(text, run, loose, person)
            run, loose, person = [], [], None
            keys.clear()
    if person:
        yield _mention(text, run, loose, person)


def _continues(
    text: str, run: list[Token], loose: list[Token], token: Token, *, known: bool
) -> bool:
    """Whether a word still belongs to the run: near, and not the next sentence."""
    if not run and not loose:
        return True
    last = loose[-1] if loose else run[-1]
    if not GAP.fullmatch(text, last.end, token.start):
        return False
    if text.startswith(".", last.end) and last.end - last.start > 3:
        return False
    plain = known and text[token.start].islower() and is_ordinary(token.key)
    return not (plain and run and not text[run[0].start].islower())


def _may_join(text: str, token: Token, person: Person | None) -> bool:
    word = text[token.start : token.end]
    if len(word) == 1:
        dotted = (
            text.startswith(".", token.end) and not text[token.end + 1 : token.end + 2].isalpha()
        )
        return word.isupper() and (dotted or person is None or token.key in person.initials)
    return person is not None and (token.key in SUFFIXES or token.key in JOINING_PARTICLES)


def _ends_name(text: str, token: Token, person: Person) -> bool:
    """An initial ends a name ("Okafor, Ngozi M."), but not the M of M.D. or of "M 54"."""
    if token.key not in SUFFIXES and token.key not in person.initials:
        return False
    after = text[token.end : token.end + 3]
    if after[:1] == ".":
        return not after[1:2].isalpha()
    return token.key in SUFFIXES or after[:2] in ("  ", ", ") or after[:1] in ("\n", "\r", ",", "")


def _leading_initials(loose: list[Token], person: Person) -> list[Token]:
    """The initials right before the first part, when they are this person's."""
    initials: list[Token] = []
    for token in reversed(loose):
        if token.key not in person.initials:
            break
        initials.append(token)
    return initials[::-1]


def _mention(text: str, run: list[Token], loose: list[Token], person: Person) -> NameMention:
    """The run with the initials and suffixes that trail it; trailing particles stay outside."""
    trailing = list(loose)
    while trailing and trailing[-1].key in JOINING_PARTICLES:
        trailing.pop()
    if not all(_ends_name(text, token, person) for token in trailing):
        trailing = []
    end = trailing[-1].end if trailing else run[-1].end
    if trailing and text.startswith(".", end):
        end += 1
    parts = tuple(
        token for token in run if len(token.key) > 1 and token.key not in JOINING_PARTICLES
    )
    return NameMention(run[0].start, end, person, parts)
