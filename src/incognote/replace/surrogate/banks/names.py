"""The bank of people's names of a locale, read only when a name is to be replaced.

A file has a line per class: home, gender, frequency band, origin, whether its names are drawn, a
tab, and the names in order. Then come the origins that endings tell, and the nicknames. The file
of another locale has the same lines with its own classes; nothing here knows en_US. Lines are
split when they are first needed, so that opening a bank costs little more than reading it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Literal, NamedTuple, cast

Home = Literal["given", "surname", "both", "stem"]
Gender = Literal["F", "M", "U", "-"]
_HEAD = "incognote names 1 "
_SUFFIX = ".names.txt"
_HERE = Path(__file__).parent
_RESERVED = 8
"""One name in so many is kept for words that the bank does not know."""

_NOWHERE = 1 << 20
"""More than the names of a class."""
_ENOUGH, _MOSTLY = 6, 5
"""An ending tells a gender by so many names, of which the others are at most a fifth."""

LOCALES = tuple(sorted(path.name.removesuffix(_SUFFIX) for path in _HERE.glob(f"*{_SUFFIX}")))


class NameClass(NamedTuple):
    """Names that may stand in for each other. Band 0 has the most frequent names, 3 the rarest."""

    home: Home
    gender: Gender
    band: int
    origin: str


class Pool(NamedTuple):
    """The names of a class: those that change places, and those kept for strangers."""

    names: tuple[str, ...]
    reserved: tuple[str, ...]


class Entry(NamedTuple):
    """What the bank knows of a word: its class, and its place among the names that change places.

    Ordinary words that are also names are known but never drawn; they and reserved names have no
    place.
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
    _pools: dict[NameClass, Pool] = field(init=False, repr=False, default_factory=dict)
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

    def pool(self, of: NameClass) -> Pool:
        """The names to draw from."""
        if of not in self._pools:
            names = self._drawn[of].split()
            reserved = tuple(names[::_RESERVED])
            del names[::_RESERVED]
            self._pools[of] = Pool(tuple(names), reserved)
        return self._pools[of]

    def particle(self, words: str) -> NameClass | None:
        """The class of what follows a particle, if it has its own: `van der` does."""
        of = NameClass("stem", "-", 2, words.replace(" ", "_"))
        return of if of in self._drawn else None

    def drawn(self, of: NameClass) -> NameClass:
        """The class itself or, if it has no names to draw, the nearest that has."""
        return of if of in self._drawn else self.like("", of.home, of.gender)

    def like(self, word: str, home: Home, gender: Gender) -> NameClass:
        """The class for a word in no list: rare, and of the origin that its ending tells."""
        told = self.endings.get(home, {}).get(word[-3:], "w")
        for origin in (told, "w"):
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
        found: dict[str, tuple[int, int]] = {}
        for of, _, names in self.lines:
            if of.home == "given" and of.gender in ("F", "M"):
                woman = of.gender == "F"
                for name in names.lower().split():
                    for length in (4, 3, 2):
                        women, men = found.get(name[-length:], (0, 0))
                        found[name[-length:]] = (women + woman, men + (not woman))
        return found

    def are_one(self, name: str, other: str) -> bool:
        """Whether one is a nickname of the other."""
        nothing: frozenset[str] = frozenset()
        nicknames = self.nicknames
        return other in nicknames.get(name, nothing) or name in nicknames.get(other, nothing)

    def _begun_with(self, letter: str) -> dict[str, int]:
        found: dict[str, int] = {}
        mark = f" {letter.upper()}"
        for number, (of, drawn, names) in enumerate(self.lines):
            start = names.find(mark)
            if start < 0 or of.home == "stem":
                continue
            end = names.find(" ", names.rfind(mark) + 1)
            index = names.count(" ", 0, start)
            for word in names[start:end].replace("'", "").lower().split():
                reserved = not index % _RESERVED
                place = index - index // _RESERVED - 1
                found[word] = number * _NOWHERE + (0 if reserved or not drawn else place + 1)
                index += 1
        return found


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
            told = (pair.partition(":") for pair in names.split())
            endings[rest[0]] = {ending: origin for ending, _, origin in told}
        else:
            gender, band, origin, use = rest
            of = NameClass(cast(Home, what), cast(Gender, gender), int(band), origin)
            classes.append(_Line(of, use == "drawn", f" {names} "))
    return NameBank(tuple(classes), endings, nicknames)
