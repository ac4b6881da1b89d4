"""How far a patient's dates and ages are moved: a function of the key and the patient alone."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from functools import lru_cache, partial
from typing import Annotated

from incognote.base.options import Option, between, check
from incognote.document import FARTHEST_SHIFT, Document, Order
from incognote.replace.surrogate.kernel import Keyed

_YEAR = 365.2425
_OF_A_SEASON = 21
"""With `keep_season`, how many days a date may move within its season."""

_surrogates = partial(Option, panel="Surrogates")


@dataclass(frozen=True)
class DateSettings:
    """How dates and ages are changed.

    The shift is drawn from `earliest` to `latest`, in days, never zero; by default within a year,
    or within five when the season is kept, where only shifts near whole years will do. `order` is
    for notes whose own dates do not show whether the month or the day comes first, or with
    `force_order` for all. `shift_ages`
    is the most years by which ages under 90 move. `as_of` is when ages are reckoned for a birth
    date in a note without any other date.
    """

    earliest: int | None = None
    latest: int | None = None
    whole_weeks: Annotated[
        bool,
        _surrogates(
            "Move dates by whole weeks, so that weekdays stay the same.",
            flags=("--whole-weeks/--any-days",),
        ),
    ] = True
    keep_season: Annotated[
        bool,
        _surrogates("Move dates by about whole years, so that the season stays the same."),
    ] = False
    order: Annotated[
        Order,
        _surrogates(
            "How 3/4/19 is read where the note's other dates do not tell: each note by its own or, "
            "with --scan-first, by all dates of its patient.",
            flags=("--date-order",),
        ),
    ] = "mdy"
    shift_ages: Annotated[
        int,
        _surrogates(
            "Move ages under 90 by up to this many years, and birth dates with them. Ages over 89 "
            "become 90+ in any case.",
            between(0, 10),
            metavar="YEARS",
        ),
    ] = 0
    as_of: date = date(2030, 1, 1)
    force_order: Annotated[
        bool,
        _surrogates(
            "Read all dates as --date-order says, whatever a note's other dates tell.",
            flags=("--force-date-order",),
        ),
    ] = False

    def __post_init__(self) -> None:
        check(self, ValueError)
        if not -FARTHEST_SHIFT <= self.range[0] <= self.range[1] <= FARTHEST_SHIFT:
            raise ValueError(
                f"the range of the date shift lies within {FARTHEST_SHIFT} days, low to high"
            )
        if not shifts(self):
            raise ValueError("the range of the date shift holds no shift that fits the settings")

    @property
    def range(self) -> tuple[int, int]:
        """The least and the greatest shift."""
        most = 1820 if self.keep_season else 364
        return (
            -most if self.earliest is None else self.earliest,
            most if self.latest is None else self.latest,
        )


@lru_cache(maxsize=16)
def shifts(settings: DateSettings) -> tuple[int, ...]:
    """Every shift, in days, that the settings allow."""
    step = 7 if settings.whole_weeks else 1
    low, high = settings.range
    return tuple(
        days
        for days in range(low + -low % step, high + 1, step)
        if days and (not settings.keep_season or _within_season(days))
    )


def _within_season(days: int) -> bool:
    return abs(days - round(days / _YEAR) * _YEAR) <= _OF_A_SEASON


def shift_of(key: bytes, patient: str, settings: DateSettings) -> int:
    """The patient's one shift in days. Without the key it cannot be told."""
    choices = shifts(settings)
    return choices[draw(key, "date shift", patient) % len(choices)]


def shift_of_note(document: Document, key: bytes, patient: str, settings: DateSettings) -> int:
    """By how many days a note's dates move: as was decided elsewhere, or else by the key."""
    if document.shift is not None:
        return document.shift
    return shift_of(key, patient, settings)


def draw(key: bytes, purpose: str, patient: str) -> int:
    """A number of 256 bits from the key, for one purpose and one patient."""
    return int.from_bytes(Keyed.of(key, purpose, patient).secret, "big")


# How ages are changed: over 89 they are all 90+, below they may move a little.

OLDEST = 89
"""The highest age that may be shown."""
_ADULT_AGE = 30
"""From this age on the whole shift applies; for the young it shrinks, so that a child stays one."""


def age_shift(key: bytes, patient: str, settings: DateSettings) -> int:
    """By how many years the patient's ages move, never zero if they do; one for all their notes."""
    most = settings.shift_ages
    if not most:
        return 0
    choices: list[int] = [*range(-most, 0), *range(1, most + 1)]
    return choices[draw(key, "age shift", patient) % len(choices)]


def shifted_age(age: int, years: int) -> int:
    """An age under 90 after the shift: at most 89, in the same order as before."""
    part = min(age, _ADULT_AGE) / _ADULT_AGE
    return min(OLDEST, age + round(years * part))
