"""Lists of persons: a staff list of half a million must not mark every "John" and every "White".

- A first and a last name of one person together are found in any order: "Okafor, Ngozi A.".
- A last name alone is found where it is meant as a name. One that is also an ordinary word, an
  eponym or a month, or as many people's first name, or that has two letters, needs a title, an
  initial or a degree beside it: "Dr. White", "R. White", "White, RN".
- Names that stand next to such a last name belong to it: "Mary Okafor", whoever of the list is Mary.
- First names alone and initials alone ("NO") are never found: of so many people they are anybody's.
  Nor are names with a slip of the pen: nearly every name is a slip of one of so many.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from incognote.detect.known.names import UMLAUTS
from incognote.detect.mention_sense import names_person, titled
from incognote.detect.name_mentions import NameMention, Person, Token, mentions
from incognote.detect.note_index import NoteIndex
from incognote.detect.propagate import is_name
from incognote.detect.rules.names.reader import DEGREE
from incognote.detect.site.list_words import folded_names
from incognote.knowledge.lexicon import ACRONYMS, CALENDAR, EPONYMS, is_ordinary
from incognote.knowledge.people import DEGREES, JOINING_PARTICLES, SUFFIXES, TITLES

_LETTERS_AFTER = (SUFFIXES | TITLES | DEGREES) - {"do", "ma"}
"""What follows a name and is none; Do and Ma are."""
_BESIDE = TITLES | SUFFIXES | JOINING_PARTICLES | DEGREES
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
        """A first and the last name of one person, with a blank between them."""
        firsts, lasts = self._add([*entries, *_respelled(entries)])
        self._first_names = firsts.keys()
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
                letters = initials.get(word, word[0])
                for other in others:
                    if other[0] not in letters:
                        letters += other[0]
                    if len(other) > 1:
                        pairs.add(f"{other} {word}")
                        first_names.append(other)
                initials[word] = letters
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
        for mention in mentions(note, vocabulary, lookup):
            place = self._place(note, mention)
            if place is not None:
                yield *place, self._number

    def _place(self, note: NoteIndex, mention: NameMention) -> tuple[int, int] | None:
        """From where to where somebody is named, given a run of words that are names."""
        text, parts = note.text, mention.parts
        lasts = [part for part in parts if part.key in self._initials]
        if not lasts:
            return None
        if len(parts) > 1 and any(
            f"{part.key} {last.key}" in self._pairs for last in lasts for part in parts
        ):
            return (mention.start, mention.end) if is_name(text, mention) else None
        beside = _has_company(note, mention)
        sure = [
            last
            for last in lasts
            if (beside or not self._needs_company(last.key))
            and names_person(text, last.start, last.end, last.key)
            and not _CONTRACTION.search(text, last.start, last.end)
        ]
        if not sure:
            return None
        names = [part for part in parts if part in sure or not _is_word(part.key)]
        start = mention.start if names[0] == parts[0] else names[0].start
        end = mention.end if names[-1] == parts[-1] else names[-1].end
        return start, end

    def _needs_company(self, last: str) -> bool:
        return len(last) < 3 or last in self._rather_first or _is_word(last)


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
    if "," in name:
        before, _, after = name.partition(",")
        others = [word for word in after.replace(",", " ").split() if word not in _LETTERS_AFTER]
        if others and "".join(others) not in DEGREES:
            last = [word for word in before.split() if word not in JOINING_PARTICLES]
            return _single(others), _longer(_single(last or before.split()))
        name = before
    words = name.split()
    if not words:
        return [], []
    if len(words[-1]) < 2 or not _BESIDE.isdisjoint(words):
        words = _without_letters(words)
    if "-" not in name:
        return words[:-1], _longer(words[-1:])
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
    return [word for word in words[:-1] if word not in JOINING_PARTICLES] + words[-1:]


def _single(words: Sequence[str]) -> list[str]:
    """Hyphenated words in parts."""
    return [part for word in words for part in word.split("-") if part]


def _longer(words: Sequence[str]) -> list[str]:
    return [word for word in words if len(word) > 1]


def _is_word(key: str) -> bool:
    """Whether a name mostly means something else than a person."""
    return is_ordinary(key) or key in EPONYMS or key in CALENDAR or key in ACRONYMS


def _has_company(note: NoteIndex, mention: NameMention) -> bool:
    """Whether a title, an initial or a degree says that somebody is named."""
    first, last = mention.parts[0], mention.parts[-1]
    if mention.start < first.start or mention.end > last.end or titled(note, mention.start):
        return True
    text, end = note.text, mention.end
    after = end + 2 if text.startswith(", ", end) else end + 1
    return text[end : end + 1] in (",", " ") and DEGREE.match(text, after) is not None
