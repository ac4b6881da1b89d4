"""The normal forms of a note: without invisible characters, odd blanks and odd digits.

Text that was copied out of a browser, a PDF or several files has soft hyphens, blanks without
width and byte order marks within its words and numbers. Rules read words and numbers, so they are
given the note in two other forms: once without such characters, and once with a blank for each, for
nobody can tell whether one stands within a word or between two.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from incognote.detect.note_index import NoteIndex
from incognote.document import Span

_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\U000e0000-\U000e01ef]"
)
"""Characters that a page leaves out or shows as nothing."""
_ODD = re.compile("[\u1680\u2000-\u200a\u202f\u205f\u3000\uff01-\uff5e]|(?![0-9])\\d")
"""Blanks other than the usual, characters of full width, and digits of other scripts."""


@dataclass(frozen=True)
class NormalText:
    """One form of a note, without the characters that stand at the places `left_out` of the note."""

    text: str
    left_out: Sequence[int] = ()

    @cached_property
    def index(self) -> NoteIndex:
        """Where its words and numbers are."""
        return NoteIndex(self.text)

    @cached_property
    def _gaps(self) -> list[int]:
        """Where the characters left out would stand in this text."""
        return [place - before for before, place in enumerate(self.left_out)]

    def place(self, at: int) -> int:
        """Where a character of this text stands in the note."""
        return at + bisect_right(self._gaps, at)

    def in_note(self, note: str, spans: Iterable[Span]) -> Iterator[Span]:
        """Spans of this form as spans of the note, with all that lies between their ends."""
        for span in spans:
            if span.start < span.end:
                start, end = self.place(span.start), self.place(span.end - 1) + 1
                yield replace(span, start=start, end=end, text=note[start:end])

    def in_form(self, spans: Iterable[Span]) -> list[Span]:
        """Spans of the note as spans of this form, but for those of which it shows nothing."""
        return [moved for span in spans if (moved := self._moved(span)).text]

    def _moved(self, span: Span) -> Span:
        start = span.start - bisect_left(self.left_out, span.start)
        end = span.end - bisect_left(self.left_out, span.end)
        return replace(span, start=start, end=end, text=self.text[start:end])


def normal_texts(note: str) -> list[NormalText]:
    """What rules read in the note's place; nothing where the note is normal already."""
    if note.isascii():
        return []
    visible = _ODD.sub(_usual, note)
    left_out = tuple(match.start() for match in _INVISIBLE.finditer(note))
    if not left_out:
        return [] if visible == note else [NormalText(visible)]
    without = NormalText(_INVISIBLE.sub("", visible), left_out)
    return [without, NormalText(_INVISIBLE.sub(" ", visible))]


def _usual(match: re.Match[str]) -> str:
    """One character for another, so that no place changes."""
    character = match[0]
    if character.isspace():
        return " "
    if character.isdecimal():
        return str(unicodedata.decimal(character))
    return chr(ord(character) - 0xFEE0)
