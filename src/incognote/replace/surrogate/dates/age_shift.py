"""How ages are changed: over 89 they are all 90+, below they may move a little."""

from __future__ import annotations

from incognote.replace.surrogate.dates.patient_shift import DateSettings, draw

OLDEST = 89
"""The highest age that may be shown."""
_GROWN = 30
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
    part = min(age, _GROWN) / _GROWN
    return min(OLDEST, age + round(years * part))
