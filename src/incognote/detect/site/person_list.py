"""Lists of persons: a staff list of half a million must not mark every "John" and every "White".

- A first and a last name of one person together are found in any order: "Okafor, Ngozi A.".
- A last name alone is found where it is meant as a name ("Parkinson called", not "Parkinson's
  disease"). One that is also an ordinary word or a month, or as many people's first name, or that
  has two letters, needs a title, an initial or a degree beside it: "Dr. White", "White, RN".
- People in a row are found one by one: "Okafor, White, R., and Young".
- Names that stand next to such a last name belong to it: "Mary Okafor", whoever of the list is Mary.
- First names alone and initials alone ("NO") are never found: of so many people they are anybody's.
  Nor are names with a slip of the pen: nearly every name is a slip of one of so many.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise

from incognote.detect.known.names import UMLAUTS
from incognote.detect.mention_sense import names_person, titled
from incognote.detect.name_mentions import NameMention, Person, Token, mentions
from incognote.detect.note_index import NoteIndex
from incognote.detect.propagate import is_name
from incognote.detect.rules.names.reader import DEGREE
from incognote.detect.site.list_words import folded_names
from incognote.knowledge.lexicon import ACRONYMS, CALENDAR, is_ordinary
from incognote.knowledge.people import DEGREES, JOINING_PARTICLES, SUFFIXES, TITLES

_LETTERS_AFTER = (SUFFIXES | TITLES | DEGREES) - {"do", "ma"}
"""What follows a name and is none; Do and Ma are."""
_BESIDE = TITLES | SUFFIXES | JOINING_PARTICLES | DEGREES
NEIGHBOURS = 4
"""So many words apart, or less, a first and a last name are of one person."""
_CONTRACTION = re.compile(r"['’](?:ll|d|re|ve|m|t)$", re.IGNORECASE)
"""The end of "she'll", which is nobody called Shell."""
_APART = re.compile(r"(?<!\w)([^\W\d_]{1,2})['’](?=[^\W\d_]{4})")


class PersonList:
    """The people of one list."""

    def __init__(self, number: int, entries: Sequence[str]) -> None:
        self._number = number
        self._initials: dict[str, str] = {}
        """By last name, the first letters of all names of those who bear it."""
        self._pairs: set[str] = set()
        """A first and the last name of one person, or the parts of a double last name."""
        firsts, lasts = self._add([*entries, *_respelled(entries)])
        self.without_entries = [] if self._initials else [number]
        """Its number, if nobody in it has a last name."""
        self._first_names = frozenset(firsts)
        self._rather_first = {name for name, count in lasts.items() if firsts[name] >= count}

    def _add(self, entries: Sequence[str]) -> tuple[Counter[str], Counter[str]]:
        """Take the names apart; returns how often a word is a first name and a last name."""
        initials, pairs = self._initials, self._pairs
        first_names: list[str] = []
        last_names: list[str] = []
        for name in folded_names(entries):
            others, last = _first_and_last(name)
            for word in last:
                last_names.append(word)
                letters = known = initials.get(word) or word[0]
                for other in others:
                    if other[0] not in letters:
                        letters += other[0]
                    if len(other) > 1:
                        pairs.add(f"{other} {word}")
                        first_names.append(other)
                if letters is not known or len(letters) == 1:
                    initials[word] = letters
            pairs.update(map(" ".join, pairwise(last)))
        return Counter(first_names), Counter(last_names)

    def find(self, note: NoteIndex) -> Iterator[tuple[int, int, int]]:
        """Where somebody of the list is named."""
        first_names, initials = self._first_names, self._initials
        people: dict[str, Person | None] = {}

        def lookup(token: Token) -> Person | None:
            key = token.key
            if key not in people:
                letters = initials.get(key, "")
                known = bool(letters) or key in first_names
                people[key] = Person(f"{' '.join(letters)} {key}", "", 1.0) if known else None
            return people[key]

        vocabulary = {word for word in note.vocabulary if word in initials or word in first_names}
        for run in mentions(note, vocabulary, lookup):
            for mention in self._apart(note.text, run):
                place = self._place(note, mention)
                if place is not None:
                    yield *place, self._number

    def _apart(self, text: str, run: NameMention) -> Iterator[NameMention]:
        """A run of names as those of one person each: cut at commas and line ends between people."""
        start, first = run.start, 0
        for place, (part, following) in enumerate(pairwise(run.parts)):
            between = text[part.end : following.start]
            cut = max(between.rfind(","), between.rfind("\n"))
            if cut < 0 or self._are_one(part, following):
                continue
            end = part.end + len(between[:cut].rstrip(" ,\r"))
            yield NameMention(start, end, run.person, run.parts[first : place + 1])
            start, first = following.start - len(between[cut + 1 :].lstrip()), place + 1
        yield NameMention(start, run.end, run.person, run.parts[first:])

    def _are_one(self, part: Token, other: Token) -> bool:
        """Whether two words are names of one person."""
        pairs = self._pairs
        return f"{part.key} {other.key}" in pairs or f"{other.key} {part.key}" in pairs

    def _place(self, note: NoteIndex, mention: NameMention) -> tuple[int, int] | None:
        """From where to where somebody is named, given neighbouring words that are names."""
        text, parts = note.text, mention.parts
        lasts = [part for part in parts if part.key in self._initials]
        if not lasts:
            return None
        near = (
            pair
            for reach in range(1, NEIGHBOURS)
            for pair in zip(parts, parts[reach:], strict=False)
        )
        if any(self._are_one(*pair) for pair in near):
            return (mention.start, mention.end) if is_name(text, mention) else None
        beside = _has_company(note, mention)
        sure = {last for last in lasts if self._stands_alone(text, last, beside=beside)}
        if not sure:
            return None
        names = [part for part in parts if part in sure or not _is_word(part.key)]
        start = mention.start if names[0] == parts[0] else names[0].start
        end = mention.end if names[-1] == parts[-1] else names[-1].end
        return start, end

    def _stands_alone(self, text: str, last: Token, *, beside: bool) -> bool:
        """Whether a last name says that somebody is named, without a first name of the same person.

        `beside` says that a title, an initial or a degree stands there.
        """
        if _CONTRACTION.search(text, last.start, last.end):
            return False
        if beside and text[last.start].isupper():
            return True
        rare = len(last.key) > 2 and last.key not in self._rather_first and not _is_word(last.key)
        return (beside or rare) and names_person(text, last.start, last.end, last.key)


def _respelled(names: Sequence[str]) -> Iterator[str]:
    """Müller is also written Mueller, Jean-Baptiste also Jeanbaptiste, O'Brien also O Brien."""
    for name in names:
        if not name.isascii():
            small = name.lower()
            for letter, letters in UMLAUTS:
                small = small.replace(letter, letters)
            if small != name.lower():
                yield small
        if "-" in name:
            yield name.replace("-", "")
        if "'" in name or "’" in name:
            yield _APART.sub(r"\1 ", name)


def _first_and_last(name: str) -> tuple[list[str], list[str]]:
    """The words before the last name, and those that the last name has."""
    before, comma, after = name.partition(",")
    others = after.split() if comma else before.split()
    last = before.split() if comma else others[-1:]
    if not comma:
        del others[-1:]
    plain = len(last) == 1 < len(last[0]) and others and len(others[0]) > 1 and "-" not in name
    if plain and "," not in after and _BESIDE.isdisjoint(others) and last[0] not in _BESIDE:
        return others, last
    others = [word for word in after.replace(",", " ").split() if word not in _LETTERS_AFTER]
    if others and "".join(others) not in DEGREES:
        last = [word for word in before.split() if word not in JOINING_PARTICLES]
        return _single(others), _longer(_single(last or before.split()))
    words = _without_letters(before.split())
    return _single(words[:-1]), _longer(_single(words[-1:]))


def _without_letters(words: list[str]) -> list[str]:
    """The words of a name without titles, degrees, suffixes, particles, and initials at its end."""
    while len(words) > 1 and words[0] in TITLES:
        words = words[1:]
    while len(words) > 1 and (
        words[-1] in _LETTERS_AFTER
        or len(words[-1]) < 2
        or (len(words) > 2 and words[-1] in DEGREES)
    ):
        words = words[:-1]
    if len(words) == 1 and words[0] in _LETTERS_AFTER:
        return []
    return [word for word in words[:-1] if word not in JOINING_PARTICLES] + words[-1:]


def _single(words: Sequence[str]) -> list[str]:
    """Hyphenated words in parts."""
    return [part for word in words for part in word.split("-") if part]


def _longer(words: Sequence[str]) -> list[str]:
    return [word for word in words if len(word) > 1]


def _is_word(key: str) -> bool:
    """Whether a name mostly means something else than a person."""
    return is_ordinary(key) or key in CALENDAR or key in ACRONYMS


def _has_company(note: NoteIndex, mention: NameMention) -> bool:
    """Whether a title, an initial with a full stop, or a degree says that somebody is named."""
    text, start, end = note.text, mention.start, mention.end
    before = text[start : mention.parts[0].start]
    after = text[mention.parts[-1].end : end]
    if "." in before or "." in after or titled(note, start):
        return True
    place = end + 2 if text.startswith(", ", end) else end + 1
    return text[end : end + 1] in (",", " ") and DEGREE.match(text, place) is not None
