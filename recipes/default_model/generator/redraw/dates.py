"""New dates for old: the form stays, or the whole note changes from one form to another."""

from __future__ import annotations

import re
from datetime import date, timedelta
from random import Random

from generator.capitals import like
from generator.values import dates
from incognote.knowledge.calendar import MONTHS, WEEKDAYS

_LONG = {name.casefold(): number for number, name in enumerate(MONTHS)}
_MONTH = re.compile(
    r"(?<![a-z])(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)(?![a-z])",
    re.IGNORECASE,
)
_WEEKDAY = re.compile(
    r"\b(mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?|sun)(days?)?(?![a-z])", re.IGNORECASE
)
_SEASON = re.compile(r"\b(spring|summer|fall|autumn|winter)\b", re.IGNORECASE)
_FULL = re.compile(r"(\d{1,2})([/.\- ])(\d{1,2})\2(\d{4}|\d{2})")
_ISO = re.compile(r"(\d{4})([/.\- ]?)(\d{2})\2(\d{2})")
_DAY = re.compile(r"(\d{1,2})([/.\-])(\d{1,2})")
_MONTH_YEAR = re.compile(r"(\d{1,2})([/\-])(\d{4})")
_EMBEDDED = re.compile(r"(\d{1,4}[/.-]\d{1,4}(?:[/.-]\d{2,4})?)")
_HOLIDAY = frozenset(name.casefold() for name in dates.HOLIDAYS)


class DateRedraw:
    """The new dates of one note: all shifted by as many days."""

    def __init__(self, rng: Random) -> None:
        self._rng = rng
        self._shift = timedelta(days=rng.randint(-3000, 1500))
        self._years = round(self._shift.days / 365)
        self._full_form = rng.choice(dates.FORMATS) if rng.random() < 0.3 else ""
        self._day_form = rng.choice(dates.DAY_FORMATS) if rng.random() < 0.15 else ""

    def draw(self, text: str) -> str:
        """The new date."""
        if text.casefold() in _HOLIDAY:
            return like(self._rng.choice(dates.HOLIDAYS), text)
        if text in dates.SCHEDULES:
            return self._rng.choice(dates.SCHEDULES)
        numeric = self._numeric(text)
        return numeric if numeric is not None else self._worded(text)

    def _numeric(self, text: str, keep_form: bool = False) -> str | None:
        full, short_day = ("", "") if keep_form else (self._full_form, self._day_form)
        if found := _ISO.fullmatch(text):
            day = self._moved(int(found[1]), int(found[3]), int(found[4]))
            return dates.write(day, full or f"y{found[2]}mm{found[2]}dd")
        if found := _FULL.fullmatch(text):
            year = (
                int(found[4])
                if len(found[4]) == 4
                else 2000 + int(found[4]) - (100 if int(found[4]) > 30 else 0)
            )
            first, second = int(found[1]), int(found[3])
            padded = found[1][0] == "0" or found[3][0] == "0" or len(found[1] + found[3]) == 4
            month, number = ("mm", "dd") if padded else ("m", "d")
            form = [month, number, "y" if len(found[4]) == 4 else "yy"]
            if first > 12:
                first, second, form = second, first, [number, month, form[2]]
            return dates.write(self._moved(year, first, second), full or found[2].join(form))
        if found := _MONTH_YEAR.fullmatch(text):
            day = self._moved(int(found[3]), int(found[1]), 15)
            return dates.write(day, f"{'mm' if found[1][0] == '0' else 'm'}{found[2]}y")
        if found := _DAY.fullmatch(text):
            first, second = int(found[1]), int(found[3])
            if first > 12 or second > 31:
                return None
            day = self._moved(2019, first, second)
            padded = found[1][0] == "0" or found[3][0] == "0"
            short = f"mm{found[2]}dd" if padded else f"m{found[2]}d"
            return dates.write(day, short_day or short)
        return None

    def _moved(self, year: int, month: int, day: int) -> date:
        try:
            return date(year, month, day) + self._shift
        except (ValueError, OverflowError):
            return date(2012, 6, 15) + self._shift

    def _worded(self, text: str) -> str:
        parts = _EMBEDDED.split(text)
        for at in range(1, len(parts), 2):
            numeric = self._numeric(parts[at], keep_form=True)
            parts[at] = parts[at] if numeric is None else numeric
        for at in range(0, len(parts), 2):
            parts[at] = self._words(parts[at])
        return "".join(parts)

    def _words(self, text: str) -> str:
        text = _MONTH.sub(self._month, text)
        text = _WEEKDAY.sub(self._weekday, text)
        text = _SEASON.sub(lambda found: like(self._rng.choice(dates.SEASONS), found[0]), text)
        text = re.sub(r"\b(?:19|20)\d0(?=s\b)", lambda _: f"{self._rng.randint(193, 202)}0", text)
        text = re.sub(
            r"\b(?:19|20)\d\d\b", lambda found: str(min(2027, int(found[0]) + self._years)), text
        )
        text = re.sub(
            r"(?<=['’])\d\d\b", lambda found: f"{(int(found[0]) + self._years) % 100:02}", text
        )
        return re.sub(r"(?<![\w'’])(\d{1,2})(st|nd|rd|th)?(?!\d)", self._number, text)

    def _month(self, found: re.Match[str]) -> str:
        month = self._rng.choice(MONTHS)
        return like(
            month if found[0].casefold() in _LONG and len(found[0]) > 3 else month[:3], found[0]
        )

    def _weekday(self, found: re.Match[str]) -> str:
        day = self._rng.choice(WEEKDAYS)
        plural = "s" if (found[2] or "").endswith("s") else ""
        return like(day + plural if found[2] else day[:3], found[0])

    def _number(self, found: re.Match[str]) -> str:
        number = int(found[1])
        if not 1 <= number <= 31:
            return found[0]
        new = self._rng.randint(1, 28)
        return dates.ordinal(new) if found[2] else f"{new:02}" if found[1][0] == "0" else str(new)
