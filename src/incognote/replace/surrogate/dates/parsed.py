"""What a date says: its points, their parts, and the tokens that wrote them."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from typing import Literal

from incognote.replace.surrogate.dates.holidays import Holiday
from incognote.replace.surrogate.dates.tokens import Token

Order = Literal["mdy", "dmy", "ymd"]
Unit = Literal["day", "month", "quarter", "season", "year", "decade", "weekdays", "holiday"]
Role = Literal[
    "year", "second year", "month", "day", "suffix", "weekday", "quarter", "season", "decade",
    "holiday",
]  # fmt: skip


@dataclass(frozen=True)
class Context:
    """What the note says about how its dates are to be read.

    `around` is the day that dates without a year are taken to be near. `padded` and
    `short_months` tell how the note writes 3 March where a date itself does not show it. `before`
    and `after` are the text beside the span, for the halves of a range such as 3/14-16/2019. `days`
    are the full dates of the note, and `days_beside` those that stand just beside the span, both
    for the holidays that they are.
    """

    order: Order = "mdy"
    around: date | None = None
    padded: bool | None = None
    short_months: bool | None = None
    before: str = field(default="", repr=False)
    after: str = field(default="", repr=False)
    days: frozenset[date] = field(default=frozenset(), repr=False)
    days_beside: tuple[Point, ...] = field(default=(), repr=False)

    @property
    def today(self) -> date:
        """The day to reckon from, also when the note names none."""
        return self.around or date(2015, 7, 1)

    def century(self, year: int) -> int:
        """The year that two digits mean: the last one that is not ten years after the note."""
        if year >= 100:
            return year
        latest = self.around.year + 10 if self.around else 2049
        return latest - (latest - year) % 100


@dataclass(frozen=True)
class Part:
    """A token that writes one part of a date."""

    role: Role
    token: int


@dataclass(frozen=True)
class Point:
    """One date of an expression, which has two if it is a range and more if it is a list.

    `place` counts quarters and seasons from 0, `weekday` days from Monday. `loose` readings, such as a bare number, hold only
    beside another point. `lender` is the point whose month this one shares.
    """

    unit: Unit
    parts: tuple[Part, ...]
    year: int | None = None
    month: int | None = None
    day: int | None = None
    place: int = 0
    holiday: Holiday | None = None
    weekday: int | None = None
    loose: bool = False
    lender: int | None = None

    def token(self, role: Role) -> int | None:
        """Where a part is written."""
        return next((part.token for part in self.parts if part.role == role), None)


@dataclass(frozen=True)
class ParsedDate:
    """A date that was understood. Tokens outside `first` to `last` are beside the span."""

    tokens: tuple[Token, ...] = field(repr=False)
    points: tuple[Point, ...]
    context: Context
    first: int
    last: int

    @property
    def full(self) -> bool:
        """Whether the span itself names a day of a year."""
        shown = {
            part.role
            for point in self.points
            for part in point.parts
            if self.first <= part.token < self.last
        }
        return "year" in shown and ({"month", "day"} <= shown or "holiday" in shown)
