"""Where else a note says what a reader marked: the same words, or the same person."""

from __future__ import annotations

import re
from collections.abc import Iterator

from incognote.detect.note_index import NoteIndex
from incognote.detect.propagate import PEOPLE, propagate
from incognote.document import Span
from incognote.knowledge.lexicon import is_ordinary

_PART = re.compile(r"\s+|\w+|.", re.DOTALL)


def same_words(text: str, marked: str) -> Iterator[tuple[int, int]]:
    """The places of these words in a text, whole words only, white space of any kind.

    In small or capital letters alike, unless it is an ordinary word, such as "May" or "Hope".
    """
    parts = _PART.findall(marked.strip())
    if not parts:
        return
    pattern = "".join(r"\s+" if part.isspace() else re.escape(part) for part in parts)
    before = r"(?<!\w)" if parts[0][0].isalnum() else ""
    after = r"(?!\w)" if parts[-1][-1].isalnum() else ""
    any_case = not (len(parts) == 1 and is_ordinary(marked.strip().lower()))
    for match in re.finditer(before + pattern + after, text, re.IGNORECASE if any_case else 0):
        yield match.start(), match.end()


def same_person(text: str, name: str, type: str) -> Iterator[tuple[int, int]]:
    """The places where a text names this person: in full, by parts of the name, with initials.

    Of a type that is no person's, the places of the same words.
    """
    if type not in PEOPLE:
        yield from same_words(text, name)
        return
    places = set(same_words(text, name))
    # The name is put before the text, so that its mentions follow from a mark wherever it was made.
    head = f"{name}\n\n"
    note = NoteIndex(head + text)
    origin = Span.of(note.text, 0, len(name), type)
    for found in propagate(note, [origin]):
        if found.type == type and found.start >= len(head):
            places.add((found.start - len(head), found.end - len(head)))
    yield from _longest(places)


def _longest(places: set[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    end = -1
    for place in sorted(places, key=lambda each: (each[0], -each[1])):
        if place[0] >= end:
            yield place
            end = place[1]
