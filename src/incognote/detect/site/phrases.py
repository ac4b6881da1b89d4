"""Entries of one word or several, found as whole words: as written, in any case, or misspelt."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from incognote.detect.name_mentions import COMBINING
from incognote.detect.note_index import NoteIndex
from incognote.detect.site.list_words import (
    APOSTROPHES,
    GAP,
    WORD,
    Word,
    ends_sentence,
    folded,
    is_possessive,
    word_at,
)

_RUN = re.compile(r"[^\W\d_]+|\d+")


class Phrases:
    """The entries of some lists, each as its words with a blank between them."""

    def __init__(
        self, lists: Iterable[tuple[int, Sequence[str]]], spelling: Callable[[str], str]
    ) -> None:
        self._spelling = spelling
        self._numbers: dict[str, tuple[int, ...]] = {}
        self._sizes: dict[str, int] = {}
        """How many words the entries have that begin with a word, one bit for each number."""
        self._runs: set[str] = set()
        for number, entries in lists:
            for entry in entries:
                self._add(number, entry)

    def _add(self, number: int, entry: str) -> None:
        words = WORD.findall(entry)
        for forms in {tuple(words), tuple(map(_bare, words))}:
            keys = [self._spelling(form) for form in forms]
            phrase = " ".join(keys)
            if not phrase:
                continue
            numbers = self._numbers.get(phrase, ())
            if number not in numbers:
                self._numbers[phrase] = (*numbers, number)
            self._sizes[keys[0]] = self._sizes.get(keys[0], 0) | 1 << len(keys)
            self._runs.add(_RUN.findall(folded(keys[0]))[0])

    def find(self, note: NoteIndex) -> Iterator[tuple[int, int, int]]:
        """Where entries stand, and of which list each is; none within a longer one of its list."""
        reached: dict[int, int] = {}
        for place in self._places(note):
            word = word_at(note.text, place)
            if word is None:
                continue
            for end, numbers in self._ends(note.text, word):
                for number in numbers:
                    if end > reached.get(number, 0):
                        reached[number] = end
                        yield place, end, number

    def _places(self, note: NoteIndex) -> list[int]:
        text = note.text
        if not text.isascii() and COMBINING.search(text):
            return [match.start() for match in WORD.finditer(text)]
        places: set[int] = set()
        for runs in (note.words, note.numbers):
            for run, found in runs.items():
                if run in self._runs or (not run.isascii() and folded(run) in self._runs):
                    places.update(found)
        for apostrophe in APOSTROPHES.finditer(text):
            start = apostrophe.start()
            while start and text[start - 1].isalnum():
                start -= 1
            places.add(start)
        return sorted(places)

    def _ends(self, text: str, first: Word) -> Iterator[tuple[int, tuple[int, ...]]]:
        """Where the entries end that begin with a word, the longest first."""
        sizes = self._sizes.get(self._spelling(first.text), 0)
        sizes |= self._sizes.get(self._spelling(_bare(first.text)), 0)
        words = [first]
        while sizes >> len(words) + 1 and (word := _next(text, words[-1])):
            words.append(word)
        for size in range(len(words), 0, -1):
            whole = " ".join(self._spelling(word.text) for word in words[:size])
            if whole in self._numbers:
                yield words[size - 1].end, self._numbers[whole]
            bare = " ".join(self._spelling(_bare(word.text)) for word in words[:size])
            if bare != whole and bare in self._numbers:
                yield words[size - 1].bare_end, self._numbers[bare]


def _next(text: str, word: Word) -> Word | None:
    if ends_sentence(text, word):
        return None
    gap = GAP.match(text, word.end)
    return word_at(text, gap.end()) if gap else None


def _bare(word: str) -> str:
    return word[:-2] if is_possessive(word) else word
