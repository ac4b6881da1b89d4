"""Slots for dates and ages, and for the clock times and durations that are neither."""

from __future__ import annotations

from datetime import timedelta

from generator.pieces import Pieces
from generator.scene import Scene
from generator.slots.slot import Slot, typed
from generator.values import ages, dates
from incognote.knowledge.calendar import MONTHS, WEEKDAYS


def _date(scene: Scene, form: str) -> Pieces:
    rng = scene.rng
    day = scene.day
    if form == "today":
        pass
    elif form == "past":
        day -= timedelta(days=int(rng.expovariate(0.001)))
    elif form == "future":
        day += timedelta(days=rng.randint(1, 120))
    else:
        day = dates.near(day, rng)
    written = scene.date_form if rng.random() < 0.8 else rng.choice(dates.FORMATS)
    return [(dates.write(day, written), "DATE")]


def _day(scene: Scene, form: str) -> Pieces:
    rng = scene.rng
    day = dates.near(scene.day, rng) if form != "today" else scene.day
    written = scene.day_form if rng.random() < 0.6 else rng.choice(dates.DAY_FORMATS)
    return [(dates.write(day, written), "DATE")]


def _short_date(scene: Scene, form: str) -> Pieces:
    """A day as people in a hurry write it; `mmdd` where a time or a label beside it tells what it is."""
    written = form or scene.rng.choice(dates.HURRIED)
    return [(dates.hurried(dates.near(scene.day, scene.rng), written, scene.rng), "DATE")]


def _birthday(scene: Scene, _: str) -> Pieces:
    day = scene.day - timedelta(days=int(scene.years * 365.25) + scene.rng.randint(0, 364))
    return [(scene.kept("dob", dates.write(day, scene.date_form)), "DATE")]


def _month(scene: Scene) -> str:
    month = scene.rng.choice(MONTHS)
    return month if scene.rng.random() < 0.75 else month[: 3 if month != "September" else 4]


def _month_year(scene: Scene) -> str:
    day = scene.day - timedelta(days=int(scene.rng.expovariate(0.0012)))
    return dates.write(day, scene.rng.choice(dates.MONTH_FORMATS))


def _age(scene: Scene, form: str) -> Pieces:
    rng = scene.rng
    if form == "pt":
        return [(str(scene.years), "AGE")]
    years = ages.draw_years(rng)
    if form == "words":
        return [(ages.in_words(years), "AGE")]
    if form == "decade":
        return [(ages.decade(years, rng), "AGE")]
    if form == "infant":
        return [(ages.infant(rng), "AGE")]
    if form == "infantadj":
        return [(ages.infant_adjective(rng), "AGE")]
    if form == "tiny":
        return [(ages.tiny(rng), "AGE")]
    if form == "half":
        return [(ages.halves(rng), "AGE")]
    if form == "ym":
        return [(ages.years_and_months(rng), "AGE")]
    if form == "child":
        years = rng.randint(1, 17)
    return [(str(years), "AGE")]


def clock(scene: Scene) -> str:
    """A time of day; never marked."""
    rng = scene.rng
    hour, minute = rng.randrange(24), rng.randrange(60)
    chance = rng.random()
    if chance < 0.35:
        return f"{hour:02}:{minute:02}"
    if chance < 0.6:
        return f"{hour:02}{minute:02}" + (" hrs" if rng.random() < 0.2 else "")
    half = rng.choice(("am", "AM", "a.m.", " AM", " am")) if hour < 12 else rng.choice(("pm", "PM", "p.m.", " PM", " pm"))  # fmt: skip
    return f"{hour % 12 or 12}{f':{minute:02}' if rng.random() < 0.7 else ''}{half}"


def duration(scene: Scene) -> str:
    """A length of time; never marked."""
    rng = scene.rng
    unit = rng.choice(("day", "week", "month", "year", "hour", "wk", "mo", "yr", "d"))
    number = rng.randint(2, 14)
    if rng.random() < 0.2:
        return f"{number}-{number + rng.randint(1, 4)} {unit}s"
    return f"{number} {unit}s" if len(unit) > 1 else f"{number}{unit}"


TIMES: dict[str, Slot] = {
    "date": _date,
    "day": _day,
    "sdate": _short_date,
    "dob": _birthday,
    "age": _age,
    "nth": typed("DATE", lambda scene: dates.ordinal(scene.rng.randint(1, 31))),
    "month": typed("DATE", _month),
    "monthyear": typed("DATE", _month_year),
    "year": typed("DATE", lambda scene: dates.draw_year(scene.day, scene.rng)),
    "weekday": typed("DATE", lambda scene: dates.weekday(scene.rng)),
    "wd": typed("DATE", lambda scene: scene.rng.choice(dates.CLIPPED)),
    "weekdays": typed("DATE", lambda scene: f"{scene.rng.choice(WEEKDAYS)}s"),
    "holiday": typed("DATE", lambda scene: scene.rng.choice(dates.HOLIDAYS)),
    "holidayyear": typed(
        "DATE",
        lambda scene: f"{scene.rng.choice(dates.HOLIDAYS)} {dates.draw_year(scene.day, scene.rng)}",
    ),
    "season": typed("DATE", lambda scene: dates.season(scene.day, scene.rng)),
    "schedule": typed("DATE", lambda scene: scene.rng.choice(dates.SCHEDULES)),
    "decadeyears": typed("DATE", lambda scene: f"{scene.rng.randint(193, 201)}0s"),
    "time": typed("", clock),
    "dur": typed("", duration),
}
