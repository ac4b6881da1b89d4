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
Slips = Mapping[str, Sequence[str]]
"""Words that may be meant as others, and those others."""
Match = tuple[int, int, int, Numbers]
"""The first word, the one after the last, how much of the last is not of the entry, its lists."""
Lists = Sequence[tuple[int, Sequence[str]]]


class Phrases:
    """The entries of some lists, each as its words with a blank between them."""

    def __init__(self, exact: Lists = (), any_case: Lists = (), misspelt: Lists = ()) -> None:
        self._written: dict[str, Numbers] = {}
        self._folded: dict[str, Numbers] = {}
        self._sizes: dict[str, int] = {}
        """How many words the entries have that a folded word begins: one bit for each number."""
        self.without_entries: list[int] = []
        """The numbers of the lists that have no entry with a word."""
        for number, entries in exact:
            self._add(self._written, number, written_entries(entries))
            self._add_sizes(folded_entries(entries))
        for number, entries in (*any_case, *misspelt):
            phrases = folded_entries(entries)
            self._add(self._folded, number, phrases)
            self._add_sizes(phrases)
        self._misspelt = frozenset(number for number, _ in misspelt)
        self._slips: SlipIndex | None = None
        if misspelt:
            words: set[str] = set()
            for phrase, numbers in self._folded.items():
                if not self._misspelt.isdisjoint(numbers):
                    words.update(phrase.split(" "))
            self._slips = SlipIndex(words)
        self._longest = max(map(int.bit_length, self._sizes.values()), default=1) - 1

    def _add(self, numbers: dict[str, Numbers], number: int, phrases: Sequence[str]) -> None:
        """Note the number of a list for its entries."""
        both: dict[str, Numbers] = dict.fromkeys(phrases, (number,))
        both.pop("", None)
        if not both:
            self.without_entries.append(number)
        if numbers:
            for phrase in numbers.keys() & both.keys():
                both[phrase] = (*numbers[phrase], number)
        numbers.update(both)

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
            for begin, after, cut, numbers in self._matches(words, count):
                if after - begin > 1 and not words.are_joined(begin, after - 1):
                    continue
                end = words.end(after - 1) - cut
                for number in numbers:
                    if end > reached.get(number, 0):
                        reached[number] = end
                        yield words.starts[begin], end, number

    def _matches(self, words: NoteWords, count: int) -> Iterator[Match]:
        """Where words are those of entries that begin with one of the first `count` words.

        Of those that begin together the longest comes first.
        """
        slips = self._slips_of(words)
        sizes, by_phrase, keys = self._sizes, self._folded, words.keys
        plain = not (slips or words.bare or self._written)
        for begin in self._beginnings(words, count, slips):
            if not plain:
                yield from self._any_matches(words, begin, slips)
                continue
            for size in _each_bit(sizes[keys[begin]]):
                numbers = by_phrase.get(" ".join(keys[begin : begin + size]))
                if numbers and begin + size <= len(keys):
                    yield begin, begin + size, 0, numbers

    def _beginnings(self, words: NoteWords, count: int, slips: Slips) -> Sequence[int]:
        """The first `count` words that may begin an entry."""
        sizes = self._sizes
        begins = [number for number, key in enumerate(words.keys) if key in sizes or key in slips]
        bare = [number for number, key in words.bare.items() if key in sizes or key in slips]
        if bare:
            begins = sorted({*begins, *bare})
        return begins if count == len(words.keys) else [each for each in begins if each < count]

    def _any_matches(self, words: NoteWords, begin: int, slips: Slips) -> Iterator[Match]:
        """The same of one word, with entries that are found as written, or misspelt, or with "'s"."""
        keys = words.keys
        firsts = {keys[begin], words.bare.get(begin, keys[begin])}
        for first in tuple(firsts):
            firsts.update(slips.get(first, ()))
        bits = 0
        for first in firsts:
            bits |= self._sizes.get(first, 0)
        for size in _each_bit(bits):
            after = begin + size
            if after > len(keys):
                continue
            possessive = 2 if after - 1 in words.bare else 0
            if self._written:
                phrase = " ".join(map(written, words.words[begin:after]))
                if phrase in self._written:
                    yield begin, after, 0, self._written[phrase]
                if possessive and phrase[:-2] in self._written:
                    yield begin, after, 2, self._written[phrase[:-2]]
            whole = keys[begin:after]
            for numbers in self._folded_as(whole, begin, words, slips):
                yield begin, after, 0, numbers
            if words.bare:
                bare = [words.bare.get(number, keys[number]) for number in range(begin, after)]
                for numbers in self._folded_as(bare, begin, words, slips) if bare != whole else ():
                    yield begin, after, possessive, numbers

    def _folded_as(
        self, keys: Sequence[str], begin: int, words: NoteWords, slips: Slips
    ) -> Iterator[Numbers]:
        """The lists of an entry, and those of entries from which one word differs by a slip."""
        numbers = self._folded.get(" ".join(keys))
        if numbers:
            yield numbers
        for place, key in enumerate(keys) if slips else ():
            if key not in slips or not words.words[begin + place][0].isupper():
                continue
            for meant in slips[key]:
                numbers = self._folded.get(" ".join([*keys[:place], meant, *keys[place + 1 :]]))
                if numbers and not self._misspelt.isdisjoint(numbers):
                    yield tuple(number for number in numbers if number in self._misspelt)

    def _slips_of(self, words: NoteWords) -> Slips:
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
