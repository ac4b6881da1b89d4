"""Entries of one word or several, found as whole words: as written, in any case, or misspelt.

A note is looked at where one of its words begins an entry; nothing is done for an entry that no
word of the note begins, so that half a million of them cost little more than a few.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from incognote.detect.name_mentions import APOSTROPHE, COMBINING
from incognote.detect.note_index import NoteIndex
from incognote.detect.site.list_words import (
    WORD,
    Word,
    folded,
    folded_entries,
    next_word,
    word_at,
    written,
    written_entries,
)
from incognote.detect.site.slips import SHORTEST, SlipIndex, is_known_word

Numbers = tuple[int, ...]
"""Those of the lists that an entry is in."""
Lists = Sequence[tuple[int, Sequence[str]]]

_RUN = re.compile(r"[^\W\d_]+|\d+")


class Phrases:
    """The entries of some lists, each as its words with a blank between them."""

    def __init__(self, exact: Lists = (), any_case: Lists = (), misspelt: Lists = ()) -> None:
        self._written: dict[str, Numbers] = {}
        self._folded: dict[str, Numbers] = {}
        self._sizes: dict[str, int] = {}
        """How many words the entries have that a folded word begins: one bit for each number."""
        for number, entries in exact:
            _add(self._written, number, written_entries(entries))
            self._add_sizes(folded_entries(entries))
        for number, entries in (*any_case, *misspelt):
            phrases = folded_entries(entries)
            _add(self._folded, number, phrases)
            self._add_sizes(phrases)
        self._misspelt = frozenset(number for number, _ in misspelt)
        self._slips: SlipIndex | None = None
        if misspelt:
            phrases = [phrase for phrase, of in self._folded.items() if self._misspelt & {*of}]
            self._slips = SlipIndex(set(" ".join(phrases).split(" ")))
        self._runs = frozenset(
            run for word in self._sizes if not word.isalpha() for run in _RUN.findall(word)[:1]
        )
        """What stands first in the words that are not letters alone."""

    def _add_sizes(self, phrases: Iterable[str]) -> None:
        sizes = self._sizes
        for phrase in phrases:
            first, blank, more = phrase.partition(" ")
            size = 4 << more.count(" ") if blank else 2
            sizes[first] = sizes.get(first, 0) | size
        sizes.pop("", None)

    def find(self, note: NoteIndex) -> Iterator[tuple[int, int, int]]:
        """Where entries stand, and of which list each is; none within a longer one of its list."""
        text = note.text
        slips = self._slips_of(note)
        reached: dict[int, int] = {}
        for place in self._places(note, slips):
            word = word_at(text, place)
            for end, numbers in self._ends(text, word, slips) if word else ():
                for number in numbers:
                    if end > reached.get(number, 0):
                        reached[number] = end
                        yield place, end, number

    def _places(self, note: NoteIndex, slips: Mapping[str, Sequence[str]]) -> list[int]:
        """Where an entry may begin."""
        text, sizes, runs = note.text, self._sizes, self._runs
        if not text.isascii() and COMBINING.search(text):
            return [match.start() for match in WORD.finditer(text)]
        places: list[int] = []
        for word, found in note.words.items():
            key = word if word.isascii() else folded(word)
            if key in sizes or key in runs or key in slips:
                places += found
        if runs:
            for figures, found in note.numbers.items():
                if figures in runs:
                    places += found
        for apostrophe in APOSTROPHE.finditer(text):
            start = apostrophe.start()
            while start and text[start - 1].isalnum():
                start -= 1
            places.append(start)
        return sorted(set(places))

    def _ends(
        self, text: str, first: Word, slips: Mapping[str, Sequence[str]]
    ) -> Iterator[tuple[int, Numbers]]:
        """Where the entries end that begin with a word, the longest first."""
        key, bare = folded(first.text), folded(first.bare)
        sizes = self._sizes.get(key, 0) | self._sizes.get(bare, 0)
        for near in slips.get(bare, ()):
            sizes |= self._sizes.get(near, 0)
        words = [first]
        while sizes >> len(words) + 1 and (word := next_word(text, words[-1])):
            words.append(word)
        for size in range(len(words), 0, -1):
            if not sizes >> size & 1:
                continue
            some, last = words[:size], words[size - 1]
            yield from self._written_as(some)
            wholes = [folded(word.text) for word in some]
            bares = [folded(word.bare) for word in some]
            for keys, end in ((wholes, last.end), (bares, last.bare_end)):
                numbers = self._folded.get(" ".join(keys))
                if numbers:
                    yield end, numbers
                if slips and (of := self._misspelt_as(keys, text, some, slips)):
                    yield end, of
                if wholes == bares:
                    break

    def _written_as(self, words: Sequence[Word]) -> Iterator[tuple[int, Numbers]]:
        """The entries that are written as these words are, the last one with "'s" or without."""
        if not self._written:
            return
        phrase = " ".join([written(word.text) for word in words])
        if phrase in self._written:
            yield words[-1].end, self._written[phrase]
        if words[-1].bare_end < words[-1].end and phrase[:-2] in self._written:
            yield words[-1].bare_end, self._written[phrase[:-2]]

    # Slips of the pen

    def _slips_of(self, note: NoteIndex) -> Mapping[str, Sequence[str]]:
        """The words of the note that may be meant as others, and those others."""
        if self._slips is None:
            return {}
        text = note.text
        words = {
            word if word.isascii() else folded(word)
            for word, places in note.words.items()
            if len(word) >= SHORTEST and any(text[place].isupper() for place in places)
        }
        if not text.isascii() or APOSTROPHE.search(text):
            words |= {folded(word) for word in WORD.findall(text) if not word.isalpha()}
            words |= {folded(word[:-2]) for word in WORD.findall(text) if word[-2:-1] in ("'", "’")}
        return self._slips.near([word for word in words if not is_known_word(word)])

    def _misspelt_as(
        self,
        keys: Sequence[str],
        text: str,
        words: Sequence[Word],
        slips: Mapping[str, Sequence[str]],
    ) -> Numbers:
        """The lists of entries from which one of the words differs by a slip."""
        for place, word in enumerate(words):
            if not text[word.start].isupper():
                continue
            for meant in slips.get(keys[place], ()):
                phrase = " ".join([*keys[:place], meant, *keys[place + 1 :]])
                numbers = self._folded.get(phrase, ())
                if of := tuple(number for number in numbers if number in self._misspelt):
                    return of
        return ()


def _add(numbers: dict[str, Numbers], number: int, phrases: Sequence[str]) -> None:
    """Note the number of a list for its entries."""
    both: dict[str, Numbers] = dict.fromkeys(phrases, (number,))
    both.pop("", None)
    if numbers:
        for phrase in numbers.keys() & both.keys():
            both[phrase] = (*numbers[phrase], number)
    numbers.update(both)
