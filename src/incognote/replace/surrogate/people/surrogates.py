"""The names of one patient's notes: every mention of a person under the person's one fake name."""

from __future__ import annotations

from collections.abc import Collection, Container, Sequence
from dataclasses import dataclass, field

from incognote.replace.surrogate.banks.names import name_bank
from incognote.replace.surrogate.keyed import Keyed
from incognote.replace.surrogate.people.assign import fake_of
from incognote.replace.surrogate.people.link import persons_of
from incognote.replace.surrogate.people.mention import Mention
from incognote.replace.surrogate.people.parse import parse_all
from incognote.replace.surrogate.people.parts import hints_of, part_of
from incognote.replace.surrogate.people.pieces import key_of
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
    """One patient's people. The same key, patient and word give the same fake in any call.

    Different words of the bank have different fakes, patients' apart from doctors'; those of words
    in no list are drawn from more than a million for most surnames. `other_mentions` are further mentions of the patient's
    people: they tell who is meant and what is a surname. `avoid` is anything that says whether it
    holds a word in small letters, such as an index of the names of a whole corpus: no fake is one
    of them.

    What other mentions of a call may change: whose initials and slips a mention is; and of a word
    in no list, or one used against the gender that the bank knows, the role and the gender, where
    mentions of that very word tell them.
    """

    key: bytes = field(repr=False)
    patient: str = field(repr=False)
    settings: PeopleSettings = field(default_factory=PeopleSettings)
    other_mentions: Collection[Mention] = field(default=(), repr=False)
    avoid: Container[str] = field(default=(), repr=False)

    def replace_all(self, mentions: Sequence[Mention]) -> list[str]:
        """What stands in each mention's place."""
        return list(self.rename(mentions).texts)

    def rename(self, mentions: Sequence[Mention]) -> Renaming:
        """What stands in each mention's place, and who is who."""
        bank = name_bank(self.settings.locale)
        keyed = Keyed.of(self.key, "people", self.patient)
        own = set(mentions)
        every = [*mentions, *dict.fromkeys(name for name in self.other_mentions if name not in own)]
        parsed = parse_all(every, bank)
        persons = persons_of(every, parsed, bank)
        hints = hints_of(persons, bank)
        fakes = {part: fake_of(part, hint, keyed, bank, self.avoid) for part, hint in hints.items()}
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
