"""The bank of people's names of a locale, read only when a name is to be replaced.

A file has a line per class: home, gender, frequency band, origin, whether its names are drawn, a
tab, and the names in order. Then come the origins that endings tell, and the nicknames. The file
of another locale has the same lines with its own classes; nothing here knows en_US. Lines are
split when they are first needed, so that opening a bank costs little more than reading it.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Literal, NamedTuple, cast

from incognote.knowledge.people import Gender

Home = Literal["given", "surname", "both", "stem"]
_HEAD = "incognote names 1 "
_SUFFIX = ".names.txt"
_HERE = Path(__file__).parent
_NOWHERE = 1 << 20
"""More than the names of a class."""
_LAST_VOWELS = re.compile(r"(.{2,8}?[^aeiouy'])([aeiouy]+[^aeiouy']*)")
_LONGEST_ENDING, _SEVERAL, _MANY = 5, 400, 10_000
_BANDS = 4
_ENOUGH, _MOSTLY = 6, 5
"""An ending tells a gender by so many names, of which the others are at most a fifth."""

LOCALES = tuple(sorted(path.name.removesuffix(_SUFFIX) for path in _HERE.glob(f"*{_SUFFIX}")))


class NameClass(NamedTuple):
    """Names that may stand in for each other. Band 0 has the most frequent names, 3 the rarest."""

    home: Home
    gender: Gender
    band: int
    origin: str


class Ring(NamedTuple):
    """Names that change places, and the place of a word among them, or as a guest from without.

    A guest is known but never drawn, such as John or Smith, which are words of the clinic too. It
    gets a name that is set aside for guests, and no other word gets that.
    """

    of: NameClass
    names: tuple[str, ...]
    place: int
    guest: bool = False


class _Seats(NamedTuple):
    """The names of a class that change places, and those that are set aside, every `step`-th."""

    names: tuple[str, ...]
    aside: tuple[str, ...]
    step: int

    def ring_place(self, place: int) -> int | None:
        """Of a name of the class by its place in the bank; none for one that is set aside."""
        before = min(len(self.aside), place // self.step + 1)
        is_aside = place % self.step == 0 and place // self.step < len(self.aside)
        return None if is_aside else place - before


class Splices(NamedTuple):
    """Beginnings of names, and by their last letters the endings that follow these in the bank."""

    heads: tuple[str, ...]
    tails: Mapping[str, tuple[str, ...]]

    @property
    def size(self) -> int:
        """How many words they make."""
        return sum(len(self.tails[head[-1]]) for head in self.heads)


class Entry(NamedTuple):
    """What the bank knows of a word: its class, and its place among the names that change places.

    Ordinary words that are also names are known but never drawn; they have no place.
    """

    of: NameClass
    place: int | None


class _Line(NamedTuple):
    of: NameClass
    drawn: bool
    names: str


@dataclass(frozen=True)
class NameBank:
    """Names by class. A word is looked up by its letters alone, in small ones."""

    lines: tuple[_Line, ...] = field(repr=False)
    endings: Mapping[str, Mapping[str, str]] = field(repr=False)
    nicknames: Mapping[str, frozenset[str]] = field(repr=False)
    _drawn: dict[NameClass, str] = field(init=False, repr=False, default_factory=dict)
    _names: dict[NameClass, tuple[str, ...]] = field(init=False, repr=False, default_factory=dict)
    _spliced: dict[NameClass, Splices] = field(init=False, repr=False, default_factory=dict)
    _seats: dict[NameClass, _Seats] = field(init=False, repr=False, default_factory=dict)
    _guests: dict[NameClass, dict[str, tuple[NameClass, int]]] = field(
        init=False, repr=False, default_factory=dict
    )
    _stems: dict[NameClass, dict[str, int]] = field(init=False, repr=False, default_factory=dict)
    _letters: dict[str, dict[str, int]] = field(init=False, repr=False, default_factory=dict)
    """Entries as numbers, line and place: tens of thousands of objects would burden every search
    for garbage."""

    def __post_init__(self) -> None:
        self._drawn.update((line.of, line.names) for line in self.lines if line.drawn)

    def find(self, word: str) -> Entry | None:
        """The entry of a word, if the bank has it."""
        letter = word[:1]
        if letter not in self._letters:
            self._letters[letter] = self._begun_with(letter)
        code = self._letters[letter].get(word)
        if code is None:
            return None
        line, place = divmod(code, _NOWHERE)
        return Entry(self.lines[line].of, place - 1 if place else None)

    def names(self, of: NameClass) -> tuple[str, ...]:
        """The names of a class, which change places among themselves."""
        if of not in self._names:
            self._names[of] = tuple(self._drawn[of].split())
        return self._names[of]

    def ring(self, word: str, entry: Entry) -> Ring | None:
        """The names that a known word changes places with.

        Guests go to names of their own frequency; the names set aside for them are guests of the
        next rarer ones. The rarest of all that are set aside have no ring.
        """
        wide = entry.of._replace(band=0)
        if wide not in self._guests:
            self._seat(wide)
        if word in self._guests[wide]:
            of, place = self._guests[wide][word]
            return Ring(of, self._seats[of].aside, place, guest=True)
        if entry.place is None:
            return None
        seats = self._seats[entry.of]
        ring_place = seats.ring_place(entry.place)
        return None if ring_place is None else Ring(entry.of, seats.names, ring_place)

    def _seat(self, wide: NameClass) -> None:
        """Set names aside in the classes that differ by frequency only, the most frequent first."""
        guests: dict[str, tuple[NameClass, int]] = {}
        waiting: list[str] = []
        for band in range(_BANDS):
            of = wide._replace(band=band)
            known = (line.names for line in self.lines if line.of == of and not line.drawn)
            waiting += (_key(word) for names in known for word in names.split())
            if of not in self._drawn:
                continue
            names = self.names(of)
            size = min(len(waiting), len(names) // 2)
            step = len(names) // size if size else len(names) + 1
            places = range(0, size * step, step) if size else range(0)
            aside = tuple(names[place] for place in places)
            ring = tuple(name for place, name in enumerate(names) if place not in places)
            self._seats[of] = _Seats(ring, aside, step)
            guests.update((word, (of, place)) for place, word in enumerate(waiting[:size]))
            waiting = [*waiting[size:], *map(_key, aside)]
        self._guests[wide] = guests

    def splices(self, of: NameClass) -> Splices:
        """What names like those of a class, of any frequency, are made of; surnames if it is both."""
        wide = of._replace(band=0)
        if wide not in self._spliced:
            alike = {wide, NameClass("surname", "-", 0, of.origin)} if of.home == "both" else {wide}
            kin = [each for each in self._drawn if each._replace(band=0) in alike]
            self._spliced[wide] = _splices([name for each in kin for name in self.names(each)])
        return self._spliced[wide]

    def spliced(self, of: NameClass, number: int) -> str:
        """A word that looks like a name of the class, by a number: `Rotenbach`, `Petrossi`.

        It has the beginning of one name and the ending of another. It may happen to be a name.
        """
        heads, tails = self.splices(of)
        number, place = divmod(number, len(heads))
        endings = tails[heads[place][-1]]
        return heads[place] + endings[number % len(endings)]

    def particle(self, words: str) -> NameClass | None:
        """The class of what follows a particle, if it has its own: `van der` does."""
        of = NameClass("stem", "-", 2, words.replace(" ", "_"))
        return of if of in self._drawn else None

    def place_of_stem(self, word: str, of: NameClass) -> int | None:
        """The place of what follows a particle among the names of its class."""
        if of not in self._stems:
            self._stems[of] = {_key(name): place for place, name in enumerate(self.names(of))}
        return self._stems[of].get(word)

    def drawn(self, of: NameClass) -> NameClass:
        """The class itself or, if it has no names to draw, the nearest that has."""
        return of if of in self._drawn else self.like("", of.home, of.gender)

    def like(self, word: str, home: Home, gender: Gender) -> NameClass:
        """The class for a word in no list: rare, and of the origin that its ending tells."""
        ending_origin = self.endings.get(home, {}).get(word[-3:], "w")
        for origin in (ending_origin, "w"):
            for band in (3, 2, 1, 0):
                of = NameClass(home, gender, band, origin)
                if of in self._drawn:
                    return of
        return next(iter(self._drawn))

    def likely_gender(self, word: str) -> Gender:
        """The gender of a given name in no list, where names with its ending tell: Mstislav, Ngaire."""
        for length in (4, 3, 2):
            women, men = self._genders.get(word[-length:], (0, 0))
            if women + men >= _ENOUGH:
                return "F" if women >= _MOSTLY * men else "M" if men >= _MOSTLY * women else "U"
        return "U"

    @cached_property
    def _genders(self) -> dict[str, tuple[int, int]]:
        """How many women's and men's names have an ending of two to four letters."""
        genders: dict[str, tuple[int, int]] = {}
        for of, _, names in self.lines:
            if of.home == "given" and of.gender in ("F", "M"):
                woman = of.gender == "F"
                for name in names.lower().split():
                    for length in (4, 3, 2):
                        women, men = genders.get(name[-length:], (0, 0))
                        genders[name[-length:]] = (women + woman, men + (not woman))
        return genders

    def are_one(self, name: str, other: str) -> bool:
        """Whether one is a nickname of the other."""
        nothing: frozenset[str] = frozenset()
        nicknames = self.nicknames
        return other in nicknames.get(name, nothing) or name in nicknames.get(other, nothing)

    def _begun_with(self, letter: str) -> dict[str, int]:
        places: dict[str, int] = {}
        mark = f" {letter.upper()}"
        for number, (of, drawn, names) in enumerate(self.lines):
            start = names.find(mark)
            if start < 0 or of.home == "stem":
                continue
            end = names.find(" ", names.rfind(mark) + 1)
            index = names.count(" ", 0, start)
            for word in names[start:end].replace("'", "").lower().split():
                places[word] = number * _NOWHERE + (index + 1 if drawn else 0)
                index += 1
        return places


def _key(name: str) -> str:
    return name.replace("'", "").lower()


def _splices(names: Sequence[str]) -> Splices:
    """Where there are very many names, an ending follows only a letter that it often follows."""
    many = len(names) > _MANY
    often = 3 if many else 2 if len(names) > _SEVERAL else 1
    heads: dict[str, None] = {}
    count: dict[str, Counter[str]] = defaultdict(Counter)
    for name in names:
        match = _LAST_VOWELS.fullmatch(name)
        if match and len(match[2]) <= _LONGEST_ENDING:
            heads[match[1]] = None
            count[match[1][-1] if many else ""][match[2]] += 1
    tails = {
        letter: tuple(sorted(tail for tail, times in endings.items() if times >= often))
        for letter, endings in count.items()
    }
    if not many:
        tails = {head[-1]: tails[""] for head in heads}
    return Splices(tuple(head for head in heads if tails[head[-1]]), tails)


@lru_cache(maxsize=2)
def name_bank(locale: str) -> NameBank:
    """The bank of a locale."""
    if locale not in LOCALES:
        raise ValueError(f"there is no bank of names for '{locale}': choose {', '.join(LOCALES)}")
    return _read((_HERE / f"{locale}{_SUFFIX}").read_text(encoding="utf-8"))


def _read(text: str) -> NameBank:
    head, *lines = text.splitlines()
    if not head.startswith(_HEAD):
        raise ValueError("the bank of names is of another version: make it anew with recipes/banks")
    classes: list[_Line] = []
    endings: dict[str, dict[str, str]] = {}
    nicknames: dict[str, frozenset[str]] = {}
    for line in lines:
        kind, _, names = line.partition("\t")
        what, *rest = kind.split()
        if what == "nicknames":
            pairs = (pair.split(":") for pair in names.split())
            nicknames = {name: frozenset(others.split(",")) for name, others in pairs}
        elif what == "endings":
            ending_pairs = (pair.partition(":") for pair in names.split())
            endings[rest[0]] = {ending: origin for ending, _, origin in ending_pairs}
        else:
            gender, band, origin, use = rest
            of = NameClass(cast(Home, what), cast(Gender, gender), int(band), origin)
            classes.append(_Line(of, use == "drawn", f" {names} "))
    return NameBank(tuple(classes), endings, nicknames)
