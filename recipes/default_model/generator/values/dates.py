"""Dates and the ways in which notes write them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import date, timedelta
from functools import cache
from random import Random

from incognote.knowledge.calendar import MONTHS, WEEKDAYS

HOLIDAYS = (
    "Christmas", "Christmas Eve", "Christmas Day", "Xmas", "Thanksgiving", "Easter",
    "Easter Sunday", "Good Friday", "New Year's", "New Year's Eve", "New Year's Day", "Labor Day",
    "Memorial Day", "July 4th", "4th of July", "Fourth of July", "Independence Day",
    "Halloween", "Valentine's Day", "Mother's Day", "Father's Day", "St. Patrick's Day",
    "Columbus Day", "Veterans Day", "Presidents' Day", "MLK Day", "Juneteenth", "Hanukkah",
    "Passover", "Yom Kippur", "Rosh Hashanah", "Ramadan", "Eid", "Eid al-Fitr", "Diwali", "Lent",
    "Ash Wednesday", "Palm Sunday", "Mardi Gras", "Cinco de Mayo", "Lunar New Year",
    "Chinese New Year", "Tet", "Super Bowl Sunday", "Black Friday", "Boxing Day", "Canada Day",
    "Groundhog Day", "April Fools", "Kwanzaa", "Three Kings Day", "Nowruz", "Orthodox Easter",
    "Election Day", "Mother's day", "turkey day", "Bastille Day", "Flag Day", "Pentecost",
)  # fmt: skip
SEASONS = ("spring", "summer", "fall", "winter", "autumn")
SCHEDULES = (
    "MWF", "TTS", "M-F", "M/W/F", "TThS", "T/Th/S", "Tue/Thu/Sat", "Mon-Fri", "M-W-F", "Mon/Thu",
    "M/Th", "Tu/Th", "Mon/Wed/Fri", "Th/F", "MTWThF", "Mon-Thu", "Sat/Sun", "TuThSa", "M W F",
    "Tues/Thurs", "Mon, Wed, Fri", "Mon-Sat",
)  # fmt: skip
FORMATS = (
    "m/d/y", "mm/dd/y", "m/d/yy", "mm/dd/yy", "mm-dd-y", "m-d-yy", "y-mm-dd", "d Mon y",
    "dd-Mon-y", "dd-MON-y", "Month d, y", "Mon d, y", "Mon. d, y", "ddMonyy", "ddMONy", "m.d.yy",
    "dd/mm/y", "d.m.y", "Month dth, y", "dth Month y", "yyyymmdd", "Weekday, Month d, y",
    "y/mm/dd", "d Month y", "Wday m/d/y", "MON d, y", "mmddyy", "Mon d y", "d Mon yy", "y mm dd",
    "dd Mon yy", "Mon-dd-y", "mm/dd/y", "m/d/y", "m/d/yy", "Month d, y", "y-mm-dd",
)  # fmt: skip
ABROAD = (
    "dd/mm/y", "d/m/y", "d/m/yy", "dd.mm.yy", "d Month y", "dth Month y", "d Mon y", "dd/mm/yy", "dd-mm-y",
    "d.m.y", "dd Mon yy", "y-mm-dd", "Weekday d Month y", "dd-Mon-yy", "d-m-y",
)  # fmt: skip
DAY_FORMATS = (
    "m/d", "m/d", "m/d", "m/d", "mm/dd", "mm-dd", "m-d", "Mon d", "Month d", "Month dth", "Mon dth",
    "d Mon", "d Month", "Wday m/d", "Weekday m/d", "Wday Mon d", "dth", "MON d", "Weekday, Month d",
    "dMon", "dd-Mon", "m.d", "Mon. d", "Weekday the dth", "dth of Month",
)  # fmt: skip
HURRIED = (
    "m/d", "m/d", "m/d", "m/d", "mm/dd", "m-d", "m-d-yy", "m/d/yy", "mm/dd/yy", "m.d.yy", "m.d", "d Mon", "dMon", "d-Mon",
    "ddMONyy", "ddMON", "Mon d", "MON d", "Wday m/d", "Wday d Mon", "WD m/d", "d/m", "d/m/yy", "d.m.yy", "dth", "Mon dth", "mmddyy",
)  # fmt: skip
CLIPPED = (
    "Mon", "Tue", "Tu", "Tues", "Wed", "Weds", "Th", "Thu", "Thur", "Thurs", "Fri", "Sat", "Sa", "Sun", "Su",
    "mon", "tues", "wed", "thurs", "fri", "sat", "sun", "MON", "TUE", "WED", "THURS", "FRI", "SAT", "SUN",
)  # fmt: skip
MONTH_FORMATS = ("Month y", "m/y", "mm/y", "Mon y", "Mon 'yy", "Month of y", "Mon. y", "mm/yy")


def draw_day(rng: Random, since: int = 1990, until: int = 2026) -> date:
    """Any day of these years."""
    start = date(since, 1, 1)
    return start + timedelta(days=rng.randrange((date(until, 12, 31) - start).days))


def near(day: date, rng: Random, before: int = 60, after: int = 60) -> date:
    """A day around another; most are close to it."""
    span = rng.choice((3, 10, 30, 60))
    return day + timedelta(days=rng.randint(-min(before, span), min(after, span)))


def hurried(day: date, form: str, rng: Random) -> str:
    """A day in a form of `HURRIED`: `Tu 3/4`, `04MAR`, now and then in small letters."""
    letters = ("M", "Tu", "W", "Th", "F", "Sa", "Su")[day.weekday()]
    written = write(day, form) if "WD" not in form else f"{letters} {write(day, form[3:])}"
    return written.lower() if rng.random() < 0.15 else written


def ordinal(number: int) -> str:
    """`1st`, `22nd`, `13th`."""
    ending = "th" if 10 < number % 100 < 14 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


@cache
def _parts(form: str) -> tuple[str, ...]:
    return tuple(_FIELD.split(form))


def write(day: date, form: str) -> str:
    """A day in one of the forms above."""
    return "".join(_WRITERS[part](day) if part in _WRITERS else part for part in _parts(form))


_WRITERS: Mapping[str, Callable[[date], str]] = {
    "yyyymmdd": lambda day: f"{day:%Y%m%d}",
    "mmddyy": lambda day: f"{day:%m%d%y}",
    "Weekday": lambda day: WEEKDAYS[day.weekday()],
    "Wday": lambda day: WEEKDAYS[day.weekday()][:3],
    "Month": lambda day: MONTHS[day.month - 1],
    "Mon": lambda day: MONTHS[day.month - 1][:3],
    "MON": lambda day: MONTHS[day.month - 1][:3].upper(),
    "dth": lambda day: ordinal(day.day),
    "dd": lambda day: f"{day.day:02}",
    "mm": lambda day: f"{day.month:02}",
    "yy": lambda day: f"{day.year % 100:02}",
    "y": lambda day: str(day.year),
    "m": lambda day: str(day.month),
    "d": lambda day: str(day.day),
}
_FIELD = re.compile(f"({'|'.join(_WRITERS)})")


def draw_year(day: date, rng: Random) -> str:
    """A bare year before a day: `2009`, or `'98`."""
    year = day.year - int(rng.expovariate(0.12))
    if rng.random() < 0.12:
        return f"{chr(39) if rng.random() < 0.8 else '’'}{year % 100:02}"
    return str(year)


def weekday(rng: Random) -> str:
    """A day of the week, short or long."""
    day = rng.choice(WEEKDAYS)
    chance = rng.random()
    if chance < 0.6:
        return day
    if chance < 0.85:
        return day[:3] + ("." if rng.random() < 0.15 else "")
    return {"Tuesday": "Tues", "Wednesday": "Weds", "Thursday": rng.choice(("Thurs", "Thur"))}.get(
        day, day[:3]
    )


def season(day: date, rng: Random) -> str:
    """A season with its year."""
    name = rng.choice(SEASONS)
    year = draw_year(day, rng)
    if rng.random() < 0.4:
        return f"{name} of {year}"
    return f"{name.capitalize() if rng.random() < 0.3 else name} {year}"
