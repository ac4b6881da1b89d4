"""The names of months, weekdays, seasons and decades, in the spellings of notes (calendar.tsv).

Rules read the names and surrogates exchange them. A spelling is a tuple of names, so that a date
that moves from one month to another keeps it: `Sept` becomes `Dec`, `septembre` becomes `décembre`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal, NamedTuple

from incognote.knowledge.letters import in_case_of
from incognote.knowledge.tables import rows

Kind = Literal["month", "weekday", "season", "decade"]
Spelling = tuple[str, ...]
_ABBREVIATED = frozenset({"short", "short-sept", "spanish-short", "longer"})


class CalendarWord(NamedTuple):
    """A row of the table; `place` counts from 0, so that May is 4 and Sunday 6."""

    name: str
    kind: str
    place: int
    spellings: tuple[str, ...]
    flags: frozenset[str]


def _words() -> Iterable[CalendarWord]:
    for name, kind, place, spellings, *flags in rows("calendar"):
        first = 0 if kind == "decade" else 1
        yield CalendarWord(
            name, kind, int(place) - first, tuple(spellings.split()), frozenset(flags)
        )


WORDS = tuple(_words())


# What rules read.


def read_by_rules(kind: Kind, *, abbreviated: bool) -> tuple[str, ...]:
    """The names that rules read as a month or a weekday, in full or abbreviated."""
    return tuple(
        word.name
        for word in WORDS
        if word.kind == kind
        and "unread" not in word.flags
        and (word.spellings[0] in _ABBREVIATED) == abbreviated
    )


FULL_MONTHS = read_by_rules("month", abbreviated=False)
SHORT_MONTHS_READ = read_by_rules("month", abbreviated=True)
SURE_MONTHS = frozenset(word.name.lower() for word in WORDS if "sure" in word.flags)
FULL_WEEKDAYS = read_by_rules("weekday", abbreviated=False)
SHORT_WEEKDAYS_READ = read_by_rules("weekday", abbreviated=True)
SEASONS_READ = frozenset(read_by_rules("season", abbreviated=False))
DECADES_READ = frozenset(read_by_rules("decade", abbreviated=False))


# What surrogates exchange.


class Name(NamedTuple):
    """What a name stands for, counted from 0, and how it was spelt."""

    place: int
    spelling: Spelling


def _spelling(kind: Kind, spelling: str) -> Spelling:
    names = {
        word.place: word.name
        for word in WORDS
        if word.kind == kind and spelling in word.spellings and "variant" not in word.flags
    }
    return tuple(names[place] for place in range(len(names)))


def _many(names: dict[str, Name]) -> dict[str, Name]:
    """Weekdays in the plural; a second s, as in Tuess, is a slip of the pen."""
    return {
        f"{name}s": meaning
        if name.endswith("s")
        else Name(meaning.place, tuple(f"{day}s" for day in meaning.spelling))
        for name, meaning in names.items()
        if f"{name}s" not in names
    }


def _names(kind: Kind) -> dict[str, Name]:
    """By the name in small letters."""
    words = [word for word in WORDS if word.kind == kind]
    first_spellings = dict.fromkeys(word.spellings[0] for word in words)
    spellings = {spelling: _spelling(kind, spelling) for spelling in first_spellings}
    return {word.name.lower(): Name(word.place, spellings[word.spellings[0]]) for word in words}


MONTHS = _spelling("month", "english")
SHORT_MONTHS = _spelling("month", "short")
WEEKDAYS = _spelling("weekday", "english")
SHORT_WEEKDAYS = _spelling("weekday", "short")
DECADES = _spelling("decade", "decades")
ROMAN_MONTHS = tuple("I II III IV V VI VII VIII IX X XI XII".split())

MONTH_NAMES = _names("month")
WEEKDAY_NAMES = _names("weekday")
WEEKDAY_NAMES |= _many(WEEKDAY_NAMES)
SEASON_NAMES = _names("season")
DECADE_NAMES = _names("decade")
ROMAN_NAMES = {name.lower(): Name(place, ROMAN_MONTHS) for place, name in enumerate(ROMAN_MONTHS)}


def rename(pattern: str, names: dict[str, Name], place: int, *, short: bool = False) -> str:
    """The name of another month, weekday or season, spelt and cased as `pattern` is.

    `May` is both a full and a short name: `short` says which. The full stop of an abbreviation
    stays, except that May has none.

    >>> rename("SEPT.", MONTH_NAMES, 11)
    'DEC.'
    """
    bare = pattern.rstrip(".")
    name = names[bare.lower()]
    if name.place == place:
        return pattern
    spelling = SHORT_MONTHS if short and bare.lower() == "may" else name.spelling
    new = spelling[place]
    english = spelling[0] in ("January", "Jan")
    stop = "" if new == "May" and english else pattern[len(bare) :]
    return in_case_of(new, bare) + stop


# Weekdays by their letters: MWF, TTS, M/W/F, TuThSa.

_DAYS = {"m": 0, "mo": 0, "t": 1, "tu": 1, "w": 2, "we": 2, "th": 3, "r": 3, "f": 4, "fr": 4}
_DAYS |= {"sa": 5, "s": 5, "su": 6, "sn": 6, "sat": 5, "sun": 6, "mn": 0}
_DAY = re.compile(r"(?-i:Sat|Sun)|mo|mn|tu|th|we|fr|sa|su|sn|[mtwrfs]", re.IGNORECASE)
WEEKDAY_LETTERS = re.compile(
    r"(?:M|T[uh]?|W|R|F|S(?:at?|un?|n)?)+|(?:m|t[uh]?|w|r|f|s[aun]?)+"
    r"|(?:M|T[UH]?|W|R|F|S[AUN]?)+|Mo|Mn|We|Fr"
)
"""A word that is nothing but days of the week."""

_WRITTEN = {
    0: ("M", "Mo"), 1: ("T", "Tu"), 2: ("W", "We"), 3: ("Th", "Th"), 4: ("F", "Fr"),
    5: ("Sa", "Sa"), 6: ("Su", "Su"),
}  # fmt: skip


def later_days(letters: str, days: int) -> str:
    """The same number of days, each so much later, in letters of the same kind.

    >>> later_days("MWF", 1)
    'TThSa'
    """
    if days % 7 == 0:
        return letters
    names: list[str] = []
    earlier_days: set[int] = set()
    for match in _DAY.finditer(letters):
        day = _DAYS[match[0].lower()]
        if day == 1 and match[0].lower() == "t" and day in earlier_days:
            day = 3
        earlier_days.add(day)
        short, long = _WRITTEN[(day + days) % 7]
        names.append(in_case_of(long if len(match[0]) > 1 and day != 3 else short, match[0]))
    return "".join(names)
