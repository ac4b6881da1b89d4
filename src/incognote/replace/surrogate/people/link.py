"""Linking mentions to persons: full names first, then parts of names, then initials."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from incognote.replace.surrogate.banks.names import NameBank, name_bank
from incognote.replace.surrogate.people.known import Known
from incognote.replace.surrogate.people.mention import Mention, Person
from incognote.replace.surrogate.people.parse import Parsed, parse_all
from incognote.replace.surrogate.people.spelling import misspelt


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
        self.by_word: dict[str, list[Known]] = defaultdict(list)
        self.by_initial: dict[str, list[Known]] = defaultdict(list)

    def link(self, places: Iterable[int]) -> list[Known]:
        """Fuller mentions are linked before those that say less."""
        order = sorted(places, key=self._rank)
        self.meant = self._misspelt(order)
        for place in order:
            read = self.parsed[place]
            candidates = [person for person in self._near(read) if person.fits(read, self.meant)]
            if candidates:
                person = min(candidates, key=lambda one: self._closeness(one, place))
            else:
                person = Known(self.type, self.bank, number=len(self.persons))
                self.persons.append(person)
            for word in person.add(read, place, self.mentions[place].start, self.meant):
                self.by_word[word].append(person)
                self.by_initial[word[:1]].append(person)
            if not person.words:
                self.by_initial[person.initials[:1]].append(person)
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

    def _near(self, read: Parsed) -> list[Known]:
        """Persons who share a word with the mention or, if it has initials only, one of them."""
        found: dict[int, Known] = {}
        for word in read.words:
            for person in self.by_word[self.meant.get(word, word)]:
                found[person.number] = person
        if not read.words:
            for letter in read.letters:
                for person in self.by_initial[letter]:
                    found[person.number] = person
        return list(found.values())

    def _closeness(self, person: Known, place: int) -> tuple[int, int, int]:
        """Of the told gender first; then who was named last before; then who comes next."""
        start = self.mentions[place].start
        read = self.parsed[place]
        other = read.gender != "U" and person.gender != read.gender
        before = [at for at in person.starts if at <= start]
        distance = start - max(before) if before else 10**9 + min(person.starts) - start
        return (other, distance, person.number)
