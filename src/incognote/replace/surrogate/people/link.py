"""Linking mentions to persons: full names first, then parts of names, then initials."""

from __future__ import annotations

from bisect import bisect_right, insort
from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import combinations

from incognote.replace.surrogate.banks.names import NameBank, name_bank
from incognote.replace.surrogate.people.known import Known
from incognote.replace.surrogate.people.mention import Mention, Person
from incognote.replace.surrogate.people.parse import Parsed, parse_all
from incognote.replace.surrogate.people.spelling import misspelt

_NEAREST = 32
"""Of how many persons before a mention, and as many after it, one may be meant."""
_WORDS = 6
_EVERYBODY = 1 << 62


def link(mentions: Sequence[Mention], locale: str = "en_US") -> tuple[Person, ...]:
    """The persons that mentions are of, in the order of their first mentions.

    Persons of one type are kept apart from those of another, whatever their names. The order of
    the list changes nothing; where in the note a mention stands may.

    >>> [person.mentions for person in link([Mention("Okafor, Ngozi"), Mention("N.O.")])]
    [(0, 1)]
    """
    bank = name_bank(locale)
    parsed = parse_all(mentions, bank)
    return tuple(person.frozen() for person in persons_of(mentions, parsed, bank))


def persons_of(
    mentions: Sequence[Mention], parsed: Sequence[Parsed], bank: NameBank
) -> list[Known]:
    """The persons behind mentions that have been read."""
    by_type: dict[str, list[int]] = defaultdict(list)
    for place, mention in enumerate(mentions):
        by_type[mention.type].append(place)
    persons = [
        person
        for type, places in by_type.items()
        for person in _Linker(type, mentions, parsed, bank).link(places)
    ]
    return sorted(persons, key=lambda person: _first(person, mentions))


def _first(person: Known, mentions: Sequence[Mention]) -> tuple[int, str, str]:
    first = min(person.mentions, key=lambda place: (mentions[place].start, mentions[place].text))
    return mentions[first].start, mentions[first].text, person.type


class _Linker:
    """The persons of one type while their mentions are gathered."""

    def __init__(
        self, type: str, mentions: Sequence[Mention], parsed: Sequence[Parsed], bank: NameBank
    ) -> None:
        self.type = type
        self.mentions = mentions
        self.parsed = parsed
        self.bank = bank
        self.persons: list[Known] = []
        self.by_words: dict[tuple[str, ...], _Along] = defaultdict(_Along)
        self.by_initials: dict[str, _Along] = defaultdict(_Along)

    def link(self, places: Iterable[int]) -> list[Known]:
        """Fuller mentions are linked before those that say less."""
        order = sorted(places, key=self._rank)
        self.meant = self._misspelt(order)
        for place in order:
            read = self.parsed[place]
            start = self.mentions[place].start
            near = self._near(read, start)
            candidates = [person for person in near if person.fits(read, self.meant)]
            if candidates:
                person = min(candidates, key=lambda one: self._closeness(one, place))
            else:
                person = Known(self.type, self.bank, number=len(self.persons))
                self.persons.append(person)
            person.add(read, place, start, self.meant)
            self._index(person, start)
        return self.persons

    def _misspelt(self, order: Iterable[int]) -> dict[str, str]:
        """Slips; not a relative's given name, such as that of a twin, which may be one letter off."""
        reads = [self.parsed[place] for place in order]
        certain = {word for read in reads if read.kin for word in read.keys("unknown", "given")}
        surnames = {word for read in reads for word in read.keys("surname")}
        words = (word for read in reads for word in read.words)
        return misspelt(words, surnames, certain, self.bank)

    def _rank(self, place: int) -> tuple[int, int, int, int, str, str]:
        read = self.parsed[place]
        given = len(read.keys("given")) + bool(read.keys("given", kind="initial")) / 2
        full = bool(given) + bool(read.keys("surname"))
        letters = sum(map(len, read.words))
        mention = self.mentions[place]
        told = read.gender != "U"
        return (-int(2 * full), -letters, -told, mention.start, mention.text, mention.before)

    def _index(self, person: Known, start: int) -> None:
        """Make a person found by every word, two words, initial and pair of initials."""
        words = person.words[:_WORDS]
        for word in person.words:
            self.by_words[word,].add(person, start)
        for first, second in combinations(words, 2):
            self.by_words[first, second].add(person, start)
            self.by_words[second, first].add(person, start)
        letters = {word[:1] for word in words} or {person.initials[:1]}
        ends = {given[:1] + surname[:1] for given in person.given for surname in person.surnames}
        for initials in letters | ends:
            self.by_initials[initials].add(person, start)

    def _near(self, read: Parsed, start: int) -> list[Known]:
        """Persons who share words with the mention or, if it has initials only, some of them.

        Where very many share one, those who share most, and those named nearest.
        """
        words = [self.meant.get(word, word) for word in read.words]
        alike: list[_Along | None] = []
        if words:
            alike += (self.by_words.get(pair) for pair in combinations(words[:_WORDS], 2))
            alike += (self.by_words.get((word,)) for word in words)
        else:
            letters = read.letters
            alike += (self.by_initials.get(each) for each in (letters[:1] + letters[-1:], *letters))
        found = (person for along in alike if along for person in along.near(start))
        return list({person.number: person for person in found}.values())

    def _closeness(self, person: Known, place: int) -> tuple[int, int, int]:
        """Of the told gender first; then who was named last before; then who comes next."""
        start = self.mentions[place].start
        read = self.parsed[place]
        other = read.gender != "U" and person.gender != read.gender
        before = bisect_right(person.starts, start)
        if before:
            return (other, start - person.starts[before - 1], person.number)
        return (other, 10**9 + person.starts[0] - start, person.number)


class _Along:
    """Persons by the places where they were named."""

    def __init__(self) -> None:
        self._persons: dict[int, Known] = {}
        self._places: list[tuple[int, int]] = []

    def add(self, person: Known, start: int) -> None:
        """Note that a person was named at a place."""
        self._persons[person.number] = person
        insort(self._places, (start, person.number))

    def near(self, start: int) -> Iterable[Known]:
        """All, if they are few; else those named last before a place, and next after it."""
        if len(self._persons) <= 2 * _NEAREST:
            return self._persons.values()
        at = bisect_right(self._places, (start, _EVERYBODY))
        places = self._places[max(0, at - _NEAREST) : at + _NEAREST]
        return {number: self._persons[number] for _, number in places}.values()
