"""The names of one patient's notes: every mention of a person under the person's one fake name.

>>> people = PeopleSurrogates(b"a secret of the site", "patient 17")
>>> people.replace_all([Mention("OKAFOR, NGOZI A."), Mention("Okafor's", before="Ms. ")])
['THOMPKINS, LAQUINTA E.', "Thompkins's"]
"""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Collection, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import NamedTuple

from incognote.knowledge.letters import NAME_APOSTROPHES
from incognote.knowledge.people import Gender
from incognote.replace.surrogate.banks.name_bank import (
    Entry,
    Home,
    NameBank,
    NameClass,
    Ring,
    name_bank,
)
from incognote.replace.surrogate.kernel import Keyed, overlap
from incognote.replace.surrogate.people_link import Known, persons_of
from incognote.replace.surrogate.people_parse import Parsed, PersonMention, name_key, parse_all
from incognote.replace.surrogate.proper_words import coined


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
    of them. Where the others are `certain`, such as those of a table, they alone tell the role and the
    gender of their words, so that all notes of the row agree.

    What other mentions of a call may change: whose initials and slips a mention is; and of a word
    in no list, or one used against the gender that the bank knows, the role and the gender, where
    mentions of that very word tell them.
    """

    key: bytes = field(repr=False)
    patient: str = field(repr=False)
    settings: PeopleSettings = field(default_factory=PeopleSettings)
    other_mentions: Collection[PersonMention] = field(default=(), repr=False)
    avoid: Container[str] = field(default=(), repr=False)
    certain: bool = False

    def replace_all(self, mentions: Sequence[PersonMention]) -> list[str]:
        """What stands in each mention's place."""
        return list(self.rename(mentions).texts)

    def rename(self, mentions: Sequence[PersonMention]) -> Renaming:
        """What stands in each mention's place, and who is who."""
        bank = name_bank(self.settings.locale)
        keyed = Keyed.of(self.key, "people", self.patient)
        own = set(mentions)
        every = [*mentions, *dict.fromkeys(name for name in self.other_mentions if name not in own)]
        parsed = parse_all(every, bank)
        persons = persons_of(every, parsed, bank)
        hints = hints_of(persons, bank)
        if self.certain:
            others = list(dict.fromkeys(self.other_mentions))
            sure = hints_of(persons_of(others, parse_all(others, bank), bank), bank)
            hints |= {part: sure[part] for part in hints if part in sure}
        fakes = {part: fake_of(part, hint, keyed, bank, self.avoid) for part, hint in hints.items()}
        texts = [""] * len(every)
        people = []
        for person in persons:
            names = {word: fakes[part_of(person, word, bank)] for word in person.words}
            for place in person.mentions:
                texts[place] = write(parsed[place], person, names, keyed)
            plain = {word: name_key(fake) for word, fake in names.items()}
            given_names = tuple((word, plain[word]) for word in person.given_names)
            initials = {word[0] for word in person.given_names}
            given_names += tuple(
                (letter, keyed.letter(letter, person.type))
                for letter in person.initials
                if letter not in initials
            )
            surnames = tuple((word, plain[word]) for word in person.surnames)
            people.append((given_names, surnames))
        return Renaming(tuple(texts[: len(mentions)]), tuple(people))


# The parts of persons' names that need a fake, and what is known about each.


def part_of(person: Known, word: str, bank: NameBank) -> Part:
    """A word of a person's name as a part; a particle counts where it calls for names of its own."""
    particle = person.particles.get(word, "")
    return Part(person.type, word, particle if stems_after(particle, bank) else "")


def hints_of(persons: Iterable[Known], bank: NameBank) -> dict[Part, Hint]:
    """What all persons who bear a part tell of it together."""
    hints_by_part: dict[Part, list[Hint]] = defaultdict(list)
    for person in persons:
        for word in person.words:
            home = "given" if word in person.given_names else "surname"
            hint = Hint(home, person.gender, word in person.irish)  # type: ignore[arg-type]
            hints_by_part[part_of(person, word, bank)].append(hint)
    return {part: _together(hints) for part, hints in hints_by_part.items()}


def _together(hints: list[Hint]) -> Hint:
    count = sum(hint.home == "given" for hint in hints)
    genders: set[Gender] = {hint.gender for hint in hints if hint.home == "given"}
    gender: Gender = genders.pop() if len(genders) == 1 else "U"
    return Hint(
        "given" if 2 * count > len(hints) else "surname", gender, any(h.irish for h in hints)
    )


# Which fake each part of a name gets: a function of the key, the patient and the part alone.
#
# The names of a class stand on a ring in a keyed order, and each becomes the next: one to one, none
# itself. Names that are never drawn become those set aside for them, one to one as well. A part in
# no list, and one whose neighbour on the ring would hold it or be held by it (Ann and Annette),
# becomes a word made of the beginning of one name of the class and the ending of another, which is
# in no list either. Names that are to be avoided are left out of all.
#
# No other part has a say, so that a fake is the same in every note and tells nothing of the others.

_SPLICED = 64
_SHORTEST, _LONGEST = 4, 12
_LIKE_WORDS = ("ing", "ly")
"""Rules that look for names would take Blanding or Nicely for a word."""
_STEMS = {"dal": "di", "della": "di", "da": "di", "do": "di", "el": "al", "von": "van",
          "van den": "van der", "von der": "van der", "las": "de la", "los": "del", "de los": "del",
          "de las": "de la", "la": "de la"}  # fmt: skip


class Part(NamedTuple):
    """A word of the names of one type of person, and the particle that calls for names of its own.

    Patients are apart from doctors: whoever knows which doctor a fake is of must not learn from it
    the names of patients.
    """

    type: str
    key: str
    particle: str = ""


class Hint(NamedTuple):
    """What mentions tell of a part, for words in no list and for gender against the bank's."""

    home: Home
    gender: Gender
    irish: bool = False


class _Aim(NamedTuple):
    of: NameClass
    ring: Ring | None = None


def fake_of(
    part: Part, hint: Hint, keyed: Keyed, bank: NameBank, avoid: Container[str] = ()
) -> str:
    """The fake of a part, which is no word of `avoid`."""
    of, ring = _aim(part, hint, bank)
    listed = _on_ring(ring, part.type, keyed, avoid) if ring else None
    if listed and not (overlap(part.key, name_key(listed)) or listed.endswith(_LIKE_WORDS)):
        return listed
    for turn in count():
        number = keyed.number("stranger", part.type, part.particle, part.key, turn)
        if turn < _SPLICED:
            name = bank.spliced(of, number)
        else:
            name = coined(number, syllables=2 + (turn - _SPLICED) // 8)
        key = name_key(name)
        fits = _SHORTEST <= len(key) <= _LONGEST and not key.endswith(_LIKE_WORDS)
        if (fits or turn >= _SPLICED) and not (
            overlap(part.key, key) or key in avoid or bank.find(key)
        ):
            other = {"F": "M", "M": "F"}.get(of.gender)
            if turn >= _SPLICED or not other or bank.likely_gender(key) != other:
                break
    return name


def _on_ring(ring: Ring, type: str, keyed: Keyed, avoid: Container[str]) -> str | None:
    names = ring.names
    if ring.guest:
        name = names[keyed.permute(ring.place, len(names), "guest", type, *ring.of)]
        return None if name_key(name) in avoid else name
    is_taken = (lambda at: name_key(names[at]) in avoid) if avoid != () else None
    neighbour = keyed.next_on_ring(
        ring.place, len(names), "name", type, *ring.of, is_taken=is_taken
    )
    return None if neighbour is None else names[neighbour]


def stems_after(particle: str, bank: NameBank) -> NameClass | None:
    """The class of surnames after a particle, or after one like it."""
    return bank.particle(_STEMS.get(particle, particle)) if particle else None


def _aim(part: Part, hint: Hint, bank: NameBank) -> _Aim:
    stems = stems_after(part.particle, bank)
    if stems:
        place = bank.place_of_stem(part.key, stems)
        return _Aim(stems, None if place is None else Ring(stems, bank.names(stems), place))
    entry = bank.find(part.key)
    if entry and not _contradicted(entry, hint):
        return _Aim(bank.drawn(entry.of), bank.ring(part.key, entry))
    if hint.irish:
        return _Aim(bank.drawn(NameClass("surname", "-", 1, "o")))
    if hint.home == "given":
        gender = bank.likely_gender(part.key) if hint.gender == "U" else hint.gender
        return _Aim(bank.like(part.key, "given", gender))
    if part.key.startswith("mc"):
        return _Aim(bank.drawn(NameClass("surname", "-", 3, "mc")))
    return _Aim(bank.like(part.key, "surname", "-"))


def _contradicted(entry: Entry, hint: Hint) -> bool:
    """Whether a given name is known as a surname only, or as one of the other gender."""
    if hint.home != "given" or entry.of.origin in ("o", "mc"):
        return False
    return entry.of.home == "surname" or {entry.of.gender, hint.gender} == {"F", "M"}


# Writing a fake as the real name is written: order, case, initials, all that stands between.


def write(parsed: Parsed, person: Known, fakes: Mapping[str, str], keyed: Keyed) -> str:
    """A mention with the person's fake in each word's and each initial's place."""
    words = [person.spelt.get(word, word) for word in parsed.words]
    given_names = [word for word in person.given_names if word not in words]
    surnames = [word for word in person.surnames if word not in words]
    letters: list[str] = []
    parts: list[str] = []
    for place, piece in enumerate(parsed.pieces):
        if piece.kind == "name":
            word = person.spelt.get(piece.key, piece.key)
            parts.append(written_as(fakes[word], piece.text))
        elif piece.kind == "initial":
            orders = (
                (surnames, given_names)
                if parsed.roles.get(place) == "surname"
                else (given_names, surnames)
            )
            letters.append(_initial(piece.key, orders, fakes, person.type, keyed))
            parts.append(letter_as(letters[-1], piece.text))
        elif piece.kind == "digits":
            parts.append(_digits(piece.text, keyed))
        else:
            parts.append(piece.text)
    if not words and letters and "".join(letters) == parsed.letters:
        return _other_initials(parsed, person.type, keyed)
    return "".join(parts)


def _initial(
    letter: str,
    orders: Iterable[list[str]],
    fakes: Mapping[str, str],
    type: str,
    keyed: Keyed,
) -> str:
    """The initial of the fake of the word that it stands for, which is then used up."""
    for words in orders:
        for word in words:
            if word[0] == letter:
                words.remove(word)
                return fakes[word][0].lower()
    return keyed.letter(letter, type)


def _other_initials(parsed: Parsed, type: str, keyed: Keyed) -> str:
    """Where the fake's initials happen to be the real ones."""
    return "".join(
        letter_as(keyed.letter(piece.key, type), piece.text)
        if piece.kind == "initial"
        else piece.text
        for piece in parsed.pieces
    )


def _digits(digits: str, keyed: Keyed) -> str:
    """Other digits, as many, and never the same ones."""
    new = keyed.digits(len(digits), "digits", digits)
    same = len(new) == len(digits) and all(map(_is_digit, new, digits))
    return new[:-1] + str((int(new[-1]) + 1) % 10) if same else new


def _is_digit(digit: str, character: str) -> bool:
    return unicodedata.digit(character, -1) == int(digit)


def written_as(fake: str, pattern: str) -> str:
    """A name from the bank in the case and with the apostrophe of another.

    >>> written_as("O'Connor", "O’BRIEN"), written_as("McCarthy", "Mcdonald")
    ('O’CONNOR', 'Mccarthy')
    """
    mark = next((letter for letter in pattern if letter in NAME_APOSTROPHES), "")
    name = fake.replace("'", mark)
    letters = [letter for letter in pattern if letter.isalpha()]
    if len(letters) > 1 and all(map(str.isupper, letters)):
        return name.upper()
    if letters and all(map(str.islower, letters)):
        return name.lower()
    if any(map(str.isupper, letters[1:])):
        return _inner_capitals(name, pattern)
    return name[:1].upper() + name[1:].lower()


def _inner_capitals(name: str, pattern: str) -> str:
    """McCarthy as McDonald is written, and McCARTHY as McDONALD is."""
    prefix = next((start for start in ("Mc", "Mac", "O") if name.startswith(start)), "")
    rest = "".join(letter for letter in pattern if letter.isalpha())[2:]
    if prefix and len(rest) > 2 and rest.isupper() and pattern[1:2].islower():
        return prefix + name[len(prefix) :].upper()
    return name


def letter_as(letter: str, pattern: str) -> str:
    """An initial in the case of another."""
    return letter.lower() if pattern.islower() else letter.upper()
