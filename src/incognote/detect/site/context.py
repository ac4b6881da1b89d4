"""The words that must stand before or after a match: looked for once in a note, whatever the matches.

Words are whole, in capitals or small letters, with any blanks where they have one. A number may
follow a word directly (MRN12345), and a match may.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

from incognote.detect.note_index import NoteIndex

_LETTERS = re.compile(r"[^\W\d_]+")


class _Word(NamedTuple):
    """A word in lower case as it is looked for, and what may not stand before and after it."""

    pattern: re.Pattern[str]
    before: re.Pattern[str]
    after: re.Pattern[str]


class ContextWords:
    """Any of some words."""

    def __init__(self, words: Iterable[str]) -> None:
        self._by_first: dict[str, list[_Word]] = {}
        self._others: list[_Word] = []
        for word in dict.fromkeys(" ".join(word.lower().split()) for word in words):
            first = _LETTERS.match(word)
            entry = _Word(
                re.compile(r"\s+".join(map(re.escape, word.split(" ")))),
                _like(word[0]),
                _like(word[-1]),
            )
            if first:
                self._by_first.setdefault(first[0], []).append(entry)
            else:
                self._others.append(entry)

    def places(self, note: NoteIndex) -> ContextPlaces:
        """Where they stand in a note."""
        return ContextPlaces(list(self._occurrences(note)))

    def _occurrences(self, note: NoteIndex) -> Iterator[tuple[int, int, bool, bool]]:
        small = note.small
        for first, words in self._by_first.items():
            for place in note.words.get(first, ()):
                for word in words:
                    if match := word.pattern.match(small, place):
                        yield _occurrence(small, match, word)
        for word in self._others:
            for match in word.pattern.finditer(small):
                yield _occurrence(small, match, word)


def _occurrence(small: str, match: re.Match[str], word: _Word) -> tuple[int, int, bool, bool]:
    start, end = match.span()
    free_before = word.before.match(small[start - 1 : start]) is None
    return start, end, free_before, word.after.match(small, end) is None


_LETTER, _DIGIT, _SIGN = _LETTERS, re.compile(r"\d"), re.compile(r"(?!)")


def _like(character: str) -> re.Pattern[str]:
    """What, next to this end of a word, would make it part of a longer one."""
    return _LETTER if character.isalpha() else _DIGIT if character.isdigit() else _SIGN


class ContextPlaces:
    """The places of context words in one note."""

    def __init__(self, occurrences: Sequence[tuple[int, int, bool, bool]]) -> None:
        whole = [(start, end) for start, end, left, right in occurrences if left and right]
        by_end = sorted(whole, key=lambda place: place[1])
        self._ends = [end for _, end in by_end]
        self._latest = list(accumulate((start for start, _ in by_end), max))
        by_start = sorted(whole)
        self._starts = [start for start, _ in by_start]
        self._earliest = list(accumulate((end for _, end in reversed(by_start)), min))[::-1]
        self._touching_before = {end: start for start, end, left, _ in occurrences if left}
        self._touching_after = {start: end for start, end, _, right in occurrences if right}

    def stand_before(self, place: int, reach: int) -> bool:
        """Whether one stands within so many characters before a place."""
        before = bisect_right(self._ends, place)
        if before and self._latest[before - 1] >= place - reach:
            return True
        return place in self._touching_before and self._touching_before[place] >= place - reach

    def stand_after(self, place: int, reach: int) -> bool:
        """Whether one stands within so many characters after a place."""
        after = bisect_left(self._starts, place)
        if after < len(self._starts) and self._earliest[after] <= place + reach:
            return True
        return place in self._touching_after and self._touching_after[place] <= place + reach
