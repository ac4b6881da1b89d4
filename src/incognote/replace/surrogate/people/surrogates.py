"""The names of one patient's notes: every mention of a person under the person's one fake name."""

from __future__ import annotations

from collections.abc import Collection, Container, Sequence
from dataclasses import dataclass, field

from incognote.replace.surrogate.banks.names import name_bank
from incognote.replace.surrogate.people.assign import assign
from incognote.replace.surrogate.people.keyed import Keyed
from incognote.replace.surrogate.people.link import persons_of
from incognote.replace.surrogate.people.mention import Mention
from incognote.replace.surrogate.people.parse import Parsed, parse_all
from incognote.replace.surrogate.people.parts import hints_of, part_of
from incognote.replace.surrogate.people.pieces import key_of, pieces_of
from incognote.replace.surrogate.people.writing import write


@dataclass(frozen=True)
class PeopleSettings:
    """Which bank the fakes are from."""

    locale: str = "en_US"


@dataclass(frozen=True)
class Renaming:
    """What stands in each mention's place, and each person's words with the fakes of them.

    Words and fakes are in small plain letters, given names apart from surnames; a given name of
    which only the initial stands is that letter.
    """

    texts: tuple[str, ...] = field(repr=False)
    people: tuple[tuple[tuple[tuple[str, str], ...], tuple[tuple[str, str], ...]], ...] = field(
        repr=False
    )


@dataclass(frozen=True)
class PeopleSurrogates:
    """One patient's people. The same key, patient and name give the same fake, in any order.

    `taken` are the names found in all of the patient's notes: as plain text, then no fake shares a
    word with them; or as mentions, then they also tell who is meant and what is a surname. `avoid`
    is anything that says whether it holds a word in small letters, such as an index of the names of
    a whole corpus: no fake is one of them.

    Exact within one call, and between calls whose mentions and `taken` mentions together are the
    same: each person has one fake, no two words have one fake, no fake is or holds a real word,
    initials and slips follow the names they stand for. Exact between any calls: two words that the
    bank knows never get the same fake where both get it by the permutation. Very probable between
    calls with different lists: the same fake for the same word. It differs only if its first fake
    is a real or a claimed word of one of the calls, if the word is in no list and the calls tell
    another role or gender, or if the name behind initials or a slip is not in both.
    """

    key: bytes = field(repr=False)
    patient: str = field(repr=False)
    settings: PeopleSettings = field(default_factory=PeopleSettings)
    taken: Collection[str | Mention] = field(default=(), repr=False)
    avoid: Container[str] = field(default=(), repr=False)

    def replace_all(self, mentions: Sequence[Mention]) -> list[str]:
        """What stands in each mention's place."""
        return list(self.rename(mentions).texts)

    def rename(self, mentions: Sequence[Mention]) -> Renaming:
        """What stands in each mention's place, and who is who."""
        bank = name_bank(self.settings.locale)
        keyed = Keyed.of(self.key, self.patient)
        own = set(mentions)
        others = (name for name in self.taken if isinstance(name, Mention))
        every = [*mentions, *dict.fromkeys(name for name in others if name not in own)]
        parsed = parse_all(every, bank)
        persons = persons_of(every, parsed, bank)
        fakes = assign(hints_of(persons, bank), keyed, bank, self._real(parsed), self.avoid)
        written = [""] * len(every)
        people = []
        for person in persons:
            names = {word: fakes[part_of(person, word, bank)] for word in person.words}
            for place in person.mentions:
                written[place] = write(parsed[place], person, names, keyed)
            plain = {word: key_of(fake) for word, fake in names.items()}
            given = tuple((word, plain[word]) for word in person.given)
            told = {word[0] for word in person.given}
            given += tuple(
                (letter, keyed.letter(letter, person.type))
                for letter in person.initials
                if letter not in told
            )
            surnames = tuple((word, plain[word]) for word in person.surnames)
            people.append((given, surnames))
        return Renaming(tuple(written[: len(mentions)]), tuple(people))

    def _real(self, parsed: Sequence[Parsed]) -> frozenset[str]:
        words = {word for read in parsed for word in (*read.words, read.letters) if len(word) > 1}
        for name in (name for name in self.taken if isinstance(name, str)):
            words |= {piece.key for piece in pieces_of(name) if piece.kind == "name"}
        return frozenset(words)
