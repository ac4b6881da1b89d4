"""A given name in other orders and cases, in initials, and misspelt."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import combinations

from incognote.detect.known.initials import InitialsFinder
from incognote.detect.known.search import Found
from incognote.detect.name_mentions import Person, Token, index_of, mentions
from incognote.detect.note_index import NoteIndex, lazy
from incognote.detect.pattern import Pattern
from incognote.detect.propagate import is_name
from incognote.knowledge.lexicon import BRANDS, EPONYMS, is_ordinary

SHORTEST_MISSPELT = 5
MOST_SLIPS = 2
BEGINNING = 12
"""Letters of a name that are looked at before all are compared."""

COMPOUND = Pattern(r"(?<![^\W\d_])[^\W\d_]{2,}+(?:[-‐‑][^\W\d_]{2,}+)+")
UMLAUTS = (("ü", "ue"), ("ö", "oe"), ("ä", "ae"), ("ø", "oe"), ("å", "aa"))


def find_names(names: Sequence[tuple[str, str]]) -> Callable[[NoteIndex], Iterator[Found]]:
    """A finder for all the names of a row together."""
    people = [Person(name, type, 1.0) for type, name in names]
    index = index_of([*people, *_respelled(people)])
    patients_last = sorted(people, key=lambda person: person.type == "PATIENT")
    initials = InitialsFinder(patients_last)
    misspellings = Misspellings(index)

    def find(note: NoteIndex) -> Iterator[Found]:
        text = note.text
        sought = {word for word in note.vocabulary if word in index or misspellings.may_have(word)}
        slips: dict[str, Person | None] = {}

        def lookup(token: Token) -> Person | None:
            exact = index.get(token.key)
            if exact is not None or not text[token.start].isupper():
                return exact
            if token.key not in slips:
                part = misspellings.meant(token.key)
                slips[token.key] = None if part is None else index[part]
            return slips[token.key]

        for mention in mentions(note, sought, lookup):
            if is_name(text, mention):
                yield mention.start, mention.end, mention.person.type
        yield from initials.find(note)

    return find


def _respelled(people: Sequence[Person]) -> Iterator[Person]:
    """Müller is also written Mueller, Jean-Baptiste also Jeanbaptiste."""
    for person in people:
        name = person.name.lower()
        for letter, letters in UMLAUTS:
            name = name.replace(letter, letters)
        if name != person.name.lower():
            yield Person(name, person.type, person.score)
        for compound in COMPOUND.findall(person.name):
            yield Person(re.sub("[-‐‑]", "", compound), person.type, person.score)
        for apart in re.findall(r"(?<!\w)[A-Za-z]{1,2}['’]([^\W\d_]{4,})", person.name):
            yield Person(apart, person.type, person.score)


class Misspellings:
    """Which of many names a word misses by a letter, or by two in a long name.

    Two words that differ by so little are the same once that many letters, or fewer, are left out
    of the beginning of each. So every name is remembered by what is left of its beginning, and
    only names that share such a rest with a word are compared with it.
    """

    def __init__(self, names: Iterable[str]) -> None:
        self._names = [name for name in names if len(name) >= SHORTEST_MISSPELT]
        self._firsts = frozenset(name[0] for name in self._names)

    @lazy
    def _by_rest(self) -> dict[str, list[int]]:
        by_rest: dict[str, list[int]] = {}
        for number, name in enumerate(self._names):
            for rest in _rests(name, _allowed(name)):
                by_rest.setdefault(rest, []).append(number)
        return by_rest

    def may_have(self, word: str) -> bool:
        """Whether a word is long enough, and begins as one of the names does."""
        return len(word) >= SHORTEST_MISSPELT and word[0] in self._firsts

    def meant(self, word: str) -> str | None:
        """The first of the names that the word may be meant as."""
        if not self.may_have(word) or is_ordinary(word) or word in EPONYMS or word in BRANDS:
            return None
        from rapidfuzz.distance import OSA  # most runs know no names, and this takes long to load

        near = {
            number for rest in _rests(word, MOST_SLIPS) for number in self._by_rest.get(rest, ())
        }
        for name in (self._names[number] for number in sorted(near)):
            allowed = _allowed(name)
            if abs(len(name) - len(word)) <= allowed and (
                OSA.distance(name, word, score_cutoff=allowed) <= allowed
            ):
                return name
        return None


def _allowed(name: str) -> int:
    """How many letters may be wrong."""
    return 1 if len(name) < 8 else MOST_SLIPS


def _rests(word: str, most: int) -> Iterator[str]:
    """The beginning of a word without any of its letters but the first, `most` or fewer of them."""
    first, rest = word[0], word[1:BEGINNING]
    for count in range(min(most, len(rest)) + 1):
        for left in combinations(rest, len(rest) - count):
            yield first + "".join(left)
