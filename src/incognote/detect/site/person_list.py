"""Lists of persons: a staff list of half a million must not mark every "John" and every "White".

- A first and a last name of one person together are found in any order: "Okafor, Ngozi A.".
- A last name alone is found where it is meant as a name. One that is also an ordinary word, an
  eponym or a month needs a title, an initial or a degree beside it: "Dr. White", "R. White".
- Names that stand next to such a last name belong to it: "Mary Okafor".
- First names alone and initials alone ("NO") are never found: of so many people they are anybody's.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from incognote.detect.mention_sense import names_person, titled
from incognote.detect.name_mentions import (
    BESIDE_NAMES,
    WORD,
    NameMention,
    Person,
    Token,
    key_of,
    mentions,
)
from incognote.detect.note_index import NoteIndex
from incognote.detect.propagate import is_name
from incognote.detect.rules.names.reader import DEGREE
from incognote.knowledge.lexicon import ACRONYMS, CALENDAR, EPONYMS, is_ordinary


class PersonList:
    """The people of one list."""

    def __init__(self, number: int, entries: Sequence[str]) -> None:
        self._number = number
        self._last_names: dict[str, set[str]] = {}
        """With the initials of those who bear them."""
        self._first_names: set[str] = set()
        self._pairs: set[tuple[str, str]] = set()
        for entry in entries:
            self._add(entry)
        self._vocabulary = self._first_names | self._last_names.keys()

    def _add(self, entry: str) -> None:
        last, comma, first = entry.partition(",")
        words = _parts(f"{first} {last}" if comma else entry)
        if not words:
            return
        of_last = len(_parts(last)) if comma and _parts(last) else 1
        others, lasts = words[:-of_last], words[-of_last:]
        for name in lasts:
            if len(name) > 1:
                self._last_names.setdefault(name, set()).update(word[0] for word in words)
        for other in others:
            if len(other) > 1:
                self._first_names.add(other)
                self._pairs.update((other, name) for name in lasts)

    def find(self, note: NoteIndex) -> Iterator[tuple[int, int, int]]:
        """Where somebody of the list is named."""
        people: dict[str, Person | None] = {}

        def lookup(token: Token) -> Person | None:
            if token.key not in people:
                known = token.key in self._vocabulary
                initials = self._last_names.get(token.key, ())
                name = " ".join([*initials, token.key])
                people[token.key] = Person(name, "DOCTOR", 1.0) if known else None
            return people[token.key]

        vocabulary = {word for word in note.vocabulary if word in self._vocabulary}
        for mention in mentions(note, vocabulary, lookup):
            place = self._place(note, mention)
            if place is not None:
                yield *place, self._number

    def _place(self, note: NoteIndex, mention: NameMention) -> tuple[int, int] | None:
        text, parts = note.text, mention.parts
        lasts = [part for part in parts if part.key in self._last_names]
        if not lasts:
            return None
        if any((part.key, last.key) in self._pairs for last in lasts for part in parts):
            return (mention.start, mention.end) if is_name(text, mention) else None
        beside = _has_company(note, mention)
        sure = [
            last
            for last in lasts
            if (beside or not _is_common(last.key))
            and names_person(text, last.start, last.end, last.key)
        ]
        if not sure:
            return None
        names = [part for part in parts if part in sure or not _is_common(part.key)]
        start = mention.start if names[0] == parts[0] else names[0].start
        end = mention.end if names[-1] == parts[-1] else names[-1].end
        return start, end


def _parts(name: str) -> list[str]:
    keys = [key_of(match[0]) for match in WORD.finditer(name)]
    return [key for key in keys if key not in BESIDE_NAMES]


def _is_common(key: str) -> bool:
    """Whether a word mostly means something else than a person."""
    return len(key) == 2 or is_ordinary(key) or key in EPONYMS or key in CALENDAR or key in ACRONYMS


def _has_company(note: NoteIndex, mention: NameMention) -> bool:
    """Whether a title, an initial or a degree says that a name stands here."""
    first, last = mention.parts[0], mention.parts[-1]
    if mention.start < first.start or mention.end > last.end or titled(note, mention.start):
        return True
    after = (
        mention.end
        + len(note.text[mention.end : mention.end + 2])
        - len(note.text[mention.end : mention.end + 2].lstrip(", "))
    )
    return after > mention.end and DEGREE.match(note.text, after) is not None
