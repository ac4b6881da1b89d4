"""What is known of a person while mentions are being linked."""

from __future__ import annotations

from bisect import insort
from collections import Counter
from collections.abc import Mapping

from incognote.replace.surrogate.banks.names import Gender, NameBank
from incognote.replace.surrogate.people.mention import Person
from incognote.replace.surrogate.people.parse import Parsed
from incognote.replace.surrogate.people.roles import Role
from incognote.replace.surrogate.people.spelling import nearly
from incognote.replace.surrogate.people.vocabulary import APOSTROPHES


class Known:
    """A person's given names, surnames, initials and gender, as far as mentions have told them."""

    def __init__(self, type: str, bank: NameBank, number: int) -> None:
        self.type = type
        self.bank = bank
        self.number = number
        self.given: dict[str, None] = {}
        self.surnames: dict[str, None] = {}
        self.particles: dict[str, str] = {}
        self.initials = ""
        self.irish: set[str] = set()
        self.told: Counter[Gender] = Counter()
        self.spelt: dict[str, str] = {}
        self.mentions: list[int] = []
        self.starts: list[int] = []

    @property
    def words(self) -> tuple[str, ...]:
        """Given names and surnames; a word that is both stands once."""
        return tuple({**self.given, **self.surnames})

    @property
    def gender(self) -> Gender:
        """What titles and kin words tell; else what the given names do."""
        if self.told["F"] != self.told["M"]:
            return "F" if self.told["F"] > self.told["M"] else "M"
        for word in self.given:
            found = self.bank.find(word)
            if found and found.of.gender in ("F", "M"):
                return found.of.gender
        return "U"

    def fits(self, read: Parsed, meant: Mapping[str, str]) -> bool:
        """Whether a mention may be of this person."""
        given = [meant.get(word, word) for word in read.keys("given")]
        surnames = [meant.get(word, word) for word in read.keys("surname")]
        alone = [meant.get(word, word) for word in read.keys("unknown")]
        if not (given or surnames or alone):
            return self._has_initials(read.letters)
        if "U" not in (self.gender, read.gender) and self.gender != read.gender:
            return False
        if alone or (not read.letters and len(given) + len(surnames) > 1):
            every = [*given, *surnames, *alone]
            if alone or all(word in self.given or word in self.surnames for word in every):
                return all(word in self.given or word in self.surnames for word in every)
        if given and self.given:
            same_given = any(self._is_given(word) for word in given)
            exact = any(word in self.given for word in given)
        else:
            same_given = exact = not given or self._may_be_called(given[0])
        letters = read.keys("given", kind="initial")
        if letters and not given:
            starts = {word[0] for word in self.given} | set(self.initials)
            same_given = exact = letters[0] in starts if starts else True
        if not surnames or not self.surnames:
            return same_given
        return same_given and any(self._is_surname(word, exact) for word in surnames)

    def add(self, read: Parsed, place: int, start: int, meant: Mapping[str, str]) -> None:
        """Take a mention's parts over."""
        for at, role in read.roles.items():
            piece = read.pieces[at]
            if piece.kind != "name":
                continue
            word = self._spelling(meant.get(piece.key, piece.key))
            if word != piece.key:
                self.spelt[piece.key] = word
            if role == "unknown" or word in self.given:
                role = self._role_alone(word, read)
            (self.given if role == "given" else self.surnames).setdefault(word)
            if at in read.particles:
                self.particles.setdefault(word, read.particles[at])
            if len(piece.text) > 3 and piece.text[0] in "Oo" and piece.text[1] in APOSTROPHES:
                self.irish.add(word)
        self._add_initials(read)
        if read.gender != "U":
            self.told[read.gender] += 1
        self.mentions.append(place)
        insort(self.starts, start)

    def _add_initials(self, read: Parsed) -> None:
        """Letters beside a word are of middle names; by themselves they tell only who has no name."""
        if read.words:
            new = read.keys("given", kind="initial")
            self.initials += "".join(sorted(set(new) - set(self.initials)))
        elif not self.words:
            self.initials = read.letters

    def frozen(self) -> Person:
        """The person as a value."""
        return Person(
            self.type, tuple(self.given), tuple(self.surnames), self.initials, self.gender,
            tuple(sorted(self.mentions)), dict(self.spelt),
        )  # fmt: skip

    def _role_alone(self, word: str, read: Parsed) -> Role:
        """A single word's role: as the person's names are known, or the kin word or bank tells."""
        if word in self.given or word in self.surnames:
            return "given" if word in self.given else "surname"
        found = self.bank.find(word)
        return "given" if read.kin or (found and found.of.home == "given") else "surname"

    def _is_given(self, word: str) -> bool:
        return any(
            word == mine
            or self.bank.are_one(word, mine)
            or (nearly(word, mine) and not self._both_known(word, mine))
            for mine in self.given
        )

    def _both_known(self, word: str, other: str) -> bool:
        return self.bank.find(word) is not None and self.bank.find(other) is not None

    def _is_surname(self, word: str, given_agrees: bool) -> bool:
        """The same surname, or one that differs by a slip beside the same given name."""
        return word in self.surnames or (
            given_agrees and bool(self.given) and any(nearly(word, mine) for mine in self.surnames)
        )

    def _spelling(self, word: str) -> str:
        if word in self.given or word in self.surnames:
            return word
        if self.given and self.surnames:
            return next((mine for mine in self.surnames if nearly(word, mine)), word)
        return word

    def _may_be_called(self, given: str) -> bool:
        """A person known by surname or initials only may have any given name that fits those."""
        return not self.given and (not self.initials or given[0] in self.initials)

    def _has_initials(self, letters: str) -> bool:
        if not letters:
            return False
        own = "".join(word[0] for word in self.given)
        last = {word[0] for word in self.surnames}
        if not (own or last):
            return self.initials == letters
        if len(letters) == 1:
            return letters == own[:1]
        if not own or letters[0] != own[0] or letters[-1] not in last:
            return False
        middle = own[1:] + self.initials
        told = middle + "".join(last)
        return all(letter in told for letter in letters[1:-1]) or middle in ("", own[0])
