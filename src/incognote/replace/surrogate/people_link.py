"""Linking mentions to persons: full names first, then parts of names, then initials."""

from __future__ import annotations

from bisect import bisect_right, insort
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import combinations

from rapidfuzz.distance import OSA

from incognote.knowledge.letters import NAME_APOSTROPHES
from incognote.knowledge.people import Gender
from incognote.replace.surrogate.banks.name_bank import NameBank, name_bank
from incognote.replace.surrogate.people_parse import Parsed, Person, PersonMention, Role, parse_all

_NEAREST = 32
"""Of how many persons before a mention, and as many after it, one may be meant."""
_WORDS = 6
_EVERYBODY = 1 << 62


def link(mentions: Sequence[PersonMention], locale: str = "en_US") -> tuple[Person, ...]:
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
    mentions: Sequence[PersonMention], parsed: Sequence[Parsed], bank: NameBank
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


def _first(person: Known, mentions: Sequence[PersonMention]) -> tuple[int, str, str]:
    first = min(person.mentions, key=lambda place: (mentions[place].start, mentions[place].text))
    return mentions[first].start, mentions[first].text, person.type


class _Linker:
    """The persons of one type while their mentions are gathered."""

    def __init__(
        self, type: str, mentions: Sequence[PersonMention], parsed: Sequence[Parsed], bank: NameBank
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
        self.corrections = self._misspelt(order)
        for place in order:
            parsed = self.parsed[place]
            start = self.mentions[place].start
            near = self._near(parsed, start)
            candidates = [person for person in near if person.fits(parsed, self.corrections)]
            if candidates:
                person = min(candidates, key=lambda one: self._closeness(one, place))
            else:
                person = Known(self.type, self.bank, number=len(self.persons))
                self.persons.append(person)
            person.add(parsed, place, start, self.corrections)
            self._index(person, start)
        return self.persons

    def _misspelt(self, order: Iterable[int]) -> dict[str, str]:
        """Slips; not a relative's given name, such as that of a twin, which may be one letter off."""
        reads = [self.parsed[place] for place in order]
        certain = {
            word for parsed in reads if parsed.kin for word in parsed.keys("unknown", "given")
        }
        surnames = {word for parsed in reads for word in parsed.keys("surname")}
        words = (word for parsed in reads for word in parsed.words)
        return misspelt(words, surnames, certain, self.bank)

    def _rank(self, place: int) -> tuple[int, int, int, int, str, str]:
        parsed = self.parsed[place]
        given_names = len(parsed.keys("given")) + bool(parsed.keys("given", kind="initial")) / 2
        full = bool(given_names) + bool(parsed.keys("surname"))
        letters = sum(map(len, parsed.words))
        mention = self.mentions[place]
        gendered = parsed.gender != "U"
        return (-int(2 * full), -letters, -gendered, mention.start, mention.text, mention.before)

    def _index(self, person: Known, start: int) -> None:
        """Make a person found by every word, two words, initial and pair of initials."""
        words = person.words[:_WORDS]
        for word in person.words:
            self.by_words[word,].add(person, start)
        for first, second in combinations(words, 2):
            self.by_words[first, second].add(person, start)
            self.by_words[second, first].add(person, start)
        letters = {word[:1] for word in words} or {person.initials[:1]}
        ends = {
            given_names[:1] + surname[:1]
            for given_names in person.given_names
            for surname in person.surnames
        }
        for initials in letters | ends:
            self.by_initials[initials].add(person, start)

    def _near(self, parsed: Parsed, start: int) -> list[Known]:
        """Persons who share words with the mention or, if it has initials only, some of them.

        Where very many share one, those who share most, and those named nearest.
        """
        words = [self.corrections.get(word, word) for word in parsed.words]
        alike: list[_Along | None] = []
        if words:
            alike += (self.by_words.get(pair) for pair in combinations(words[:_WORDS], 2))
            alike += (self.by_words.get((word,)) for word in words)
        else:
            letters = parsed.letters
            alike += (self.by_initials.get(each) for each in (letters[:1] + letters[-1:], *letters))
        people = (person for along in alike if along for person in along.near(start))
        return list({person.number: person for person in people}.values())

    def _closeness(self, person: Known, place: int) -> tuple[int, int, int]:
        """Of the told gender first; then who was named last before; then who comes next."""
        start = self.mentions[place].start
        parsed = self.parsed[place]
        other = parsed.gender != "U" and person.gender != parsed.gender
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


# What is known of a person while mentions are being linked.


class Known:
    """A person's given names, surnames, initials and gender, as far as mentions have told them."""

    def __init__(self, type: str, bank: NameBank, number: int) -> None:
        self.type = type
        self.bank = bank
        self.number = number
        self.given_names: dict[str, None] = {}
        self.surnames: dict[str, None] = {}
        self.particles: dict[str, str] = {}
        self.initials = ""
        self.irish: set[str] = set()
        self.genders: Counter[Gender] = Counter()
        self.spelt: dict[str, str] = {}
        self.mentions: list[int] = []
        self.starts: list[int] = []

    @property
    def words(self) -> tuple[str, ...]:
        """Given names and surnames; a word that is both stands once."""
        return tuple({**self.given_names, **self.surnames})

    @property
    def gender(self) -> Gender:
        """What titles and kin words tell; else what the given names do."""
        if self.genders["F"] != self.genders["M"]:
            return "F" if self.genders["F"] > self.genders["M"] else "M"
        for word in self.given_names:
            entry = self.bank.find(word)
            if entry and entry.of.gender in ("F", "M"):
                return entry.of.gender
        return "U"

    def fits(self, parsed: Parsed, corrections: Mapping[str, str]) -> bool:
        """Whether a mention may be of this person."""
        given_names = [corrections.get(word, word) for word in parsed.keys("given")]
        surnames = [corrections.get(word, word) for word in parsed.keys("surname")]
        alone = [corrections.get(word, word) for word in parsed.keys("unknown")]
        if not (given_names or surnames or alone):
            return self._has_initials(parsed.letters)
        if "U" not in (self.gender, parsed.gender) and self.gender != parsed.gender:
            return False
        if alone or (not parsed.letters and len(given_names) + len(surnames) > 1):
            every = [*given_names, *surnames, *alone]
            if alone or all(word in self.given_names or word in self.surnames for word in every):
                return all(word in self.given_names or word in self.surnames for word in every)
        if given_names and self.given_names:
            same_given = any(self._is_given(word) for word in given_names)
            exact = any(word in self.given_names for word in given_names)
        else:
            same_given = exact = not given_names or self._may_be_called(given_names[0])
        letters = parsed.keys("given", kind="initial")
        if letters and not given_names:
            starts = {word[0] for word in self.given_names} | set(self.initials)
            same_given = exact = letters[0] in starts if starts else True
        if not surnames or not self.surnames:
            return same_given
        return same_given and any(self._is_surname(word, exact) for word in surnames)

    def add(self, parsed: Parsed, place: int, start: int, corrections: Mapping[str, str]) -> None:
        """Take a mention's parts over."""
        for at, role in parsed.roles.items():
            piece = parsed.pieces[at]
            if piece.kind != "name":
                continue
            word = self._spelling(corrections.get(piece.key, piece.key))
            if word != piece.key:
                self.spelt[piece.key] = word
            if role == "unknown" or word in self.given_names:
                role = self._role_alone(word, parsed)
            (self.given_names if role == "given" else self.surnames).setdefault(word)
            if at in parsed.particles:
                self.particles.setdefault(word, parsed.particles[at])
            if len(piece.text) > 3 and piece.text[0] in "Oo" and piece.text[1] in NAME_APOSTROPHES:
                self.irish.add(word)
        self._add_initials(parsed)
        if parsed.gender != "U":
            self.genders[parsed.gender] += 1
        self.mentions.append(place)
        insort(self.starts, start)

    def _add_initials(self, parsed: Parsed) -> None:
        """Letters beside a word are of middle names; by themselves they tell only who has no name."""
        if parsed.words:
            new = parsed.keys("given", kind="initial")
            self.initials += "".join(sorted(set(new) - set(self.initials)))
        elif not self.words:
            self.initials = parsed.letters

    def frozen(self) -> Person:
        """The person as a value."""
        return Person(
            self.type, tuple(self.given_names), tuple(self.surnames), self.initials, self.gender,
            tuple(sorted(self.mentions)), dict(self.spelt),
        )  # fmt: skip

    def _role_alone(self, word: str, parsed: Parsed) -> Role:
        """A single word's role: as the person's names are known, or the kin word or bank tells."""
        if word in self.given_names or word in self.surnames:
            return "given" if word in self.given_names else "surname"
        entry = self.bank.find(word)
        return "given" if parsed.kin or (entry and entry.of.home == "given") else "surname"

    def _is_given(self, word: str) -> bool:
        return any(
            word == mine
            or self.bank.are_one(word, mine)
            or (nearly(word, mine) and not self._both_known(word, mine))
            for mine in self.given_names
        )

    def _both_known(self, word: str, other: str) -> bool:
        return self.bank.find(word) is not None and self.bank.find(other) is not None

    def _is_surname(self, word: str, given_agrees: bool) -> bool:
        """The same surname, or one that differs by a slip beside the same given name."""
        return word in self.surnames or (
            given_agrees
            and bool(self.given_names)
            and any(nearly(word, mine) for mine in self.surnames)
        )

    def _spelling(self, word: str) -> str:
        if word in self.given_names or word in self.surnames:
            return word
        if self.given_names and self.surnames:
            return next((mine for mine in self.surnames if nearly(word, mine)), word)
        return word

    def _may_be_called(self, given_names: str) -> bool:
        """A person known by surname or initials only may have any given name that fits those."""
        return not self.given_names and (not self.initials or given_names[0] in self.initials)

    def _has_initials(self, letters: str) -> bool:
        if not letters:
            return False
        own = "".join(word[0] for word in self.given_names)
        last = {word[0] for word in self.surnames}
        if not (own or last):
            return self.initials == letters
        if len(letters) == 1:
            return letters == own[:1]
        if not own or letters[0] != own[0] or letters[-1] not in last:
            return False
        middle = own[1:] + self.initials
        own_letters = middle + "".join(last)
        return all(letter in own_letters for letter in letters[1:-1]) or middle in ("", own[0])


# Which of a patient's words is a misspelling of another.

_SHORTEST = 5
_LONE = 6
"""Shorter surnames that stand equally often are left apart."""
_LONGEST = 24
_ALIKE = 24
"""Of words that have a shortened form in common, so many of the likeliest are compared."""
_LONG = 9
"""Words this long may have two slips."""


def nearly(word: str, other: str) -> bool:
    """Whether two words differ by a slip: a letter more, less, other, or two exchanged."""
    short, long = sorted((len(word), len(other)))
    if short < _SHORTEST or word[0] != other[0] or long - short > 2:
        return False
    slips = 2 if short >= _LONG else 1
    return OSA.distance(word, other, score_cutoff=slips) <= slips


def misspelt(
    words: Iterable[str], surnames: Collection[str], certain: Collection[str], bank: NameBank
) -> dict[str, str]:
    """From each misspelt word to the word that is meant; words that are certain are no slips.

    Only a word that the bank does not know is taken for a slip, and only of a word that is in the
    bank or stands at least as often: Marin beside Martin is another name, Okafro beside Okafor is not.
    """
    counts = Counter(words)
    known = {word for word in counts if bank.find(word)}
    strange = [word for word in counts if _read(word) and word not in certain and word not in known]
    if not strange:
        return {}
    likeliest = sorted(
        filter(_read, counts), key=lambda word: (word not in known, -counts[word], word)
    )
    near: dict[str, list[str]] = defaultdict(list)
    for word in likeliest:
        for rest in _shortened(word):
            if len(near[rest]) < _ALIKE:
                near[rest].append(word)
    rank = {word: place for place, word in enumerate(likeliest)}
    corrections: dict[str, str] = {}
    for word in strange:
        others = {other for rest in _shortened(word) for other in near[rest]}
        for other in sorted(others, key=rank.__getitem__):
            if (
                other != word
                and (other in known or _rather(other, word, counts, surnames))
                and nearly(word, other)
            ):
                corrections[word] = other
                break
    return {word: _root(word, corrections) for word in corrections}


def _read(word: str) -> bool:
    return _SHORTEST <= len(word) <= _LONGEST


def _shortened(word: str) -> set[str]:
    """The word without a letter or, if two slips are allowed, without two; its first letter stays.

    Words that differ by a slip have one of these in common, so that none need be compared with all.
    """
    once = {word, *(word[:at] + word[at + 1 :] for at in range(1, len(word)))}
    if len(word) < _LONG:
        return once
    return once | {rest[:at] + rest[at + 1 :] for rest in once for at in range(1, len(rest))}


def _rather(word: str, than: str, counts: Counter[str], surnames: Collection[str]) -> bool:
    """Whether of two words in no list the first is the right one: by how often each stands."""
    if counts[word] == counts[than]:
        return word in surnames and len(than) >= _LONE and word < than
    return counts[word] > counts[than]


def _root(word: str, corrections: dict[str, str]) -> str:
    """Each step goes to a known, a more frequent or an earlier word, so that the walk ends."""
    while word in corrections:
        word = corrections[word]
    return word
