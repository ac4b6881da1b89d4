"""Holidays by name, and when they fall."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from functools import lru_cache
from math import ceil

Rule = Callable[[int], tuple[date, ...]]
"""From a year to the days on which a holiday falls in it."""

_NEW_MOON, _MONTH = 730125.598, 29.530588861
"""The proleptic ordinal of a mean new moon, and the days between two."""


def fixed(month: int, day: int) -> Rule:
    """The same day every year."""
    return lambda year: (date(year, month, day),)


def last_of_february(year: int) -> tuple[date, ...]:
    """Leap day, or the day before March in other years."""
    return (date(year, 3, 1) - timedelta(1),)


def nth(place: int, weekday: int, month: int, later: int = 0) -> Rule:
    """The n-th weekday (Monday is 0) of a month, the last for -1, and some days later."""

    def days(year: int) -> tuple[date, ...]:
        if place < 0:
            end = date(year + month // 12, month % 12 + 1, 1) - timedelta(1)
            found = end - timedelta((end.weekday() - weekday) % 7)
        else:
            first = date(year, month, 1)
            found = first + timedelta((weekday - first.weekday()) % 7 + 7 * (place - 1))
        return (found + timedelta(later),)

    return days


def easter(later: int = 0) -> Rule:
    """Days after Western Easter, by the Gregorian computus."""

    def days(year: int) -> tuple[date, ...]:
        century, golden = year // 100, year % 19
        moon = (19 * golden + century - century // 4 - (8 * century + 13) // 25 + 15) % 30
        moon -= (moon // 28) * (1 - (29 // (moon + 1)) * ((21 - golden) // 11))
        sunday = (year + year // 4 + moon + 2 - century + century // 4) % 7
        after = moon - sunday
        month = 3 + (after + 40) // 44
        day = after + 28 - 31 * (month // 4)
        return (date(year, month, day) + timedelta(later),)

    return days


def orthodox_easter(later: int = 0) -> Rule:
    """Days after Easter by the Julian computus, as a Gregorian date until 2099."""

    def days(year: int) -> tuple[date, ...]:
        d = (19 * (year % 19) + 15) % 30
        e = (2 * (year % 4) + 4 * (year % 7) - d + 34) % 7
        month, day = divmod(d + e + 114, 31)
        return (date(year, month, day + 1) + timedelta(13 + later),)

    return days


def moon(month: int, day: int, later: int = 0) -> Rule:
    """Days after the first new moon on or after a day of the year."""

    def days(year: int) -> tuple[date, ...]:
        start = date(year, month, day).toordinal()
        count = ceil((start - _NEW_MOON) / _MONTH)
        return (date.fromordinal(int(_NEW_MOON + count * _MONTH) + later),)

    return days


def islamic(month: int, day: int) -> Rule:
    """A day of the tabular Islamic calendar: it falls once in most years, twice in some."""

    def days(year: int) -> tuple[date, ...]:
        about = int((year - 622) * 33 / 32)
        found = (_from_islamic(hijri, month, day) for hijri in range(about - 1, about + 3))
        return tuple(one for one in found if one.year == year)

    return days


def _from_islamic(year: int, month: int, day: int) -> date:
    leap_days = (11 * year + 3) // 30
    return date.fromordinal(
        354 * year + leap_days + 30 * month - (month - 1) // 2 + day + 1948055 - 1721425
    )


def advent(sunday: int) -> Rule:
    """The n-th Sunday of Advent; the fourth is the last before Christmas."""

    def days(year: int) -> tuple[date, ...]:
        christmas = date(year, 12, 25)
        fourth = christmas - timedelta(christmas.weekday() + 1)
        return (fourth - timedelta(7 * (4 - sunday)),)

    return days


def any_of(*rules: Rule) -> Rule:
    """A name that stands for several days of a year, such as Eid or a bank holiday."""
    return lambda year: tuple(day for rule in rules for day in rule(year))


# Holidays by name, and when they fall.


@dataclass(frozen=True)
class Holiday:
    """A day with a name. `days` is how long it lasts: a season such as Lent becomes a month."""

    rule: Rule
    names: tuple[str, ...]
    days: int = 1


MON, TUE, WED, THU, FRI, SAT, SUN = range(7)


def _holiday(rule: Rule, names: str, days: int = 1) -> Holiday:
    return Holiday(rule, tuple(name.strip() for name in names.split(",")), days)


_ROWS = (
    _holiday(fixed(1, 1), "new year, new years, new year's, new year's day, new years day, new year day"),
    _holiday(fixed(1, 6), "epiphany, orthodox epiphany, three kings, three kings day, dia de reyes, día de reyes, dia de los reyes, día de los reyes, twelfth night"),
    _holiday(fixed(1, 7), "orthodox christmas"),
    _holiday(fixed(1, 13), "lohri"),
    _holiday(fixed(1, 14), "pongal, makar sankranti, sankranti, bihu"),
    _holiday(nth(3, MON, 1), "mlk day, mlk weekend, mlk holiday, mlk, martin luther king day, martin luther king jr day, martin luther king jr. day"),
    _holiday(fixed(1, 19), "timkat"),
    _holiday(fixed(1, 20), "inauguration day"),
    _holiday(fixed(1, 25), "burns night, burns' night"),
    _holiday(fixed(1, 26), "australia day, republic day"),
    _holiday(fixed(2, 2), "groundhog day, candlemas"),
    _holiday(fixed(2, 6), "waitangi day"),
    _holiday(nth(2, SUN, 2), "super bowl sunday, superbowl sunday, super bowl"),
    _holiday(fixed(2, 12), "lincoln's birthday"),
    _holiday(fixed(2, 14), "valentine's day, valentines day, valentine's, st. valentine's day"),
    _holiday(nth(3, MON, 2), "presidents' day, presidents day, president's day, washington's birthday, family day"),
    _holiday(fixed(3, 1), "st. david's day"),
    _holiday(fixed(3, 8), "women's day, international women's day"),
    _holiday(nth(2, MON, 3), "commonwealth day"),
    _holiday(fixed(3, 17), "st. patrick's day, st. patrick's, st. paddy's, st. paddy's day, st. patty's day, st. patty's, evacuation day"),
    _holiday(fixed(3, 19), "st. joseph's day"),
    _holiday(fixed(3, 21), "nowruz, norooz, nauroz, persian new year"),
    _holiday(fixed(4, 1), "april fool's, april fools' day, april fools day, april fool's day, april fools"),
    _holiday(fixed(4, 13), "songkran, baisakhi, vaisakhi, tamil new year"),
    _holiday(fixed(4, 15), "tax day"),
    _holiday(nth(3, MON, 4), "patriots' day, patriots day, patriot's day"),
    _holiday(fixed(4, 22), "earth day"),
    _holiday(fixed(4, 23), "st. george's day"),
    _holiday(fixed(4, 25), "anzac day"),
    _holiday(fixed(4, 27), "freedom day"),
    _holiday(nth(-1, FRI, 4), "arbor day"),
    _holiday(fixed(5, 1), "may day, workers' day"),
    _holiday(fixed(5, 5), "cinco de mayo, children's day"),
    _holiday(nth(2, SUN, 5), "mother's day, mothers day, mothers' day"),
    _holiday(nth(-1, MON, 5, -7), "victoria day"),
    _holiday(nth(-1, MON, 5), "memorial day, memorial day weekend"),
    _holiday(fixed(6, 14), "flag day"),
    _holiday(fixed(6, 16), "youth day"),
    _holiday(nth(3, SUN, 6), "father's day, fathers day, fathers' day"),
    _holiday(fixed(6, 19), "juneteenth"),
    _holiday(fixed(6, 23), "midsummer's eve, midsummer eve"),
    _holiday(fixed(6, 24), "midsummer's day, midsummer day, st. john's day, discovery day"),
    _holiday(moon(6, 1, 24), "matariki"),
    _holiday(fixed(7, 1), "canada day, dominion day"),
    _holiday(fixed(7, 4), "independence day, fourth"),
    _holiday(fixed(7, 14), "bastille day"),
    _holiday(fixed(7, 24), "pioneer day"),
    _holiday(nth(1, MON, 8), "civic holiday, natal day, emancipation day, crop over, j'ouvert"),
    _holiday(fixed(8, 15), "assumption, obon"),
    _holiday(nth(1, MON, 9), "labor day, labour day, labor day weekend"),
    _holiday(nth(1, SUN, 9, 7), "grandparents day, grandparents' day"),
    _holiday(fixed(9, 17), "constitution day"),
    _holiday(fixed(9, 24), "heritage day"),
    _holiday(fixed(9, 27), "meskel"),
    _holiday(fixed(9, 29), "michaelmas"),
    _holiday(fixed(10, 2), "gandhi jayanti"),
    _holiday(fixed(10, 5), "teachers' day"),
    _holiday(nth(2, MON, 10), "columbus day, indigenous peoples' day, indigenous peoples day, indigenous people's day, columbus/indigenous peoples day, canadian thanksgiving"),
    _holiday(fixed(10, 31), "halloween, hallowe'en, all hallows' eve, all hallows eve"),
    _holiday(fixed(11, 1), "all saints' day, all saints day"),
    _holiday(fixed(11, 2), "all souls' day, all souls day, dia de los muertos, día de los muertos, dia de muertos, día de muertos, day of the dead"),
    _holiday(nth(1, TUE, 11), "melbourne cup day"),
    _holiday(nth(1, MON, 11, 1), "election day"),
    _holiday(fixed(11, 5), "bonfire night, guy fawkes night, guy fawkes day"),
    _holiday(fixed(11, 11), "veterans day, veterans' day, veteran's day, armistice day, remembrance day, martinmas, singles' day"),
    _holiday(nth(4, THU, 11), "thanksgiving, thanksgiving day, american thanksgiving, thanksgiving weekend"),
    _holiday(nth(4, THU, 11, -1), "thanksgiving eve"),
    _holiday(nth(4, THU, 11, 1), "black friday"),
    _holiday(nth(4, THU, 11, 4), "cyber monday"),
    _holiday(fixed(11, 30), "st. andrew's day"),
    _holiday(fixed(12, 6), "st. nicholas day, st. nicholas's day"),
    _holiday(fixed(12, 7), "pearl harbor day"),
    _holiday(fixed(12, 24), "christmas eve, xmas eve, nochebuena, noche buena"),
    _holiday(fixed(12, 25), "christmas, christmas day, xmas, xmas day, x-mas, navidad, christmas weekend"),
    _holiday(fixed(12, 26), "boxing day, st. stephen's day, junkanoo"),
    _holiday(fixed(12, 31), "new year's eve, new years eve, new year eve, hogmanay"),
    _holiday(fixed(12, 29), "kwanzaa, the holidays", days=7),
    _holiday(fixed(12, 20), "las posadas", days=9),
    _holiday(last_of_february, "leap day"),
    _holiday(easter(-47), "mardi gras, fat tuesday, shrove tuesday, pancake day, pancake tuesday, carnival"),
    _holiday(easter(-46), "ash wednesday"),
    _holiday(easter(-23), "lent, first week of lent", days=40),
    _holiday(easter(-21), "mothering sunday"),
    _holiday(easter(-7), "palm sunday"),
    _holiday(easter(-4), "holy week, easter week, semana santa", days=7),
    _holiday(easter(-3), "maundy thursday, holy thursday"),
    _holiday(easter(-2), "good friday"),
    _holiday(easter(-1), "holy saturday, easter saturday, easter eve"),
    _holiday(easter(), "easter, easter sunday, pascha, easter weekend"),
    _holiday(easter(1), "easter monday"),
    _holiday(easter(39), "ascension day, ascension thursday, ascension"),
    _holiday(easter(49), "pentecost, whit sunday, whitsun, whitsuntide"),
    _holiday(easter(50), "whit monday"),
    _holiday(easter(56), "trinity sunday"),
    _holiday(orthodox_easter(), "orthodox easter, greek easter"),
    _holiday(advent(2), "advent", days=24),
    *(_holiday(advent(place), f"{word} sunday of advent, {number} sunday of advent, {word} week of advent, {number} week of advent, {number} sunday in advent, {word} sunday in advent")
      for place, (word, number) in enumerate((("first", "1st"), ("second", "2nd"), ("third", "3rd"), ("fourth", "4th")), 1)),
    *(_holiday(easter(7 * place - 49), f"{word} sunday of lent, {number} sunday of lent, {number} week of lent, {word} week in lent, {number} sunday in lent")
      for place, (word, number) in enumerate((("first", "1st"), ("second", "2nd"), ("third", "3rd"), ("fourth", "4th")), 1)),
    _holiday(any_of(nth(1, MON, 5), nth(-1, MON, 5), nth(-1, MON, 8)), "bank holiday, bank holiday monday, bank holiday weekend"),
    _holiday(easter(-2), "bank holiday friday"),
    _holiday(nth(2, MON, 6), "king's birthday, queen's birthday"),
    _holiday(moon(1, 21), "lunar new year, chinese new year, vietnamese new year, tet, tết, seollal, spring festival, losar"),
    _holiday(moon(1, 10, 14), "tu bishvat"),
    _holiday(moon(2, 20), "maha shivaratri"),
    _holiday(moon(2, 25, 14), "purim, holi"),
    _holiday(moon(3, 20), "ugadi"),
    _holiday(fixed(4, 5), "qingming"),
    _holiday(moon(3, 20, 15), "passover, pesach", days=8),
    _holiday(moon(3, 20, 27), "yom hashoah"),
    _holiday(moon(3, 20, 47), "lag b'omer, lag baomer"),
    _holiday(moon(4, 20, 14), "vesak, wesak"),
    _holiday(moon(5, 10, 5), "shavuot, shavuos, dragon boat festival"),
    _holiday(moon(7, 16, 9), "tisha b'av, tisha bav"),
    _holiday(moon(7, 25, 14), "raksha bandhan, rakhi"),
    _holiday(moon(7, 25, 22), "janmashtami"),
    _holiday(moon(8, 18, 4), "ganesh chaturthi"),
    _holiday(fixed(8, 30), "onam", days=10),
    _holiday(moon(9, 5, 1), "rosh hashanah, rosh hashana, rosh ha-shanah, jewish new year"),
    _holiday(moon(9, 5, 10), "yom kippur"),
    _holiday(moon(9, 5, 15), "sukkot, sukkos", days=7),
    _holiday(moon(9, 5, 23), "simchat torah, simchas torah"),
    _holiday(moon(8, 24, 15), "mid-autumn festival, chuseok"),
    _holiday(moon(9, 16, 5), "navratri, navaratri, durga puja, dashain", days=10),
    _holiday(moon(9, 16, 10), "dussehra, dasara"),
    _holiday(moon(10, 16, -11), "karva chauth"),
    _holiday(moon(10, 16), "diwali, divali, deepavali, tihar"),
    _holiday(moon(10, 16, 6), "chhath, chhath puja"),
    _holiday(moon(10, 16, 15), "guru nanak jayanti"),
    _holiday(moon(9, 5, 84), "hanukkah, hanuka, hanukah, chanukah, chanukkah, chanuka", days=8),
    _holiday(islamic(1, 1), "islamic new year, muharram"),
    _holiday(islamic(1, 10), "ashura"),
    _holiday(islamic(3, 12), "mawlid"),
    _holiday(islamic(8, 15), "shab-e-barat"),
    _holiday(islamic(9, 15), "ramadan, ramadhan, ramazan, ramzan", days=30),
    _holiday(islamic(9, 27), "laylat al-qadr"),
    _holiday(islamic(10, 1), "eid al-fitr, eid al fitr, eid ul-fitr, eid ul fitr, eid-ul-fitr, eid-al-fitr"),
    _holiday(islamic(12, 10), "eid al-adha, eid al adha, eid ul-adha, eid ul adha, eid-ul-adha, eid-al-adha"),
    _holiday(any_of(islamic(10, 1), islamic(12, 10)), "eid"),
)  # fmt: skip

_APOSTROPHES = re.compile("['’‘`´]")
_SAINT = re.compile(r"^(?:saint|st)\b\s*")
_WORDS = re.compile(
    r"(?:[^\W_](?:[^\W_]|['’‘`´/-](?=[^\W_])){0,24}+['’‘`´]?(?:\.?\s{1,12}|\.|(?=\W)|$)){1,5}"
)


def _key(name: str) -> str:
    """The name in any case, with or without its apostrophes and full stops."""
    plain = _APOSTROPHES.sub("", name.lower()).replace(".", " ")
    return _SAINT.sub("st ", " ".join(plain.split())).strip()


_BY_NAME = {_key(name): row for row in reversed(_ROWS) for name in row.names}
_HEADS = frozenset(key.split()[0] for key in _BY_NAME)
_FIRST_LETTERS = frozenset(head[0] for head in _HEADS) | {"s"}
_ALONE_AMBIGUOUS = "fourth"


def holiday_named(name: str) -> Holiday | None:
    """The holiday of this name, in any case and with or without its apostrophe."""
    return _BY_NAME.get(_key(name))


def holiday_at(text: str, start: int) -> int:
    """Where the longest name of a holiday that starts here ends; `start` if none does."""
    if text[start].lower() not in _FIRST_LETTERS:
        return start
    words = _WORDS.match(text, start)
    if words is None or _key(words[0]).partition(" ")[0] not in _HEADS:
        return start
    ends = [word.end() for word in re.finditer(r"\S+", words[0])]
    for end in reversed(ends):
        name = words[0][:end].rstrip(".")
        for found in (name, name.removesuffix("'s").removesuffix("’s")):
            key = _key(found)
            if key in _BY_NAME and key != _ALONE_AMBIGUOUS:
                return start + len(found)
    return start


@lru_cache(maxsize=1 << 15)
def days_in(holiday: Holiday, year: int) -> tuple[date, ...]:
    """The days of a year on which a holiday falls."""
    return holiday.rule(year)


def nearest_day(holiday: Holiday, to: date) -> date:
    """The holiday's day nearest to another day."""
    years = range(to.year - 1, to.year + 2)
    days = (day for year in years for day in days_in(holiday, year))
    return min(days, key=lambda day: (abs(day - to), day))
