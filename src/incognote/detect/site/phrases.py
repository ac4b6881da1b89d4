"""Entries of one word or several, found as whole words: as written, in any case, or misspelt.

A note is looked at where one of its words begins an entry; nothing is done for an entry that no
word of the note begins, so that half a million of them cost little more than a few.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

from incognote.detect.note_index import NoteIndex
from incognote.detect.site.list_words import (
    NoteWords,
    folded_entries,
    note_words,
    written,
    written_entries,
)
from incognote.detect.site.slips import SHORTEST, SlipIndex, is_known_word

Numbers = tuple[int, ...]
"""Those of the lists that an entry is in."""
Lists = Sequence[tuple[int, Sequence[str]]]


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
        self._longest = max(map(int.bit_length, self._sizes.values()), default=1) - 1

    def _add_sizes(self, phrases: Iterable[str]) -> None:
        sizes = self._sizes
        for phrase in phrases:
            first, blank, more = phrase.partition(" ")
            size = 4 << more.count(" ") if blank else 2
            sizes[first] = sizes.get(first, 0) | size
        sizes.pop("", None)

    def find(self, note: NoteIndex) -> Iterator[tuple[int, int, int]]:
        """Where entries stand, and of which list each is; none within a longer one of its list."""
        reached: dict[int, int] = {}
        for words, count in note_words(note.text, self._longest):
            slips = self._slips_of(words)
            for place in self._beginnings(words, count, slips):
                start = words.matches[place].start()
                for end, numbers in self._ends(words, place, slips):
                    for number in numbers:
                        if end > reached.get(number, 0):
                            reached[number] = end
                            yield start, end, number

    def _beginnings(
        self, words: NoteWords, count: int, slips: Mapping[str, Sequence[str]]
    ) -> Iterable[int]:
        """The first `count` words that may begin an entry."""
        sizes = self._sizes
        places = [place for place, key in enumerate(words.keys) if key in sizes or key in slips]
        bare = [place for place, key in words.bare.items() if key in sizes or key in slips]
        if bare:
            places = sorted({*places, *bare})
        return places if count == len(words.keys) else [each for each in places if each < count]

    def _ends(
        self, words: NoteWords, place: int, slips: Mapping[str, Sequence[str]]
    ) -> Iterator[tuple[int, Numbers]]:
        """Where the entries end that begin with a word, the longest first."""
        sizes = self._sizes.get(words.keys[place], 0)
        firsts = slips.get(words.keys[place], ())
        if place in words.bare:
            sizes |= self._sizes.get(words.bare[place], 0)
            firsts = (*firsts, *slips.get(words.bare[place], ()))
        for first in firsts:
            sizes |= self._sizes.get(first, 0)
        for size in _each_bit(sizes):
            after = place + size
            if after > len(words.keys):
                continue
            last = words.matches[after - 1].end()
            for end, numbers in self._numbers(words, place, after, slips):
                if words.are_joined(place, after - 1):
                    yield last - end, numbers

    def _numbers(
        self, words: NoteWords, begin: int, after: int, slips: Mapping[str, Sequence[str]]
    ) -> Iterator[tuple[int, Numbers]]:
        """The lists that have some words as an entry, and how much of the last word is not of it."""
        possessive = 2 if after - 1 in words.bare else 0
        if self._written:
            phrase = " ".join(map(written, words.words[begin:after]))
            if phrase in self._written:
                yield 0, self._written[phrase]
            if possessive and phrase[:-2] in self._written:
                yield possessive, self._written[phrase[:-2]]
        keys = words.keys[begin:after]
        yield from ((0, numbers) for numbers in self._folded_as(keys, begin, words, slips))
        if words.bare and any(place in words.bare for place in range(begin, after)):
            bare = [words.bare.get(place, words.keys[place]) for place in range(begin, after)]
            for numbers in self._folded_as(bare, begin, words, slips):
                yield possessive, numbers

    def _folded_as(
        self, keys: Sequence[str], begin: int, words: NoteWords, slips: Mapping[str, Sequence[str]]
    ) -> Iterator[Numbers]:
        """The lists of an entry, and those of entries from which one word differs by a slip."""
        phrase = " ".join(keys)
        if phrase in self._folded:
            yield self._folded[phrase]
        for place, key in enumerate(keys):
            if key not in slips or not words.words[begin + place][0].isupper():
                continue
            for meant in slips[key]:
                numbers = self._folded.get(" ".join([*keys[:place], meant, *keys[place + 1 :]]), ())
                if of := tuple(number for number in numbers if number in self._misspelt):
                    yield of

    def _slips_of(self, words: NoteWords) -> Mapping[str, Sequence[str]]:
        """The words that may be meant as others, and those others."""
        if self._slips is None:
            return {}
        keys = {
            words.bare.get(place, words.keys[place])
            for place, word in enumerate(words.words)
            if len(word) >= SHORTEST and word[0].isupper()
        }
        return self._slips.near([key for key in keys if not is_known_word(key)])


@lru_cache(maxsize=1_000)
def _each_bit(bits: int) -> tuple[int, ...]:
    """The bits that are set, the highest first."""
    return tuple(bit for bit in range(bits.bit_length() - 1, -1, -1) if bits >> bit & 1)


def _add(numbers: dict[str, Numbers], number: int, phrases: Sequence[str]) -> None:
    """Note the number of a list for its entries."""
    both: dict[str, Numbers] = dict.fromkeys(phrases, (number,))
    both.pop("", None)
    if numbers:
        for phrase in numbers.keys() & both.keys():
            both[phrase] = (*numbers[phrase], number)
    numbers.update(both)
