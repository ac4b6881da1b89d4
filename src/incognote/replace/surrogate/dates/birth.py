"""Birth dates that agree with the ages shown.

A birth date moves by the patient's shift like any other date, so that it agrees with every age
in the notes. Where ages are shifted, its year moves along. Where the person is over 89 on the
note's date, the year is set so that the age it implies there is 90, as the age itself reads 90+.
"""

from __future__ import annotations

from dataclasses import replace

from incognote.replace.surrogate.dates.age_shift import OLDEST, age_shift, shifted_age
from incognote.replace.surrogate.dates.parsed import Context, ParsedDate, Point
from incognote.replace.surrogate.dates.patient_shift import DateSettings


def birth_move(parsed: ParsedDate, key: bytes, patient: str, settings: DateSettings) -> ParsedDate:
    """The birth date whose year fits the ages, before the patient's shift."""
    years = age_shift(key, patient, settings)
    points = tuple(
        point
        if point.year is None
        else replace(point, year=point.year - _older(point, years, parsed.context, settings))
        for point in parsed.points
    )
    return replace(parsed, points=points)


def _older(point: Point, years: int, context: Context, settings: DateSettings) -> int:
    """By how many years the person is made older."""
    age = _age(point, context, settings)
    if age > OLDEST:
        return OLDEST + 1 - age
    return shifted_age(age, years) - age if age >= 0 else 0


def _age(point: Point, context: Context, settings: DateSettings) -> int:
    """Full years at the note's date; if the note has no later date, at the settings' date.

    A year alone is taken from its start, which gives the higher of the two possible ages.
    """
    year = point.year or 0
    seen = context.around
    if seen is None or seen.year <= year:
        seen = settings.as_of
    birthday = (point.month or 1, point.day or 1)
    return seen.year - year - ((seen.month, seen.day) < birthday)
