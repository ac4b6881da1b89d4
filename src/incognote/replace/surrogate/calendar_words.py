"""The names of months, weekdays and seasons, each in the spellings that notes use.

A spelling is a tuple of names, so that a date that moves from one month to another keeps it:
`Sept` becomes `Dec`, `septembre` becomes `décembre`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from incognote.replace.surrogate.letters import in_case_of

Spelling = tuple[str, ...]


class Name(NamedTuple):
    """What a name stands for, counted from 0, and how it was spelt."""

    place: int
    spelling: Spelling


def _spelling(names: str) -> Spelling:
    return tuple(names.split())


MONTHS = _spelling(
    "January February March April May June July August September October November December"
)
SHORT_MONTHS = _spelling("Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec")
_SHORT_MONTHS_WITH_SEPT = _spelling("Jan Feb Mar Apr May Jun Jul Aug Sept Oct Nov Dec")
_FRENCH_MONTHS = _spelling(
    "janvier février mars avril mai juin juillet août septembre octobre novembre décembre"
)
_FRENCH_MONTHS_PLAIN = _spelling(
    "janvier fevrier mars avril mai juin juillet aout septembre octobre novembre decembre"
)
_SPANISH_MONTHS = _spelling(
    "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre"
)
_SHORT_SPANISH_MONTHS = _spelling("ene feb mar abr may jun jul ago sep oct nov dic")
ROMAN_MONTHS = _spelling("I II III IV V VI VII VIII IX X XI XII")

WEEKDAYS = _spelling("Monday Tuesday Wednesday Thursday Friday Saturday Sunday")
SHORT_WEEKDAYS = _spelling("Mon Tue Wed Thu Fri Sat Sun")
_LONGER_WEEKDAYS = _spelling("Mon Tues Weds Thurs Fri Sat Sun")
_FRENCH_WEEKDAYS = _spelling("lundi mardi mercredi jeudi vendredi samedi dimanche")
_SPANISH_WEEKDAYS = _spelling("lunes martes miércoles jueves viernes sábado domingo")

SEASONS = _spelling("winter spring summer fall")
_SEASONS_WITH_AUTUMN = _spelling("winter spring summer autumn")
DECADES = _spelling(
    "naughts teens twenties thirties forties fifties sixties seventies eighties nineties"
)

_MISSPELT_MONTHS = {
    "Janurary": 0, "Januray": 0, "Janaury": 0, "Febuary": 1, "Feburary": 1, "Febraury": 1, "Apirl": 3,
    "Agust": 7, "Septmber": 8, "Setember": 8, "Ocotber": 9, "Octber": 9, "Novemeber": 10,
    "Novmber": 10, "Decemeber": 11, "Decmber": 11,
}  # fmt: skip
_MISSPELT_WEEKDAYS = {
    "Tuesady": 1, "Teusday": 1, "Wendesday": 2, "Wedensday": 2, "Wensday": 2, "Wednsday": 2,
    "Thrusday": 3, "Thurday": 3, "Thusday": 3, "Firday": 4, "Satruday": 5, "Saterday": 5,
}  # fmt: skip


def _lookup(spellings: Iterable[Spelling]) -> dict[str, Name]:
    """By lower-case name; an earlier spelling wins, as `May` is a full name first."""
    found: dict[str, Name] = {}
    for spelling in spellings:
        for place, name in enumerate(spelling):
            found.setdefault(name.lower(), Name(place, spelling))
    return found


def _of(names: dict[str, int], spelling: Spelling) -> dict[str, Name]:
    return {name.lower(): Name(place, spelling) for name, place in names.items()}


MONTH_NAMES = _of(_MISSPELT_MONTHS, MONTHS) | _lookup(
    (
        MONTHS,
        SHORT_MONTHS,
        _SHORT_MONTHS_WITH_SEPT,
        _FRENCH_MONTHS,
        _FRENCH_MONTHS_PLAIN,
        _SPANISH_MONTHS,
        _SHORT_SPANISH_MONTHS,
    )
)
WEEKDAY_NAMES = (
    _of({"Wedn": 2, "Wednes": 2, "Thur": 3, "Thr": 3}, _LONGER_WEEKDAYS)
    | _of(_MISSPELT_WEEKDAYS, WEEKDAYS)
    | _lookup(
        (WEEKDAYS, SHORT_WEEKDAYS, _LONGER_WEEKDAYS, _FRENCH_WEEKDAYS, _SPANISH_WEEKDAYS),
    )
    | _of({"miercoles": 2, "sabado": 5}, _SPANISH_WEEKDAYS)
)
WEEKDAY_NAMES |= {
    f"{name}s": Name(meaning.place, tuple(f"{day}s" for day in meaning.spelling))
    for name, meaning in WEEKDAY_NAMES.items()
    if f"{name}s" not in WEEKDAY_NAMES and not name.endswith("s")
}
SEASON_NAMES = _lookup((SEASONS, _SEASONS_WITH_AUTUMN))
DECADE_NAMES = _lookup((DECADES,))
ROMAN_NAMES = _lookup((ROMAN_MONTHS,))


def rename(written: str, names: dict[str, Name], place: int, *, short: bool = False) -> str:
    """The name of another month, weekday or season, spelt and cased as `written` is.

    `May` is both a full and a short name: `short` says which. The full stop of an abbreviation
    stays, except that May has none.

    >>> rename("SEPT.", MONTH_NAMES, 11)
    'DEC.'
    """
    bare = written.rstrip(".")
    name = names[bare.lower()]
    if name.place == place:
        return written
    spelling = SHORT_MONTHS if short and bare.lower() == "may" else name.spelling
    new = spelling[place]
    stop = "" if spelling[place] == "May" else written[len(bare) :]
    return in_case_of(new, bare) + stop


# Weekdays by their letters: MWF, TTS, M/W/F, TuThSa.

_DAYS = {"m": 0, "mo": 0, "t": 1, "tu": 1, "w": 2, "we": 2, "th": 3, "r": 3, "f": 4, "fr": 4}
_DAYS |= {"sa": 5, "s": 5, "su": 6, "sn": 6}
_DAY = re.compile(r"mo|tu|th|we|fr|sa|su|sn|[mtwrfs]", re.IGNORECASE)
WEEKDAY_LETTERS = re.compile(
    r"(?:M|T[uh]?|W|R|F|S[aun]?)+|(?:m|t[uh]?|w|r|f|s[aun]?)+|(?:M|T[UH]?|W|R|F|S[AUN]?)+|Mo|We|Fr"
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
    written = []
    seen: set[int] = set()
    for match in _DAY.finditer(letters):
        day = _DAYS[match[0].lower()]
        if day == 1 and match[0].lower() == "t" and day in seen:
            day = 3
        seen.add(day)
        short, long = _WRITTEN[(day + days) % 7]
        written.append(in_case_of(long if len(match[0]) > 1 and day != 3 else short, match[0]))
    return "".join(written)
